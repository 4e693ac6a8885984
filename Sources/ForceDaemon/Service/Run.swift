import Dispatch
import ForceConfig
import ForceCore
import ForceDevices
import LinuxSystem

/// The daemon's whole life, from its command line on; returns its exit status when it has ended.
///
/// - Parameter arguments: without the program's name.
public func runForced(_ arguments: [String]) -> Int32 {
  CurrentProcess.reserveStandardStreams()
  let log = Log()
  do throws(UsageError) {
    let options = try Options(arguments)
    return run(options, log: log)
  } catch {
    _ = StandardStream.error.write(
      "forced: \(printable(error.message))\nTry 'forced --help' for the options.\n")
    return 2
  }
}

/// The exit status of a daemon that cannot serve with this configuration, `EX_CONFIG` of sysexits.h: a
/// service manager can tell it from trouble that another try may mend.
private let badConfiguration: Int32 = 78

private func run(_ options: Options, log: Log) -> Int32 {
  try? Signal.pipe.ignore()
  switch options.action {
  case .help: return say(Options.usage, log: log)
  case .version: return say("forced \(forcedVersion)\n", log: log)
  case .check, .dump, .serve: break
  }
  let sources = ConfigurationSources(explicit: options.configuration)
  let loaded: LoadedConfiguration
  do throws(ConfigurationProblems) { loaded = try sources.load() } catch {
    for line in error.lines { log.lastWords(line) }
    return options.action == .serve ? badConfiguration : 1
  }
  switch options.action {
  case .check: return reportCheck(loaded, log: log)
  case .dump: return dump(options, loaded, log: log)
  default: return serve(options, sources, loaded, log: log)
  }
}

/// Writes to standard output; the exit status that this deserves.
private func say(_ text: String, log: Log) -> Int32 {
  guard case .failed(let error) = StandardStream.output.write(text) else { return 0 }
  log.lastWords("\(error)")
  return 1
}

private func reportCheck(_ loaded: LoadedConfiguration, log: Log) -> Int32 {
  let files =
    loaded.paths.isEmpty ? "no file; the defaults hold" : loaded.paths.joined(separator: " ")
  let group = loaded.configuration.server.socketGroup
  // The default's group is not on every machine, and the daemon does without it.
  if let group, group != ServerSettings().socketGroup,
    (try? Accounts.group(nameOrNumber: group)) == .some(nil)
  {
    log.warning("there is no group \(group) on this machine, which SocketGroup names")
  }
  if let problem = loaded.access.problem { log.warning(problem) }
  return say("configuration is good: \(files)\n", log: log)
}

private func loadRecordings(_ options: Options) throws(RecordingError) -> [EvemuRecording] {
  var recordings: [EvemuRecording] = []
  for path in options.replays { recordings.append(try EvemuRecording.load(path)) }
  return recordings
}

private func openFeeds(_ options: Options) throws -> [EventFeed] {
  try options.feeds.map { feed in
    try EventFeed(
      feed.path, feed.description.map { try EvemuRecording.load($0).description } ?? EventFeed.pad)
  }
}

private func dump(_ options: Options, _ loaded: LoadedConfiguration, log: Log) -> Int32 {
  do throws(RecordingError) {
    let recordings = try loadRecordings(options)
    for recording in recordings {
      if recording.events.isEmpty {
        log.notice("\(recording.description.identity.name): the recording has no whole frame")
      }
      guard let reason = Capability.classify(recording.description).reason else { continue }
      log.notice("\(recording.description.identity.name): \(reason)")
    }
    let dump = Dump(
      settings: loaded.configuration.engine, profiles: loaded.profiles,
      publishesPositions: loaded.configuration.server.publishPositions)
    var failure: SystemError?
    dump.run(recordings) { bytes in
      switch StandardStream.output.write(bytes) {
      case .written: return true
      case .closed: return false
      case .failed(let error):
        failure = error
        return false
      }
    }
    guard let failure else { return 0 }
    log.lastWords("\(failure)")
  } catch { log.lastWords("\(error)") }
  return 1
}

private func serve(
  _ options: Options, _ sources: ConfigurationSources, _ loaded: LoadedConfiguration, log: Log
) -> Int32 {
  do {
    do throws(SystemError) { try CurrentProcess.raiseDescriptorLimit() } catch {
      log.notice("fewer clients and devices than there could be: \(error)")
    }
    try CurrentProcess.checkForDispatch()
    // Before the first other thread, which inherits the mask.
    let signals = try SignalDescriptor([.terminate, .interrupt, .hangUp])
    var inputs: [any ScheduledInput] = options.simulations.map { SimulatedPad(pattern: $0) }
    inputs += try loadRecordings(options).map { ReplayInput($0) }
    let feeds = try openFeeds(options)
    let listener =
      try SocketActivation.take(log: log)
      ?? SocketPlace.listen(
        at: SocketPlace.path(options.socket), loaded.configuration.server, log: log)
    let realtime = RealTime.take(loaded.configuration.realtime, log: log)
    let daemon = try Daemon(
      options, sources, loaded, listener: listener, realtime: realtime,
      calibrations: CalibrationStore.defaultFolder.map { CalibrationStore(folder: $0) }, log: log)
    try daemon.obey(signals)
    try daemon.start(inputs, feeds: feeds)
    daemon.waitUntilEnded()
    return 0
  } catch {
    log.lastWords("\(error)")
    return 1
  }
}
