import ForceTestSupport
import Testing

/// Tests against a real kernel, one after the other: they share its device numbers and its udev.
@Suite(.enabled(if: VirtualDevice.isAvailable), .serialized)
struct DevicesOnKernel {}
