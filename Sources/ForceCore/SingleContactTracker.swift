/// A device with one contact: a pen, a resistive touchscreen, a pad without multitouch.
///
/// Pressure is no evidence of contact where the device has a better one, because pens keep the last
/// pressure while they hover and touchscreens report 0 in the middle of a contact:
///
/// | the device has | contact |
/// |---|---|
/// | `BTN_TOUCH` | while it is down, until the last `BTN_TOOL_*` of a pen goes away |
/// | `BTN_TOUCH` and slots | while it is down and a slot holds a tracking ID |
/// | … that is announced and never sent | while a slot holds a tracking ID |
/// | a pen's `BTN_TOUCH` that is never sent | as without it, once no offset explains its pressure |
/// | slots alone | while one holds a tracking ID |
/// | a finger's `BTN_TOOL_*` alone | while it is down |
/// | a pen's `BTN_TOOL_*` alone | while it is down, with pressure and no distance |
/// | nothing of these | while there is pressure and no distance |
///
/// Whether a pad sends `BTN_TOUCH` shows when it first does: a finger that is near but too light for
/// it counts until then, and no longer. `ABS_DISTANCE` doesn't count beside `BTN_TOUCH`: tablets go on
/// reporting a distance above 0 while the tip is pressed down.
final class SingleContactTracker: ContactTracker {
  private enum Evidence { case touch, slots, fingerTool, penTool, pressure }

  private let evidence: Evidence
  private let minimum: Int32
  private let minimumDistance: Int32
  @exclusivity(unchecked) private var pressure: Int32
  private var distance: Int32
  @exclusivity(unchecked) private var touch = false
  /// The device sends `BTN_TOUCH`, and doesn't only announce it.
  @exclusivity(unchecked) private var sendsTouch = false
  /// A pen that only announces `BTN_TOUCH` was pressed: since it came near its pressure was below an
  /// eighth of the range and then above half of it, and no offset rises like that.
  @exclusivity(unchecked) private var pressesUntouched = false
  @exclusivity(unchecked) private var wasLight = false
  private let lightest: Int64
  private let mostOffset: Int64
  @exclusivity(unchecked) private var slots: LiveSlots?
  /// A bit for each tool that is down, counted from `BTN_TOOL_PEN`.
  @exclusivity(unchecked) private var tools: UInt32 = 0
  /// Which pen it is, on tablets that tell.
  private var toolModel: Int32 = 0
  private var toolSerial: Int32 = 0
  @exclusivity(unchecked) private var offsets: PenOffsets?
  private let farDistance: Int64
  /// What this frame brought.
  @exclusivity(unchecked) private var framePressure: Int32?
  @exclusivity(unchecked) private var frameTime = Instant(microseconds: 0)
  /// The last pen tool has gone since touch or a tool last came.
  @exclusivity(unchecked) private var toolLeft = false

  init(_ device: DeviceDescription) {
    slots = device.hasPenTool ? nil : LiveSlots(device)
    if device.keys.contains(KeyCode.touch) {
      evidence = .touch
    } else if device.hasPenTool {
      evidence = device.hasToolOfPen ? .penTool : .pressure
    } else if slots != nil {
      evidence = .slots
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
    let width = device.axes[AbsoluteCode.pressure]?.width ?? 0
    lightest = Int64(minimum) + width / 8
    mostOffset = device.axes[AbsoluteCode.pressure].map(PenOffsets.most) ?? .max
    offsets =
      device.hasToolOfPen ? device.axes[AbsoluteCode.pressure].map { PenOffsets($0) } : nil
    super.init(contacts: [TrackedContact(number: 0, raw: minimum)], usedCount: 1)
  }

  deinit {
    slots?.deallocate()
    offsets?.deallocate()
  }

  static func neededCodes(_ device: DeviceDescription) -> [UInt16: [UInt16]] {
    let hasTouch = device.keys.contains(KeyCode.touch)
    let hasSlots =
      !device.hasPenTool && device.axes[AbsoluteCode.slot] != nil
      && device.axes[AbsoluteCode.trackingID] != nil
    var axes = [AbsoluteCode.pressure]
    if hasSlots { axes += [AbsoluteCode.slot, AbsoluteCode.trackingID] }
    // Beside BTN_TOUCH a pen's distance tells its offset from a touch.
    if !(hasTouch || hasSlots) || device.hasToolOfPen { axes.append(AbsoluteCode.distance) }
    if device.hasToolOfPen { axes.append(AbsoluteCode.miscellaneous) }
    var codes = [EventType.absolute: axes.filter { device.axes[$0] != nil }.sorted()]
    // Tablets send it in each frame, so it wakes us for each, but nothing else tells two pens of one
    // model apart.
    if device.hasToolOfPen && device.miscellaneous.contains(MiscellaneousCode.serial) {
      codes[EventType.miscellaneous] = [MiscellaneousCode.serial]
    }
    // A finger's tools come and go with the number of fingers: beside BTN_TOUCH they tell nothing.
    let tools =
      hasTouch || hasSlots ? KeyCode.penTools : KeyCode.penTools + KeyCode.fingerTools
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
    case (EventType.absolute, AbsoluteCode.slot): slots?.select(event.value)
    case (EventType.absolute, AbsoluteCode.trackingID): slots?.hold(event.value)
    case (EventType.absolute, AbsoluteCode.miscellaneous): toolModel = event.value
    // -1 is the tablet itself: its buttons and rings have no tool.
    case (EventType.miscellaneous, MiscellaneousCode.serial):
      if event.value != -1 { toolSerial = event.value }
    case (EventType.absolute, AbsoluteCode.distance): distance = event.value
    case (EventType.key, KeyCode.touch):
      setTouch(event.value != 0)
      believeTouch()
    case (EventType.key, KeyCode.toolPen...KeyCode.toolQuadTap): setTool(event)
    default: break
    }
  }

  private func setTouch(_ isDown: Bool) {
    touch = isDown
    if isDown { toolLeft = false }
  }

  private func believeTouch() {
    sendsTouch = true
    pressesUntouched = false
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
    if !sendsTouch && evidence == .touch { watchForPress() }
    let isDown =
      switch evidence {
      case .touch where pressesUntouched: tools != 0 && isPressed
      case .touch: isTouched
      case .slots: isHeld
      case .fingerTool: tools != 0
      case .penTool: tools != 0 && isPressed
      case .pressure: isPressed
      }
    set(0, isDown: isDown, raw: pressure)
    if offsets != nil { noteOffset() }
  }

  private func watchForPress() {
    guard tools & Self.penToolBits != 0 else {
      wasLight = false
      return
    }
    if Int64(pressure) < lightest { wasLight = true }
    if wasLight && Int64(pressure) > mostOffset { pressesUntouched = true }
  }

  private var isTouched: Bool {
    guard let slots else { return touch && !toolLeft }
    return sendsTouch ? touch && (slots.count > 0 || !slots.wereUsed) : slots.count > 0
  }

  private var isHeld: Bool { slots.map { $0.count > 0 } ?? false }

  private func noteOffset() {
    let near = tools & Self.penToolBits
    offsets?.endFrame(
      PenOffsets.Frame(
        tool: PenTool(types: near, model: toolModel, serial: toolSerial), isNear: near != 0,
        isTouching: evidence == .touch && !pressesUntouched ? touch : contacts[0].isDown,
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
    toolModel = device.axes[AbsoluteCode.miscellaneous]?.value ?? toolModel
    // A value that has been read is no news: it may be left from the last press.
    framePressure = nil
    slots?.restore(device)
    setTouch(device.pressedKeys.contains(KeyCode.touch))
    if touch { believeTouch() }
    tools = 0
    toolLeft = false
    for code in device.pressedKeys where (KeyCode.toolPen...KeyCode.toolQuadTap).contains(code) {
      setTool(InputEvent(time: Instant(microseconds: 0), type: EventType.key, code: code, value: 1))
    }
    endFrame()
  }
}

extension DeviceDescription {
  /// Whether it tells that the tool of a pen is near.
  fileprivate var hasToolOfPen: Bool { KeyCode.penTools.contains { keys.contains($0) } }
}
