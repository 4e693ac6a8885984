import ForceClient
import LinuxSystem

extension Command {
  static let tare = Command(
    name: "tare",
    summary: "take what lies on a device now as nothing",
    details: """
      Grams are then counted from there, until `forcectl untare` or the daemon's end; less than that
      reads negative. Per cent stay as they are. Steering the daemon takes the permission that
      forced.conf(5) describes under ControlGroup.
      """,
    options: options
  ) { (invocation) async throws(CommandFailure) in
    try await call(ForceInterface.Method.tare, invocation)
  }

  static let untare = Command(
    name: "untare",
    summary: "take a tare away",
    options: options
  ) { (invocation) async throws(CommandFailure) in
    try await call(ForceInterface.Method.untare, invocation)
  }

  private static let options: [CommandLineSyntax.Option] = [
    .init("device", value: .required("ID"), summary: "this device, by its id or name"),
    .init("contact", value: .required("N"), summary: "only this contact"),
    json,
  ]

  private static func call(
    _ method: String, _ invocation: Invocation
  ) async throws(CommandFailure) {
    try invocation.refuseOperands()
    var request = ContactSelection()
    for option in invocation.line.options {
      switch option.name {
      case "device": request.device = option.value
      case "contact":
        guard let contact = option.value.flatMap({ Int32($0) }) else {
          throw .usage("--contact takes a whole number")
        }
        request.contact = contact
      default: break
      }
    }
    let parameters = request.parameters
    let reply = try await asking { () async throws(ForceClientError) in
      try await invocation.client.call(method, parameters)
    }
    let output = invocation.environment.output
    if invocation.wantsJSON {
      try output.line(reply.description)
    } else {
      try output.write(tareText(reply))
    }
  }
}

/// What `tare` and `untare` print: what is taken off each contact.
func tareText(_ reply: JSONObject) -> String {
  let rows = (reply["tares"]?.arrayValue ?? []).compactMap { row -> String? in
    guard let contact = row.objectValue?["contact"]?.integerValue,
      let grams = row.objectValue?["grams"]?.doubleValue
    else { return nil }
    return "contact \(contact): \(fixed(grams, places: 1)) g are taken off\n"
  }
  return rows.isEmpty ? "no tare\n" : rows.joined()
}
