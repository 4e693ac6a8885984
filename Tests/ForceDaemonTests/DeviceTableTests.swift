import ForceCore
import ForceProtocol
import ForceTestSupport
import Testing

@testable import ForceDaemon

@Suite struct DeviceTableTests {
  private func identity(
    _ name: String, uniq: String = "", phys: String = ""
  ) -> DeviceDescription {
    var description = DeviceDescription.pad()
    description.identity.name = name
    description.identity.uniq = uniq
    description.identity.phys = phys
    return description
  }

  private func arrive(_ table: inout DeviceTable, _ description: DeviceDescription) -> DeviceEntry {
    table.arrive(description, Capability.classify(description))
  }

  @Test func aDeviceThatComesBackIsTheSameAgain() {
    var table = DeviceTable()
    let first = arrive(&table, identity("Pad", uniq: "1234"))
    table.leave(first.handle)
    #expect(table.connected.isEmpty)
    let second = arrive(&table, identity("Pad", uniq: "1234"))
    #expect(second === first)
    #expect(second.connected)
  }

  @Test func twoWithTheSameNameAreToldApart() {
    var table = DeviceTable()
    let left = arrive(&table, identity("Pad", phys: "usb-1/input0"))
    let right = arrive(&table, identity("Pad", phys: "usb-2/input0"))
    #expect(left.id != right.id)
    // The id belongs to the place, not to the order of arrival.
    var other = DeviceTable()
    #expect(arrive(&other, identity("Pad", phys: "usb-2/input0")).id == right.id)
    #expect(arrive(&other, identity("Pad", phys: "usb-1/input0")).id == left.id)
  }

  @Test func twoThatNothingTellsApartAreNumbered() {
    var table = DeviceTable()
    #expect(arrive(&table, identity("Pad")).id == "pad")
    #expect(arrive(&table, identity("Pad")).id == "pad-2")
  }

  @Test(arguments: [
    ("WALTOP     Batteryless Tablet  ", "waltop-batteryless-tablet"), ("Käse 3", "k-se-3"),
    ("", "device"), ("★", "device"),
  ])
  func idsAreMadeOfLettersDigitsAndHyphens(name: String, id: String) {
    var table = DeviceTable()
    #expect(arrive(&table, identity(name)).id == id)
  }

  @Test func aDeviceIsFoundByIdAndByName() throws {
    var table = DeviceTable()
    let entry = arrive(&table, identity("Some Pad"))
    #expect(try table.find("some-pad") === entry)
    #expect(try table.find("Some Pad") === entry)
    #expect(refusal(table, "some") == .noSuchDevice("some"))
  }

  private func refusal(_ table: DeviceTable, _ name: String) -> VarlinkError? {
    do throws(VarlinkError) {
      _ = try table.find(name)
      return nil
    } catch { return error }
  }

  @Test func aNameThatSeveralDevicesHaveNamesNone() {
    var table = DeviceTable()
    let left = arrive(&table, identity("Pad", phys: "usb-1/input0"))
    let right = arrive(&table, identity("Pad", phys: "usb-2/input0"))
    let error = refusal(table, "Pad")
    #expect(
      error?.description == "device is the name of several devices, \"Pad\"; "
        + "allowed: \(left.id), \(right.id)")
    #expect(refusal(table, right.id) == nil)
    // The only one that is plugged in is the one that is meant.
    table.leave(left.handle)
    #expect(refusal(table, "Pad") == nil)
    table.leave(right.handle)
    #expect(refusal(table, "Pad") != nil)
  }
}
