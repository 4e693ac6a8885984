// Written by scripts/embed-interface: change the .varlink files and run it again.
// swift-format-ignore-file
enum InterfaceText {
  /// The text of `org.varlink.service.varlink`.
  static let service = #"""
    # What every Varlink service tells about itself.
    interface org.varlink.service

    # Who made the service, what it is, and which interfaces it has.
    method GetInfo() -> (
      vendor: string,
      product: string,
      version: string,
      url: string,
      interfaces: []string
    )

    # The definition of one interface, as text.
    method GetInterfaceDescription(interface: string) -> (description: string)

    error InterfaceNotFound (interface: string)

    error MethodNotFound (method: string)

    error MethodNotImplemented (method: string)

    error InvalidParameter (parameter: string)

    error PermissionDenied ()

    error ExpectedMore ()
    """# + "\n"

  /// The text of `org.forced.Force.varlink`.
  static let force = #"""
    # Pressure of Linux input devices in per cent and grams, and the haptics that answer it.
    #
    # Messages are JSON objects on a Unix stream socket, each ended by a NUL byte; a connection whose
    # first message ends with a newline uses newlines instead. An absent field means unknown; null is
    # never sent. Fields may be added to every type, and values to every enumeration; none is ever
    # changed or removed.
    interface org.forced.Force

    # What a device is.
    type Kind (pen, touchpad, touchscreen, pressurepad, gamepad, balance_board, motor, other)

    # What a device can measure: force; only whether something touches; nothing.
    type Measure (force, contact, none)

    # What a contact does. steady: nothing has changed for a while and the value still holds.
    # released: the contact has ended, percent and grams are 0.
    type State (touching, steady, released)

    # Where grams come from, best first. nominal is an illustration and not a measurement:
    # 100 % = 385 g unless the configuration says otherwise.
    type GramsSource (calibrated, profile, device, nominal)

    # One measurement of one contact.
    type Reading (
      # The device's id, as ListDevices tells it.
      device: string,
      # Which contact of the device: slot, trigger or load cell; 0 where there is only one.
      contact: int,
      # Counts the readings of this device from 1, and goes on when it comes back; a gap shows loss.
      sequence: int,
      # Microseconds on the monotonic clock: the kernel's time of the event, or of the smoothing step.
      time: int,
      # The device's own value, unscaled.
      raw: int,
      # Smoothed force, 0 to 100, rounded to 0.01.
      percent: float,
      # Smoothed force in grams, rounded to 0.01.
      grams: float,
      grams_source: ?GramsSource,
      # Force in per cent before smoothing, 0 to 100, rounded to 0.01.
      unsmoothed_percent: float,
      # The force has reached the maximum and not yet fallen below the level that arms it again.
      at_maximum: bool,
      state: State,
      # Where the contact is, in the device's own units; only where the configuration publishes positions.
      x: ?int,
      y: ?int
    )

    # Counts since the daemon started.
    type DeviceCounters (
      # Kernel events.
      events: int,
      # Groups of events that belong together.
      frames: int,
      # Times that the kernel's queue overflowed.
      drops: int
    )

    # How far a device's readings can be trusted.
    type Accuracy (
      # Grams of one raw unit: nothing finer can be told apart.
      resolution_grams: ?float,
      # Root mean square of the last press that was held still, in per cent of the range and in grams.
      noise_percent: ?float,
      noise_grams: ?float,
      # Root mean square of what the user's calibration leaves at its points.
      calibration_residual_grams: ?float,
      # What a tare takes off.
      tare_grams: ?float,
      # The raw value that counts as 100 % because the device reached it.
      observed_maximum: ?int,
      # The raw value that a worn pen reports without being pressed.
      pen_offset: ?int,
      # From which force a contact counts, and below which it ends, in per cent; absent: as the device
      # says.
      press_at: ?float,
      release_at: ?float,
      # The device profile in force.
      profile: ?string,
      # Why the force should not be believed.
      doubt: ?string
    )

    # One input device.
    type Device (
      # The same each time that the device is plugged in, until the daemon restarts, and after that too
      # unless several devices are alike.
      id: string,
      # The name that the device gives itself.
      name: string,
      kind: Kind,
      measure: Measure,
      # Why it cannot measure force; absent where it can.
      reason: ?string,
      # false for a device that has been here and is gone.
      connected: bool,
      # Raw values of no force and of full force.
      minimum: ?int,
      maximum: ?int,
      # Units per gram, where the device declares them.
      resolution: ?int,
      # Grams at 100 %.
      span_grams: ?float,
      grams_source: ?GramsSource,
      # The ranges of x and y; only where the configuration publishes positions.
      x_minimum: ?int,
      x_maximum: ?int,
      y_minimum: ?int,
      y_maximum: ?int,
      # Absent unless it measures force and is connected.
      accuracy: ?Accuracy,
      # What plays haptics: FF_HAPTIC, FF_RUMBLE, FF_PERIODIC, or none, also where the motor refuses now.
      haptics: string,
      # Why that one, or why none.
      haptics_reason: ?string,
      # The id of the device whose motor plays for this one.
      motor: ?string,
      # Where the kernel has it, such as /dev/input/event5.
      node: ?string,
      # Bus type, vendor and product, as the kernel numbers them.
      bus: int,
      vendor: int,
      product: int,
      counters: DeviceCounters
    )

    # Counts since the daemon started.
    type Counters (
      events: int,
      frames: int,
      drops: int,
      # Times that the daemon's loop woke up.
      wakeups: int,
      readings: int,
      # Readings that a newer one replaced before a slow subscriber took them.
      replaced: int,
      requests: int,
      # Requests that were answered with an error.
      errors: int,
      haptics_played: int,
      # Effects that never reached their motor, for whatever reason below, and stops that it did not take.
      haptics_failed: int,
      # Effects that a newer one or a stop replaced before they reached their motor.
      haptics_coalesced: int,
      # Uploads of effects that took a driver longer than a second.
      uploads_slow: int,
      # Uploads for which a device had no slot.
      uploads_full: int,
      # Uploads that a device refused.
      uploads_refused: int,
      # Motors that went in the middle of an effect.
      motors_gone: int,
      # Times that a device's node refused to open; some open a moment later.
      nodes_denied: int,
      # Messages of plugged devices that the kernel dropped, because too many came at once; every device was
      # looked at again then.
      hotplug_lost: int
    )

    # One measure that gives the daemon real-time behaviour.
    type Realtime (
      # scheduler, run_time_limit, memory_lock or timer_slack.
      name: string,
      state: (got, refused, off),
      # Why it was refused, or why it is not as configured.
      reason: ?string
    )

    # Which motor plays for a device.
    type Motor (
      # The id of the device that is pressed.
      device: string,
      # The id of the device whose motor plays; absent where none does.
      motor: ?string,
      # FF_HAPTIC, FF_RUMBLE, FF_PERIODIC, or none, also where the motor refuses now.
      haptics: string,
      # Why this one, or why none.
      reason: ?string
    )

    # How the daemon is.
    type Status (
      version: string,
      pid: int,
      # Seconds since the daemon started.
      uptime_s: float,
      # The configuration files in force, in the order in which they were read.
      config: []string,
      # The path of the socket.
      socket: string,
      # Calls of Watch under way.
      subscribers: int,
      connections: int,
      # Bytes that wait for clients to take them, and of messages that have not come whole.
      buffered_bytes: int,
      counters: Counters,
      realtime: []Realtime,
      motors: []Motor,
      # The smoothing in force; absent: the daemon is too old to say it.
      smoothing: ?Smoothing
    )

    # How often a latency was no longer than up_to_us and longer than the bucket before.
    type LatencyBucket (up_to_us: int, count: int)

    # Latencies since the daemon started, in microseconds. Each is the upper bound of a bucket, which is at
    # most an eighth too long; all but count and buckets are absent where nothing was counted.
    type Latency (
      count: int,
      # Half took no longer than this, 90 per cent, 99 per cent, 99.9 per cent.
      p50_us: ?int,
      p90_us: ?int,
      p99_us: ?int,
      p999_us: ?int,
      # The longest, exactly.
      max_us: ?int,
      # Those that are not empty, shortest first.
      buckets: []LatencyBucket
    )

    # What takes the noise out of a press.
    type Filter (none, exponential, one_euro)

    # The smoothing in force: a median where it is wanted, a filter, then the limits of rise and fall.
    type Smoothing (
      filter: Filter,
      # Time constant of the exponential filter in milliseconds; 0: none.
      time_constant_ms: float,
      # The 1€ filter: its cutoff at rest, how much that rises with the speed of the force in Hz for each
      # per cent per second, and the cutoff for the speed itself.
      minimum_cutoff_hz: float,
      beta: float,
      derivative_cutoff_hz: float,
      # Each value is the median of the last three.
      median_of_3: bool,
      # Fastest rise and fall in per cent per second.
      rise_rate: float,
      fall_rate: float,
      # How often smoothing goes on while the device is silent.
      interval_ms: float,
      # After how long without a change a reading says steady.
      steady_after_ms: float
    )

    # How a calibration goes through its points: one line of least squares, or straight from point to
    # point.
    type CalibrationMethod (line, piecewise)

    # A known weight and what the device said under it.
    type CalibrationPoint (
      raw: float,
      grams: float,
      # In results: what the calibration says there minus what lay there, in grams.
      residual: ?float
    )

    # A calibration in force.
    type Calibration (
      method: CalibrationMethod,
      # From light to heavy.
      points: []CalibrationPoint,
      # Root mean square of the residuals.
      residual_grams: float
    )

    # What a tare takes off a contact.
    type ContactTare (contact: int, grams: float)

    # What a subscription carries.
    type EventKind (reading, device_added, device_removed, heartbeat)

    # Streams events until the connection closes; has to be called with "more". The current state comes
    # first: device_added for each device that is there, then the latest reading of each contact.
    method Watch(
      # Only these devices, by id or name; one that is not there yet is waited for.
      devices: ?[]string,
      # Only these contacts.
      contacts: ?[]int,
      # Only these kinds of event. Heartbeats come with heartbeat_ms, named here or not.
      events: ?[]EventKind,
      # Most readings a second for each contact, above 0 to 10000. Changes of state and of at_maximum
      # are always sent.
      max_hz: ?float,
      # Only readings whose percent differs by at least so much from the last one sent, 0 to 100.
      # Changes of state and of at_maximum are always sent.
      on_change: ?float,
      # Sends a heartbeat after so many milliseconds in which nothing else was sent, 10 to 3600000.
      heartbeat_ms: ?int
    ) -> (
      event: EventKind,
      # With reading.
      reading: ?Reading,
      # With device_added and device_removed.
      device: ?Device,
      # With reading: how many readings of the device, of those asked for by devices and contacts, were
      # not sent since the one before; absent when none.
      dropped: ?int
    )

    # The latest reading of each contact, of all devices or of one, by id or name.
    method GetReading(device: ?string, contact: ?int) -> (readings: []Reading)

    # Every device, also those that have been here and are gone.
    method ListDevices() -> (devices: []Device)

    method GetStatus() -> (status: Status)

    # How long events took, from the kernel's time stamp.
    method GetLatency() -> (
      # Until the reading was sent to every subscriber.
      publish: Latency,
      # Until the motor was told to play.
      haptic: Latency
    )

    # Plays one effect now. Control: see PermissionDenied.
    method PlayHaptic(
      # The device for which to play, by id or name; absent: the only one that has a motor, of those that
      # measure force if any has.
      device: ?string,
      # The name of the effect: click, double-click, buzz, ramp, or one of the configuration; absent: the
      # one that is played at the maximum.
      effect: ?string,
      # Per cent of the motor's full strength, 0 to 100; absent: as configured for the effect.
      strength: ?float,
      # Milliseconds of one pulse, 1 to 32767; absent: as configured for the effect.
      length_ms: ?int
    ) -> (
      # The id of the device whose motor plays.
      motor: string
    )

    # Stops the motor of one device, by id or name, or all: whatever plays there, for whichever device.
    # Control: see PermissionDenied.
    method StopHaptics(device: ?string) -> ()

    # Reads the configuration again; with an error in it the old one stays in force.
    # Control: see PermissionDenied.
    method Reload() -> ()

    # Changes the smoothing until the daemon ends or reloads; what is absent stays. Returns what is in
    # force. Control: see PermissionDenied.
    method SetSmoothing(
      filter: ?Filter,
      # 0 to 10000.
      time_constant_ms: ?float,
      # 0.05 to 1000.
      minimum_cutoff_hz: ?float,
      # 0 to 100.
      beta: ?float,
      # 0.05 to 1000.
      derivative_cutoff_hz: ?float,
      median_of_3: ?bool,
      # 0.01 to 1000000.
      rise_rate: ?float,
      # 0.01 to 1000000.
      fall_rate: ?float,
      # 1 to 1000.
      interval_ms: ?float,
      # 10 to 3600000.
      steady_after_ms: ?float
    ) -> (smoothing: Smoothing)

    # Makes a calibration of known weights and keeps it, for this device wherever it is plugged in, or by
    # the place where it is plugged in if it has no serial number. Refused beside a device that neither
    # tells from it. Without points the calibration is taken away. Either ends a tare of the device, which
    # was in grams of the calibration before. Control: see PermissionDenied.
    method Calibrate(
      # By id or name; absent: the only device that measures force.
      device: ?string,
      # Which trigger or load cell; a surface is calibrated as a whole. Absent: 0.
      contact: ?int,
      # Absent: line.
      method: ?CalibrationMethod,
      # Up to 64; none, or at least two different weights, of which the heavier reads higher.
      points: []CalibrationPoint,
      # Only ask whether it would be done, before anybody weighs; nothing changes. Absent: no.
      trial: ?bool
    ) -> (
      # Absent where one was taken away.
      calibration: ?Calibration
    )

    # Takes what lies on a device now as nothing, until the daemon ends; less than that reads negative.
    # Control: see PermissionDenied.
    method Tare(
      # By id or name; absent: the only device that measures force.
      device: ?string,
      # Only this contact; absent: all that touch.
      contact: ?int
    ) -> (tares: []ContactTare)

    # Takes tares away: those of one contact, or all. Control: see PermissionDenied.
    method Untare(device: ?string, contact: ?int) -> (tares: []ContactTare)

    error NoSuchDevice (device: string)

    # needed: who may do it. Control is for root, the daemon's own user and the members of the group
    # that the configuration names.
    error PermissionDenied (needed: string)

    # A parameter of the right type, but outside what is allowed.
    error InvalidValue (parameter: string, found: string, allowed: string)

    # No motor can play for this device.
    error NoMotor (device: string, reason: string)

    # The motor refuses: this effect, or the last one that it was given. It is asked again all the same, so
    # that the next call may succeed.
    error HapticFailed (device: string, reason: string)

    # There is nothing to measure with, or nothing on it.
    error NotMeasurable (device: string, reason: string)

    # The points make no calibration, or it could not be saved: the one before stays in force.
    error CalibrationRefused (device: string, reason: string)

    # One line for each error: file, line, key, what was found and what is allowed.
    error ConfigurationRejected (problems: []string)

    # The message is no call: at which byte, and why. The connection is closed after it.
    error MalformedMessage (offset: int, reason: string)

    # In bytes. The connection is closed after it.
    error MessageTooLarge (limit: int)

    # user: the limit for one user was reached, not the one for all together. The connection is closed
    # after it.
    error TooManyConnections (limit: int, user: bool)

    # More calls are waiting on this connection than it may have. The connection is closed after it.
    error TooManyRequests (limit: int)
    """# + "\n"
}
