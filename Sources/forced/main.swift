import ForceDaemon
import LinuxSystem

CurrentProcess.exit(runForced(Array(CommandLine.arguments.dropFirst())))
