import ForceControl
import LinuxSystem

CurrentProcess.exit(runForcectl(Array(CommandLine.arguments.dropFirst())))
