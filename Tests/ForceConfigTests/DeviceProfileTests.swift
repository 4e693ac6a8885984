import ForceCore
import ForceTestSupport
import LinuxSystem
import Testing

@testable import ForceConfig

@Suite struct DeviceProfileTests {
  private func parse(_ text: String) throws -> DeviceProfile {
    try DeviceProfile.parse(ConfigurationFile(path: "devices.d/pad.conf", text: text))
  }

  private let pad = DeviceIdentity(bus: 3, vendor: 0x093a, product: 0x4f02, name: "Some Pad 2")

  @Test func everyKeyIsTakenOver() throws {
    let profile = try parse(
      """
      [Match]
      Bus=usb
      Vendor=093a
      Product=0x4F02
      Name=Some*2
      [Scale]
      Minimum=10
      Maximum=150
      UnitsPerGram=0.5
      Range=observed
      [Contact]
      PressAt=6%
      ReleaseAt=4%
      PressGrams=40g
      ReleaseGrams=20g
      [Pen]
      DetectOffset=no
      """)
    #expect(profile.matches(pad))
    #expect(profile.tuning.minimum == 10 && profile.tuning.maximum == 150)
    #expect(profile.tuning.gramsPerUnit == 2)
    #expect(profile.tuning.observesRange == true)
    #expect(profile.tuning.contact?.pressAt == 6 && profile.tuning.contact?.releaseAt == 4)
    #expect(profile.tuning.contact?.pressGrams == 40)
    #expect(profile.tuning.contact?.releaseGrams == 20)
    #expect(profile.tuning.detectsPenOffset == false)
    #expect(profile.tuning.profile == "devices.d/pad.conf")
  }

  @Test(arguments: [
    ("Some Pad 2", true), ("Some*", true), ("*2", true), ("*Pad*", true), ("*", true),
    ("S*P*2", true), ("Some", false), ("Pad*", false), ("*3", false), ("Some Pad 2?", false),
    ("Some Pad 2*2", false),
  ])
  func aNameMatchesWithStars(pattern: String, matches: Bool) throws {
    #expect(try parse("[Match]\nName=\(pattern)").matches(pad) == matches)
  }

  @Test func everyPartOfTheMatchHasToMatch() throws {
    #expect(try parse("[Match]\nVendor=093a").matches(pad))
    #expect(!(try parse("[Match]\nVendor=093a\nProduct=0001").matches(pad)))
    #expect(!(try parse("[Match]\nBus=bluetooth\nVendor=093a").matches(pad)))
  }

  @Test func theFirstThatMatchesCounts() throws {
    let profiles = [
      try parse("[Match]\nVendor=0001"), try parse("[Match]\nVendor=093a\n[Scale]\nMaximum=5"),
      try parse("[Match]\nName=*"),
    ]
    #expect(DeviceProfile.find(for: pad, among: profiles) == profiles[1])
  }

  @Test(arguments: [
    ("", "nothing says which devices"), ("[Match]\nVendor=xyz", "no number"),
    ("[Match]\nVendor=1\n[Scale]\nMaximum=5\nMinimum=5", "not below"),
    ("[Match]\nVendor=1\n[Contact]\nReleaseAt=5%", "above the press"),
    ("[Match]\nVendor=1\n[Contact]\nPressAtt=5%", "did you mean PressAt?"),
    ("[Match]\nVendor=1\n[Scal]\nMaximum=5", "no section"), ("Vendor=1", "no such key"),
    ("[Match]\nVendor=1\n[Scale]\nUnitsPerGram=0", "out of range"),
  ])
  func whatIsWrongIsSaid(text: String, message: String) throws {
    let errors = thrown(ConfigurationErrors.self) { try parse(text) }
    #expect(errors?.description.contains(message) == true)
    #expect(errors?.description.contains("devices.d/pad.conf:") == true)
  }

  @Test func theShippedProfilesAreGood() throws {
    let root = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()
    let folder = "\(root)/conf/devices.d"
    let names = try FileSystem.list(folder)
    #expect(!names.isEmpty)
    for name in names {
      let file = ConfigurationFile(path: name, bytes: try FileSystem.read("\(folder)/\(name)"))
      _ = try DeviceProfile.parse(file)
    }
  }
}
