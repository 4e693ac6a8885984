import ForceClient
import Testing

@testable import ForceControl

private let style = GaugeStyle(colour: false, width: 46)

private func event(_ kind: WatchEvent.Kind) -> WatchEvent { WatchEvent(kind) }

private func released(_ contact: Int32 = 0, device: String = "pad") -> WatchEvent {
  event(.reading(reading(device, contact: contact, percent: 0, grams: 0, state: .released)))
}

@Suite("A gauge's line")
struct GaugeLineTests {
  @Test("Percent, grams and a bar")
  func line() {
    #expect(gaugeLine(reading(), label: "", style: style) == " 42 %   163 g  [████████···········]")
    #expect(
      gaugeLine(reading(percent: 100, grams: 385, atMaximum: true), label: "", style: style)
        == "100%+   385 g  [███████████████████]")
    #expect(
      gaugeLine(
        reading(percent: 0, grams: 0, state: .released), label: "", style: style)
        == "  0 %     0 g  [···················]  released")
  }

  @Test("A line never exceeds the terminal, and loses its bar before its numbers")
  func widths() {
    for width in 13...120 {
      let narrow = GaugeStyle(colour: true, width: width)
      let line = gaugeLine(reading(), label: "", style: narrow)
      #expect(visibleWidth(line) <= width)
      #expect(line.hasPrefix(" 42 %   163 g"))
    }
    #expect(
      gaugeLine(reading(), label: "", style: GaugeStyle(colour: false, width: 20))
        == " 42 %   163 g")
  }

  @Test("In a narrow terminal a contact that has ended says so, in place of its zeros")
  func releasedInLittleRoom() {
    let over = reading(percent: 0, grams: 0, state: .released)
    for width in 8...60 {
      let line = gaugeLine(over, label: "", style: GaugeStyle(colour: false, width: width))
      #expect(line.count <= width)
      #expect(line.hasSuffix("released"), "\(width)")
    }
    let labelled = gaugeLine(over, label: "pad", style: GaugeStyle(colour: false, width: 20))
    #expect(labelled == "pad  released")
  }

  @Test("Any force shows, and only the whole force fills the bar")
  func bars() {
    #expect(gaugeBar(percent: 0, cells: 4) == "····")
    #expect(gaugeBar(percent: 0.01, cells: 4) == "█···")
    #expect(gaugeBar(percent: 99.99, cells: 4) == "███·")
    #expect(gaugeBar(percent: 100, cells: 4) == "████")
    #expect(gaugeBar(percent: 250, cells: 4) == "████")
  }

  @Test("Colour tells the limit and is left out on request")
  func colours() {
    let coloured = GaugeStyle(colour: true, width: 46)
    #expect(
      gaugeLine(reading(atMaximum: true), label: "", style: coloured).contains("\u{1b}[1;31m"))
    #expect(!gaugeLine(reading(atMaximum: true), label: "", style: style).contains("\u{1b}"))
  }
}

@Suite("The gauges together")
struct GaugeScreenTests {
  private func text(_ screen: GaugeScreen, rows: Int = 20) -> [String] {
    screen.text(style: style, rows: rows)
  }

  @Test("Before any press it says what it waits for")
  func waiting() {
    var screen = GaugeScreen()
    #expect(text(screen).joined(separator: " ").contains("no device here measures force"))
    screen.apply(event(.deviceAdded(device("mouse", name: "Mouse", measure: "none"))), at: time(0))
    #expect(text(screen).joined(separator: " ").contains("forced --simulate"))
    screen.apply(event(.deviceAdded(device())), at: time(0))
    #expect(text(screen) == ["waiting for a press on Test pad…"])
    screen.apply(event(.deviceAdded(device("second"))), at: time(0))
    #expect(text(screen) == ["waiting for a press on one of 2 devices…"])
    #expect(text(GaugeScreen(wanted: "pen")) == ["waiting for pen to be connected…"])
  }

  @Test("One device has no label, several have their names, or ids where names are the same")
  func labels() {
    var screen = GaugeScreen(devices: [device()])
    screen.apply(event(.reading(reading())), at: time(0))
    #expect(text(screen)[0].hasPrefix(" 42 %"))
    screen.apply(event(.deviceAdded(device("pen", name: "Pen"))), at: time(0))
    screen.apply(event(.reading(reading("pen"))), at: time(0))
    #expect(text(screen).map { String($0.prefix(10)) } == ["Test pad  ", "Pen       "])
    screen.apply(event(.deviceAdded(device("twin", name: "Pen"))), at: time(0))
    #expect(text(screen).map { String($0.prefix(10)) } == ["Test pad  ", "pen       "])
  }

  @Test("Several contacts of a device are numbered and in order")
  func contacts() {
    var screen = GaugeScreen(devices: [device()])
    screen.apply(event(.reading(reading(contact: 1))), at: time(0))
    screen.apply(event(.reading(reading(contact: 0))), at: time(0))
    #expect(text(screen).map { String($0.prefix(11)) } == ["contact 0  ", "contact 1  "])
  }

  @Test("A contact that ended goes after a while, the last one of its device stays")
  func expiry() {
    var screen = GaugeScreen(devices: [device()])
    screen.apply(event(.reading(reading(contact: 0))), at: time(0))
    screen.apply(event(.reading(reading(contact: 1))), at: time(0))
    #expect(screen.nextExpiry == nil)
    screen.apply(released(1), at: time(100))
    #expect(screen.nextExpiry == time(1_600))
    screen.expire(at: time(1_599))
    #expect(text(screen).count == 2)
    #expect(text(screen)[1].hasSuffix("released"))
    screen.expire(at: time(1_600))
    #expect(text(screen).count == 1)
    screen.apply(released(0), at: time(2_000))
    #expect(screen.nextExpiry == nil)
    screen.expire(at: time(90_000))
    #expect(text(screen)[0].hasSuffix("released"))
  }

  @Test("Contacts that all ended leave one line")
  func allEnded() {
    var screen = GaugeScreen(devices: [device()])
    for contact in 0..<5 {
      screen.apply(event(.reading(reading(contact: Int32(contact)))), at: time(0))
    }
    for contact in 0..<5 { screen.apply(released(Int32(contact)), at: time(10)) }
    screen.expire(at: time(5_000))
    #expect(text(screen).count == 1)
  }

  @Test("A device that leaves takes its lines along")
  func leaving() {
    var screen = GaugeScreen(devices: [device()])
    screen.apply(event(.reading(reading())), at: time(0))
    screen.apply(event(.deviceRemoved(device())), at: time(1))
    #expect(text(screen)[0].hasPrefix("no device here"))
  }

  @Test("A contact that had ended before is not shown")
  func endedBefore() {
    var screen = GaugeScreen(devices: [device()])
    screen.apply(released(), at: time(0))
    #expect(text(screen) == ["waiting for a press on Test pad…"])
  }

  @Test("A lost daemon takes everything away until it is back")
  func lostDaemon() {
    var screen = GaugeScreen(devices: [device()])
    screen.apply(.connected)
    screen.apply(event(.reading(reading())), at: time(0))
    screen.apply(.disconnected(.connectionLost("x")))
    #expect(text(screen) == ["the daemon has gone; waiting for it to come", "back…"])
    screen.apply(.connected)
    #expect(text(screen) == ["waiting for a press…"])
    screen.apply(event(.deviceAdded(device())), at: time(0))
    #expect(text(screen) == ["waiting for a press on Test pad…"])
  }

  @Test("More contacts than rows are summed up")
  func manyContacts() {
    var screen = GaugeScreen(devices: [device()])
    for contact in 0..<30 {
      screen.apply(event(.reading(reading(contact: Int32(contact)))), at: time(0))
    }
    #expect(text(screen, rows: 5).count == 5)
    #expect(text(screen, rows: 5).last == "and 26 more")
    #expect(text(screen, rows: 0).count <= 2)
  }
}

@Suite("Drawing in place")
struct TerminalFrameTests {
  @Test("The first drawing hides the cursor, later ones go up to where it began")
  func drawing() {
    var frame = TerminalFrame()
    let first = frame.draw(["a", "b"], columns: 80)
    #expect(first == TerminalFrame.begin + "\u{1b}[0Ka\r\n\u{1b}[0Jb")
    #expect(frame.draw(["a", "b"], columns: 80) == "")
    #expect(frame.draw(["c"], columns: 80) == "\r\u{1b}[1A\u{1b}[0Jc")
    #expect(frame.draw(["d"], columns: 80) == "\r\u{1b}[0Jd")
  }

  @Test("A terminal that became narrower has broken the old lines into more rows")
  func resizing() {
    var frame = TerminalFrame()
    let long = String(repeating: "x", count: 60)
    _ = frame.draw([long, long], columns: 80)
    #expect(frame.draw(["a"], columns: 30).hasPrefix("\r\u{1b}[3A"))
    #expect(frame.draw(["b"], columns: 80).hasPrefix("\r\u{1b}[0Jb"))
  }

  @Test("The end gives the cursor back, once")
  func finishing() {
    var frame = TerminalFrame()
    #expect(frame.finish() == "")
    _ = frame.draw(["a"], columns: 80)
    #expect(frame.finish() == "\r\n\u{1b}[?7h\u{1b}[?25h")
    #expect(frame.finish() == "")
  }

  @Test("Escape sequences take no columns")
  func widths() {
    #expect(visibleWidth("\u{1b}[1;31mab\u{1b}[0m c") == 4)
  }
}
