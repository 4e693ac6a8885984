// swift-tools-version: 6.0
import PackageDescription

// Modules point one way; scripts/check-imports holds them to it.
let package = Package(
  name: "forced",
  products: [
    .executable(name: "forced", targets: ["forced"]),
    .executable(name: "forcectl", targets: ["forcectl"]),
    .library(name: "ForceClient", targets: ["ForceClient"]),
  ],
  targets: [
    .target(name: "CLinux"),
    .systemLibrary(name: "CEvdev", pkgConfig: "libevdev", providers: [.apt(["libevdev-dev"])]),
    .systemLibrary(
      name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),

    // The standard library's own rounding calls libm, which only Glibc's module would link.
    .target(name: "ForceCore", linkerSettings: [.linkedLibrary("m")]),
    .target(
      name: "ForceProtocol", dependencies: ["ForceCore"],
      exclude: ["org.forced.Force.varlink", "org.varlink.service.varlink"]),
    .target(name: "ForceConfig", dependencies: ["ForceCore"]),
    .target(name: "LinuxSystem", dependencies: ["CLinux"]),
    .target(
      name: "ForceDevices",
      dependencies: ["ForceCore", "LinuxSystem", "CEvdev", "CLinux", "CSystemd"]),
    .target(
      name: "ForceDaemon",
      dependencies: [
        "ForceCore", "ForceProtocol", "ForceConfig", "LinuxSystem", "ForceDevices", "CSystemd",
      ]),
    .target(name: "ForceClient", dependencies: ["ForceCore", "ForceProtocol", "LinuxSystem"]),
    .target(
      name: "ForceControl",
      dependencies: ["ForceClient", "ForceCore", "ForceProtocol", "LinuxSystem"]),

    .executableTarget(name: "forced", dependencies: ["ForceDaemon"]),
    .executableTarget(name: "forcectl", dependencies: ["ForceControl"]),
    .executableTarget(
      name: "example-watch", dependencies: ["ForceClient"], path: "examples/swift"),

    .target(name: "CUinput", path: "Tests/CUinput"),
    .target(
      name: "ForceTestSupport",
      dependencies: ["CUinput", "ForceCore", "LinuxSystem"],
      path: "Tests/ForceTestSupport"),
    .testTarget(
      name: "ForceCoreTests", dependencies: ["ForceCore", "LinuxSystem", "ForceTestSupport"]),
    .testTarget(
      name: "ForceProtocolTests",
      dependencies: ["ForceCore", "ForceProtocol", "LinuxSystem", "ForceTestSupport"]),
    .testTarget(
      name: "ForceConfigTests",
      dependencies: ["ForceCore", "ForceConfig", "LinuxSystem", "ForceTestSupport"]),
    .testTarget(
      name: "LinuxSystemTests", dependencies: ["LinuxSystem", "CLinux", "ForceTestSupport"]),
    .testTarget(
      name: "ForceDevicesTests",
      dependencies: [
        "CLinux", "CUinput", "ForceCore", "ForceDevices", "ForceTestSupport", "LinuxSystem",
      ]),
    .target(name: "CAllocations", path: "Tests/CAllocations"),
    .target(name: "CSystemCalls", path: "Tests/CSystemCalls"),
    .testTarget(
      name: "ForceDaemonTests",
      dependencies: [
        "ForceDaemon", "ForceClient", "ForceTestSupport", "CAllocations", "CSystemCalls",
      ]),
    .testTarget(name: "ForceClientTests", dependencies: ["ForceClient", "ForceTestSupport"]),
    .testTarget(name: "ForceControlTests", dependencies: ["ForceControl", "ForceTestSupport"]),
  ],
  swiftLanguageModes: [.v6]
)
