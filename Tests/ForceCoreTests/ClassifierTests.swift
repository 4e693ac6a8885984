import ForceCore
import ForceTestSupport
import Testing

@Suite("What a touched device can measure")
struct ClassifierTests {
  @Test("A pen with pressure measures force as one contact")
  func pen() {
    let capability = Capability.classify(.pen())
    #expect(capability.kind == .pen)
    #expect(capability.measure == .force)
    #expect(capability.layout == .single)
    #expect(capability.reason == nil)
    #expect(capability.axis?.maximum == 2_047)
  }

  @Test("A pen that announces a stylus button and no tool is a pen")
  func penWithoutTool() {
    let device = DeviceDescription.named("PenTablet").keys(KeyCode.touch, KeyCode.stylus)
      .axis(AbsoluteCode.pressure, 0...1_023)
    #expect(Capability.classify(device).kind == .pen)
  }

  @Test("A pad with slots measures force in each slot")
  func pad() {
    let capability = Capability.classify(.pad(slots: 5))
    #expect(capability.kind == .touchpad)
    #expect(capability.layout == .slots(5))
  }

  @Test("A pad that measures in grams, or says that it is one, is a pressure pad")
  func pressurePad() {
    #expect(Capability.classify(.pad(resolution: 4)).kind == .pressurepad)
    let announced = DeviceDescription.pad().properties(InputProperty.pressurePad)
    #expect(Capability.classify(announced).kind == .pressurepad)
  }

  @Test("A resistive touchscreen needs neither tools nor properties")
  func touchscreen() {
    let device = DeviceDescription.named("Touchscreen").keys(KeyCode.touch)
      .axis(AbsoluteCode.x, 0...4_095).axis(AbsoluteCode.pressure, 0...10_000)
    let capability = Capability.classify(device)
    #expect(capability.kind == .touchscreen)
    #expect(capability.layout == .single)
  }

  @Test("A touchscreen of slots alone, without BTN_TOUCH and with a distance, measures force")
  func slotsAlone() {
    let device = DeviceDescription.named("cyttsp5_mt")
      .axis(AbsoluteCode.distance, 0...255).axis(AbsoluteCode.slot, 0...31)
      .axis(AbsoluteCode.positionX, 0...1_403).axis(AbsoluteCode.trackingID, 0...65_535)
      .axis(AbsoluteCode.touchPressure, 0...255)
    let capability = Capability.classify(device)
    #expect(capability.kind == .touchscreen)
    #expect(capability.layout == .slots(32))
  }

  @Test("Slots without pressure of their own leave one contact from ABS_PRESSURE")
  func slotsWithSinglePressure() {
    var device = DeviceDescription.pad()
    device.axes[AbsoluteCode.touchPressure] = nil
    #expect(Capability.classify(device).layout == .single)
  }

  @Test("A per-contact pressure of no width falls back to ABS_PRESSURE, and the other way round")
  func uselessTwin() {
    let empty = AbsoluteAxis(minimum: 0, maximum: 0)
    let single = DeviceDescription.pad().axis(AbsoluteCode.touchPressure, empty)
    #expect(Capability.classify(single).layout == .single)
    let slots = DeviceDescription.pad().axis(AbsoluteCode.pressure, empty)
    #expect(Capability.classify(slots).layout == .slots(5))
  }

  @Test("Per-contact pressure without slots is protocol A")
  func protocolA() {
    let device = DeviceDescription.named("mtk-tpd").keys(KeyCode.touch)
      .properties(InputProperty.direct)
      .axis(AbsoluteCode.positionX, 0...540).axis(AbsoluteCode.touchPressure, 0...255)
    #expect(Capability.classify(device).layout == .protocolA)
  }

  @Test("Protocol A that has pressure in ABS_PRESSURE alone is one contact")
  func protocolAWithSinglePressure() {
    let device = DeviceDescription.named("bcm5974").keys(KeyCode.touch, KeyCode.toolFinger)
      .axis(AbsoluteCode.positionX, -4_620...5_140).axis(AbsoluteCode.touchMajor, 0...2_048)
      .axis(AbsoluteCode.pressure, 0...256)
    let capability = Capability.classify(device)
    #expect(capability.kind == .touchpad)
    #expect(capability.layout == .single)
  }

  @Test("A pressure that is only pressed or not pressed tells contact")
  func binaryPressure() {
    let device = DeviceDescription.named("Protocol A").keys(KeyCode.touch)
      .axis(AbsoluteCode.positionX, 0...100).axis(AbsoluteCode.touchPressure, 0...1)
    let capability = Capability.classify(device)
    #expect(capability.measure == .contact)
    #expect(
      capability.reason
        == "cannot measure force, because its pressure axis has only two values: pressed and not pressed"
    )
  }

  @Test(
    "A pressure axis of no width is named with its range",
    arguments: [(0, 0), (5, 5), (10, 3)] as [(Int32, Int32)])
  func zeroWidth(minimum: Int32, maximum: Int32) {
    let axis = AbsoluteAxis(minimum: minimum, maximum: maximum)
    let capability = Capability.classify(.pen().axis(AbsoluteCode.pressure, axis))
    #expect(capability.measure == .contact)
    #expect(
      capability.reason?.hasSuffix("no width (minimum \(minimum), maximum \(maximum))") == true)
    #expect(capability.layout == nil)
    #expect(capability.neededCodes.isEmpty)
  }

  @Test("A pad without a pressure axis tells contact")
  func noPressure() {
    let device = DeviceDescription.named("Touchpad").properties(InputProperty.pointer)
      .keys(KeyCode.touch, KeyCode.toolFinger).axis(AbsoluteCode.slot, 0...4)
      .axis(AbsoluteCode.positionX, 0...1_000).axis(AbsoluteCode.trackingID, 0...65_535)
    let capability = Capability.classify(device)
    #expect(capability.kind == .touchpad)
    #expect(capability.measure == .contact)
    #expect(capability.reason?.contains("it has no pressure axis") == true)
  }

  @Test("Pressure in slots that carry no tracking IDs cannot be told apart")
  func noTrackingIDs() {
    var device = DeviceDescription.pad()
    device.axes[AbsoluteCode.trackingID] = nil
    device.axes[AbsoluteCode.pressure] = nil
    let capability = Capability.classify(device)
    #expect(capability.measure == .contact)
    #expect(capability.reason?.contains("no tracking IDs") == true)
  }

  @Test("A lone pressure axis measures force, whatever the device is")
  func pressureAlone() {
    let device = DeviceDescription.named("Force Sensor").axis(AbsoluteCode.pressure, 0...4_095)
    let capability = Capability.classify(device)
    #expect(capability.kind == .other)
    #expect(capability.layout == .single)
  }

  @Test("The widest range there is doesn't overflow")
  func extremes() {
    let capability = Capability.classify(
      .pen().axis(AbsoluteCode.pressure, Int32.min...Int32.max))
    #expect(capability.measure == .force)
    #expect(capability.axis?.width == 4_294_967_295)
    let crowded = DeviceDescription.pad().axis(AbsoluteCode.slot, 0...Int32.max)
    #expect(Capability.classify(crowded).layout == .slots(1_024))
    let negative = DeviceDescription.pad().axis(AbsoluteCode.slot, Int32.min...(-1))
    #expect(Capability.classify(negative).layout == .slots(1))
  }
}

@Suite("What only looks as if it measured force")
struct PretenderTests {
  @Test("A keyboard that announces ABS_RESERVED has no pressure")
  func reserved() {
    var device = DeviceDescription.named("Keyboard").keys(1, 2, 3)
      .axis(AbsoluteCode.reserved, 0...255)
    for code in AbsoluteCode.perContact { device = device.axis(code, 0...255) }
    let capability = Capability.classify(device)
    #expect(capability.measure == .none)
    #expect(capability.reason?.contains("announces every axis") == true)
  }

  @Test("Every per-contact axis at once is as unbelievable without ABS_RESERVED")
  func everyAxis() {
    var device = DeviceDescription.named("Headset").keys(1, 2, 3)
    for code in AbsoluteCode.perContact { device = device.axis(code, 0...255) }
    #expect(Capability.classify(device).measure == .none)
  }

  @Test("A motion sensor has Z and RZ, but no triggers")
  func motionSensor() {
    let device = DeviceDescription.gamepad().properties(InputProperty.accelerometer)
    let capability = Capability.classify(device)
    #expect(capability.measure == .none)
    #expect(capability.reason?.contains("motion sensor") == true)
  }

  @Test("A node with force feedback alone is a motor")
  func motor() {
    let device = DeviceDescription.named("gpio-vibrator").forceFeedback(ForceFeedbackCode.rumble)
    let capability = Capability.classify(device)
    #expect(capability.kind == .motor)
    #expect(capability.measure == .none)
    #expect(capability.reason?.hasPrefix("cannot measure force, because") == true)
  }

  @Test("A node with nothing on it measures nothing")
  func empty() {
    let capability = Capability.classify(.named("Nothing"))
    #expect(capability.kind == .other)
    #expect(capability.measure == .none)
  }

  @Test("A mouse and a keyboard measure nothing")
  func keyboard() {
    #expect(Capability.classify(.named("Keyboard").keys(30, 31)).measure == .none)
    #expect(Capability.classify(.named("Mouse").keys(0x110, 0x111)).kind == .other)
  }

  @Test("The button panel of a tablet announces a stylus, and touches nothing")
  func buttonPanel() {
    let device = DeviceDescription.named("Tablet Pad").keys(0x100, 0x101, KeyCode.stylus)
      .axis(AbsoluteCode.x, 0...1).axis(AbsoluteCode.y, 0...1)
    #expect(Capability.classify(device).measure == .none)
  }
}

@Suite("Which codes have to arrive")
struct NeededCodesTests {
  @Test("A pen needs pressure, distance, touch and its tools, and no position")
  func pen() {
    let codes = Capability.classify(.pen().axis(AbsoluteCode.distance, 0...63)).neededCodes
    #expect(codes[EventType.absolute] == [AbsoluteCode.pressure, AbsoluteCode.distance])
    #expect(codes[EventType.key] == [KeyCode.toolPen, KeyCode.toolRubber, KeyCode.touch])
  }

  @Test("A pad with slots needs slots, tracking IDs and pressure, and no key")
  func slots() {
    let codes = Capability.classify(.pad()).neededCodes
    #expect(
      codes == [
        EventType.absolute: [
          AbsoluteCode.slot, AbsoluteCode.trackingID, AbsoluteCode.touchPressure,
        ]
      ])
  }

  @Test("A pad whose slots carry no pressure needs to know which of them hold a tracking ID")
  func slotsWithoutPressure() {
    var pad = DeviceDescription.pad()
    pad.axes[AbsoluteCode.touchPressure] = nil
    let codes = Capability.classify(pad).neededCodes
    #expect(
      codes == [
        EventType.absolute: [AbsoluteCode.pressure, AbsoluteCode.slot, AbsoluteCode.trackingID],
        EventType.key: [KeyCode.touch],
      ])
  }

  @Test("A pen's serial number is asked for where the tablet has it, and only there")
  func serialNumber() {
    var pen = DeviceDescription.pen()
    #expect(Capability.classify(pen).neededCodes[EventType.miscellaneous] == nil)
    pen.miscellaneous = [MiscellaneousCode.serial, 0x05]
    #expect(
      Capability.classify(pen).neededCodes[EventType.miscellaneous] == [MiscellaneousCode.serial])
    var pad = DeviceDescription.pad()
    pad.miscellaneous = [MiscellaneousCode.serial]
    #expect(Capability.classify(pad).neededCodes[EventType.miscellaneous] == nil)
  }

  @Test("A gamepad needs its triggers and nothing else")
  func gamepad() {
    let codes = Capability.classify(.gamepad()).neededCodes
    #expect(codes == [EventType.absolute: [AbsoluteCode.z, AbsoluteCode.rz]])
  }

  @Test("Where distance tells contact it has to arrive")
  func distance() {
    let device = DeviceDescription.named("Pen").keys(KeyCode.toolPen)
      .axis(AbsoluteCode.pressure, 0...100).axis(AbsoluteCode.distance, 0...63)
    let codes = Capability.classify(device).neededCodes
    #expect(codes[EventType.absolute] == [AbsoluteCode.pressure, AbsoluteCode.distance])
  }

  @Test(
    "The codes of a type are in rising order",
    arguments: [
      DeviceDescription.pen(), .pad(), .gamepad(), .balanceBoard(),
    ])
  func rising(device: DeviceDescription) {
    for codes in Capability.classify(device).neededCodes.values { #expect(codes == codes.sorted()) }
  }
}
