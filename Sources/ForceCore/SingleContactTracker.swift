/// A device with one contact: a pen, a resistive touchscreen, a pad without multitouch.
///
/// Pressure is no evidence of contact where the device has a better one, because pens keep the last
/// pressure while they hover and touchscreens report 0 in the middle of a contact:
///
/// | the device has | contact |
/// |---|---|
/// | `BTN_TOUCH` | while it is down, until the last `BTN_TOOL_*` of a pen goes away |
/// | a finger's `BTN_TOOL_*` alone | while it is down |
/// | a pen's `BTN_TOOL_*` alone | while it is down, with pressure and no distance |
/// | nothing of these | while there is pressure and no distance |
///
/// `ABS_DISTANCE` doesn't count beside `BTN_TOUCH`: tablets go on reporting a distance above 0 while
/// the tip is pressed down.
final class SingleContactTracker: ContactTracker {
  private enum Evidence { case touch, fingerTool, penTool, pressure }

  private let evidence: Evidence
  private let minimum: Int32
  private let minimumDistance: Int32
  private var pressure: Int32
  private var distance: Int32
  private var touch = false
  /// A bit for each tool that is down, counted from `BTN_TOOL_PEN`.
  private var tools: UInt32 = 0
  /// Which pen it is, on tablets that tell.
  private var toolID: Int32 = 0
  private var offsets: PenOffsets?
  private let farDistance: Int64
  /// What this frame brought.
  private var framePressure: Int32?
  private var frameTime = Instant(microseconds: 0)
  /// The last pen tool has gone since touch or a tool last came.
  private var toolLeft = false

  init(_ device: DeviceDescription) {
    if device.keys.contains(KeyCode.touch) {
      evidence = .touch
    } else if device.hasPenTool {
      evidence = KeyCode.penTools.contains { device.keys.contains($0) } ? .penTool : .pressure
    } else if KeyCode.fingerTools.contains(where: { device.keys.contains($0) }) {
      evidence = .fingerTool
    } else {
      evidence = .pressure
    }
    minimum = device.axes[AbsoluteCode.pressure]?.minimum ?? 0
    minimumDistance = device.axes[AbsoluteCode.distance]?.minimum ?? 0
    pressure = minimum
    distance = minimumDistance
    let distances = device.axes[AbsoluteCode.distance]
    farDistance = distances.map { Int64($0.minimum) + $0.width / 2 } ?? .max
    let hasPenTools = KeyCode.penTools.contains { device.keys.contains($0) }
    offsets = hasPenTools ? device.axes[AbsoluteCode.pressure].map { PenOffsets($0) } : nil
    super.init(contacts: [TrackedContact(number: 0, raw: minimum)], usedCount: 1)
  }

  static func neededCodes(_ device: DeviceDescription) -> [UInt16: [UInt16]] {
    let hasTouch = device.keys.contains(KeyCode.touch)
    // A finger's tools come and go with the number of fingers: beside BTN_TOUCH they tell nothing.
    let tools = hasTouch ? KeyCode.penTools : KeyCode.penTools + KeyCode.fingerTools
    var codes = [EventType.absolute: [AbsoluteCode.pressure]]
    let hasPenTools = KeyCode.penTools.contains { device.keys.contains($0) }
    // Beside BTN_TOUCH a pen's distance tells its offset from a touch.
    if (!hasTouch || hasPenTools) && device.axes[AbsoluteCode.distance] != nil {
      codes[EventType.absolute]?.append(AbsoluteCode.distance)
    }
    if hasPenTools && device.axes[AbsoluteCode.miscellaneous] != nil {
      codes[EventType.absolute]?.append(AbsoluteCode.miscellaneous)
    }
    let keys = ([KeyCode.touch] + tools).filter { device.keys.contains($0) }
    if !keys.isEmpty { codes[EventType.key] = keys.sorted() }
    return codes
  }

  override func ingest(_ event: InputEvent) {
    frameTime = event.time
    switch (event.type, event.code) {
    case (EventType.absolute, AbsoluteCode.pressure):
      pressure = event.value
      framePressure = event.value
    case (EventType.absolute, AbsoluteCode.miscellaneous): toolID = event.value
    case (EventType.absolute, AbsoluteCode.distance): distance = event.value
    case (EventType.key, KeyCode.touch):
      touch = event.value != 0
      if touch { toolLeft = false }
    case (EventType.key, KeyCode.toolPen...KeyCode.toolQuadTap): setTool(event)
    default: break
    }
  }

  private func setTool(_ event: InputEvent) {
    guard evidence == .touch ? Self.isPenTool(event.code) : Self.isTool(event.code) else { return }
    let bit: UInt32 = 1 << UInt32(event.code - KeyCode.toolPen)
    if event.value != 0 {
      tools |= bit
      toolLeft = false
    } else {
      tools &= ~bit
      toolLeft = true
    }
  }

  private static func isPenTool(_ code: UInt16) -> Bool {
    code != KeyCode.toolFinger && code <= KeyCode.toolLens
  }

  /// `BTN_STYLUS`, `BTN_STYLUS2`, `BTN_STYLUS3` and `BTN_TOUCH` lie between the tools.
  private static func isTool(_ code: UInt16) -> Bool {
    code <= KeyCode.toolQuintTap || code >= KeyCode.toolDoubleTap
  }

  override func endFrame() {
    // Turning a pen around takes one tool away and brings another within one frame.
    if tools != 0 { toolLeft = false }
    let isPressed = pressure > minimum && distance <= minimumDistance
    let isDown =
      switch evidence {
      case .touch: touch && !toolLeft
      case .fingerTool: tools != 0
      case .penTool: tools != 0 && isPressed
      case .pressure: isPressed
      }
    set(0, isDown: isDown, raw: pressure)
    if offsets != nil { noteOffset() }
  }

  private func noteOffset() {
    let near = tools & Self.penToolBits
    offsets?.endFrame(
      PenOffsets.Frame(
        tool: UInt64(near) << 32 | UInt64(UInt32(bitPattern: toolID)), isNear: near != 0,
        isTouching: evidence == .touch ? touch : contacts[0].isDown,
        isFar: Int64(distance) > farDistance, pressure: framePressure, time: frameTime))
    framePressure = nil
    contacts[0].offset = offsets?.current
  }

  /// A bit for each of `KeyCode.penTools`.
  private static let penToolBits = KeyCode.penTools.reduce(UInt32(0)) {
    $0 | 1 << UInt32($1 - KeyCode.toolPen)
  }

  override func restore(_ device: DeviceDescription) {
    pressure = device.axes[AbsoluteCode.pressure]?.value ?? pressure
    distance = device.axes[AbsoluteCode.distance]?.value ?? distance
    toolID = device.axes[AbsoluteCode.miscellaneous]?.value ?? toolID
    // A value that has been read is no news: it may be left from the last press.
    framePressure = nil
    touch = device.pressedKeys.contains(KeyCode.touch)
    tools = 0
    toolLeft = false
    for code in device.pressedKeys where (KeyCode.toolPen...KeyCode.toolQuadTap).contains(code) {
      setTool(InputEvent(time: Instant(microseconds: 0), type: EventType.key, code: code, value: 1))
    }
    endFrame()
  }
}
