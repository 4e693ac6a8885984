import ForceClient

/// What the shell gets.
enum ExitStatus: Int32 {
  case done = 0
  case failed = 1
  case wrongUsage = 2
  case unreachable = 3
}

/// Why a command ended before its work was done.
enum CommandFailure: Error, Equatable {
  /// The command line asks for something that there is not; with a hint, where there is one.
  case usage(String, hint: String? = nil)
  case daemon(ForceClientError)
  /// A sentence for people.
  case failed(String)
  /// Nobody reads what is written, as with `| head`: no reason to complain.
  case outputClosed

  var status: ExitStatus {
    switch self {
    case .usage: .wrongUsage
    case .daemon(.unreachable), .daemon(.connectionLost), .daemon(.noAnswer): .unreachable
    case .daemon, .failed: .failed
    case .outputClosed: .done
    }
  }

  /// What to write on standard error; nil: nothing.
  var message: String? {
    switch self {
    case .usage(let text, let hint): hint.map { "\(text); \($0)" } ?? text
    case .daemon(.cancelled), .outputClosed: nil
    case .daemon(let error): error.description
    case .failed(let text): text
    }
  }
}
