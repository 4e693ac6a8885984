/// What a worn pen reports without being pressed, for each tool that has been near.
///
/// A pen at rest says what presses on its worn tip: nothing, or an offset. But not every pressure
/// while it hovers is one. What is left of the last press is stale, and a tip that comes down reports
/// pressure a few milliseconds before the driver calls it a touch.
///
/// | when | what counts |
/// |---|---|
/// | the frame in which the tool comes near brings a pressure, and no touch | that pressure |
/// | … and a touch, with the tool still far (distance above half its range) | that pressure: the driver took the offset for a touch |
/// | it hovers before its first touch, for 50 ms or more | the lowest pressure that was sent |
/// | it is near and sends less than its offset | the lower value |
///
/// Above half the range it is no offset but a broken pen, below a hundredth it is not worth having:
/// neither changes anything.
///
/// Whoever makes one owns it and has to `deallocate()` it.
struct PenOffsets {
  /// From first pressure to touch, at least; a tip that comes down takes less than 30 ms.
  private static let shortestHover = Microseconds.milliseconds(50)
  /// Tools of which the offset is remembered. A tablet with more forgets the one that was away longest.
  static let mostTools = 16

  private struct Known {
    var tool = PenTool()
    var offset: Int32 = 0
    /// When it was last near, counted in arrivals; 0 where nothing is known.
    var used: UInt64 = 0
  }

  private enum Phase { case away, hovering, touched }

  private let minimum: Int32
  private let range: AbsoluteAxis
  private var phase = Phase.away
  private var tool = PenTool()
  private let known: Places<Known>
  private var arrivals: UInt64 = 0
  private var hoverSince: Instant?
  private var hoverLowest = Int32.max
  /// The raw value of no force for the tool that is near.
  private(set) var current: Int32

  init(_ axis: AbsoluteAxis) {
    range = axis
    minimum = axis.minimum
    current = axis.minimum
    known = Places(Array(repeating: Known(), count: Self.mostTools))
  }

  /// The highest raw value that can be an offset: half the range.
  static func most(_ axis: AbsoluteAxis) -> Int64 {
    Int64(axis.minimum) + max(axis.width, 0) / 2
  }

  func deallocate() { known.deallocate() }

  /// What a frame said.
  struct Frame {
    var tool: PenTool
    var isNear: Bool
    var isTouching: Bool
    var isFar: Bool
    /// nil where the frame brought no pressure.
    var pressure: Int32?
    var time: Instant
  }

  mutating func endFrame(_ frame: Frame) {
    guard frame.isNear else {
      if phase != .away { leave() }
      return
    }
    if phase == .away || tool != frame.tool {
      arrive(frame)
    } else if phase == .hovering {
      hover(frame)
    }
    if let pressure = frame.pressure, pressure < current {
      current = max(pressure, minimum)
      remember()
    }
  }

  private mutating func leave() {
    phase = .away
    hoverSince = nil
    hoverLowest = .max
  }

  private mutating func arrive(_ frame: Frame) {
    leave()
    tool = frame.tool
    arrivals += 1
    let place = place(of: tool)
    if let place { known[place].used = arrivals }
    current = place.map { known[$0].offset } ?? minimum
    phase = frame.isTouching ? .touched : .hovering
    guard let pressure = frame.pressure else { return }
    if !frame.isTouching || frame.isFar { accept(pressure) }
  }

  private mutating func hover(_ frame: Frame) {
    if let pressure = frame.pressure, !frame.isTouching {
      hoverSince = hoverSince ?? frame.time
      hoverLowest = min(hoverLowest, pressure)
    }
    guard frame.isTouching else { return }
    phase = .touched
    if let hoverSince, frame.time - hoverSince >= Self.shortestHover { accept(hoverLowest) }
  }

  private mutating func accept(_ pressure: Int32) {
    let above = Int64(pressure) - Int64(minimum)
    guard above * 100 >= range.width, Int64(pressure) <= Self.most(range) else { return }
    guard place(of: tool) == nil || pressure < current else { return }
    current = pressure
    remember()
  }

  private func place(of tool: PenTool) -> Int? {
    known.indices.first { known[$0].used > 0 && known[$0].tool == tool }
  }

  private func remember() {
    var place = place(of: tool) ?? 0
    if known[place].used == 0 || known[place].tool != tool {
      for other in known.indices where known[other].used < known[place].used { place = other }
    }
    known[place] = Known(tool: tool, offset: current, used: arrivals)
  }
}

/// Which tool of a tablet it is, as far as the tablet tells.
struct PenTool: Equatable {
  /// A bit for each `BTN_TOOL_*` that is near, counted from `BTN_TOOL_PEN`.
  var types: UInt32 = 0
  /// `ABS_MISC`, the same for all tools of one model; 0 where it isn't told.
  var model: Int32 = 0
  /// `MSC_SERIAL`, another one for each tool; 0 where it isn't told.
  var serial: Int32 = 0
}
