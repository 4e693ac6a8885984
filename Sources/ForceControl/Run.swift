import ForceClient
import LinuxSystem

/// Runs forcectl and returns its exit status. Call it on the main thread, before any other is
/// started.
///
/// - Parameter arguments: the command line without the program's name.
public func runForcectl(_ arguments: [String]) -> Int32 {
  CurrentProcess.reserveStandardStreams()
  let environment = Environment.process()
  do throws(SystemError) {
    return try Interruptions.shared.guarding {
      await run(arguments, in: environment)
    }.rawValue
  } catch {
    StandardStream.error.write("forcectl: \(error)\n")
    return ExitStatus.failed.rawValue
  }
}

/// Runs a command line; what goes wrong is told on standard error.
func run(_ arguments: [String], in environment: Environment) async -> ExitStatus {
  do throws(CommandFailure) {
    switch try errand(for: arguments, in: environment) {
    case .help(let text): try environment.output.write(text)
    case .version: try environment.output.line("forcectl \(forcedVersion)")
    case .run(let command, let invocation): try await command.run(invocation)
    }
    return .done
  } catch {
    if let message = error.message { try? environment.errors.line("forcectl: \(message)") }
    return error.status
  }
}
