// Requests, records and times are part of this library's interface: whoever imports it has them.
@_exported import ForceCore
@_exported import ForceProtocol
