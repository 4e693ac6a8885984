import LinuxSystem
import Testing

@Suite("Text from outside")
struct PrintableTextTests {
  @Test("Escape sequences in a device's name do not reach the terminal")
  func escapes() {
    #expect(printable("a\u{1b}[2Jb\u{202e}c\n") == "a?[2Jb?c?")
    #expect(printable("Zeichenbrett Größe 5 ✏") == "Zeichenbrett Größe 5 ✏")
  }
}
