import ForceConfig
import ForceCore
import ForceProtocol
import LinuxSystem

/// The socket: takes connections, keeps to the limits and hands calls to the methods.
final class Server: DescriptorHandler, TimedWork {
  /// How long no connection is taken after the system had no descriptor left: 100 ms.
  static let pause = Microseconds.milliseconds(100)

  /// How long a client that is turned away may take to read why: 2 s.
  static let farewell = Microseconds.seconds(2)

  /// Bytes that the kernel may hold for one client, before it doubles them: about a hundred readings.
  static let sendBuffer = 65_536

  let loop: Loop
  var settings: ServerSettings
  let publisher: Publisher
  var methods: (any Methods)?
  /// Where every receive goes first, and every reply is written.
  let receiveBuffer: UnsafeMutableRawBufferPointer
  var replyBuffer = ByteBuffer(capacity: 4_096)
  private(set) var requests: UInt64 = 0
  private(set) var errors: UInt64 = 0

  private let listener: UnixListener
  private var token: UInt64?
  /// When connections are taken again after a pause.
  @exclusivity(unchecked) private var resumption: Instant?
  /// Clients that have been turned away and have not read why; the first to be closed comes first.
  @exclusivity(unchecked) private var leaving: [(connection: Connection, until: Instant)] = []
  private var connections: [ObjectIdentifier: Connection] = [:]
  private var connectionsOfUser: [UInt32: Int] = [:]
  private let log: Log
  /// The system had no descriptor for a new client; said once.
  private var isFull = false

  init(
    listener: UnixListener, settings: ServerSettings, loop: Loop, publisher: Publisher, log: Log
  ) {
    self.listener = listener
    self.settings = settings
    self.loop = loop
    self.publisher = publisher
    self.log = log
    receiveBuffer = .allocate(byteCount: 16_384, alignment: 16)
  }

  deinit { receiveBuffer.deallocate() }

  var path: String { listener.path }

  var deadline: Instant? { earlier(leaving.first?.until, resumption) }

  var connectionCount: Int { connections.count }
  /// Bytes that wait for clients or came from them and are not yet understood.
  var bufferedBytes: Int { connections.values.reduce(0) { $0 + $1.bufferedBytes } }

  func start() throws(SystemError) {
    token = try loop.add(listener.descriptor.rawValue, handler: self)
  }

  /// Closes every connection and takes the socket file away.
  func stop() {
    if let token { loop.remove(listener.descriptor.rawValue, token: token) }
    token = nil
    for connection in connections.values { close(connection) }
    listener.removeFile()
  }

  // MARK: Connections

  func descriptorReady(_ readiness: Readiness, at now: Instant) {
    do throws(SystemError) {
      // One batch a turn: a flood of connections must not keep the loop from its input.
      for _ in 0..<16 {
        guard let descriptor = try listener.accept() else { return }
        if isFull { log.notice("takes new clients again") }
        isFull = false
        welcome(descriptor, at: now)
      }
    } catch {
      if !isFull { log.warning("no new client until others have gone: \(error)") }
      isFull = true
      if let token { loop.remove(listener.descriptor.rawValue, token: token) }
      token = nil
      resumption = now + Self.pause
    }
  }

  /// Takes connections again after a pause, and closes those whose time is over.
  func run(at now: Instant) {
    while let first = leaving.first, first.until <= now { close(first.connection) }
    guard let due = resumption, due <= now else { return }
    resumption = nil
    do throws(SystemError) { try start() } catch { resumption = now + Self.pause }
  }

  /// Bytes that may wait for one client: 256 KiB, or more where its own messages may be longer.
  var mostUnread: Int { max(settings.maxMessageSize, 65_536) * 4 }

  /// A client is disconnected because more waited for it.
  func noteOverrun(by peer: PeerCredentials) {
    log.warning(
      "process \(peer.process) left more than \(mostUnread) bytes unread and was disconnected")
  }

  /// Closes a connection when its client has read the last message, or has had the time to.
  func closeSoon(_ connection: Connection, at now: Instant) {
    leaving.append((connection, now + Self.farewell))
  }

  private func welcome(_ descriptor: consuming FileDescriptor, at now: Instant) {
    guard let peer = try? descriptor.peerCredentials() else { return }
    // A reading that waits in the kernel is old when it is read: better to keep the newest here.
    try? descriptor.setSendBuffer(Self.sendBuffer)
    let connection = Connection(
      descriptor, peer: peer, limit: settings.maxMessageSize, server: self)
    guard (try? connection.start()) != nil else { return }
    connections[ObjectIdentifier(connection)] = connection
    connectionsOfUser[peer.user, default: 0] += 1
    if connections.count > settings.maxConnections {
      connection.fail(
        .tooManyConnections(limit: settings.maxConnections, user: false), at: now)
    } else if connectionsOfUser[peer.user, default: 0] > settings.maxConnectionsPerUser {
      connection.fail(
        .tooManyConnections(limit: settings.maxConnectionsPerUser, user: true), at: now)
    }
  }

  func close(_ connection: Connection) {
    guard connections.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
    loop.remove(connection.descriptor.rawValue, token: connection.token)
    let left = connectionsOfUser[connection.peer.user, default: 1] - 1
    connectionsOfUser[connection.peer.user] = left > 0 ? left : nil
    connection.markClosed()
    leaving.removeAll { $0.connection === connection }
    publisher.remove(connection)
  }

  // MARK: Calls

  func answer(_ request: Request, from connection: Connection, at now: Instant) {
    requests &+= 1
    do throws(VarlinkError) {
      guard let methods else { return }
      let outcome = try methods.call(request, from: connection, at: now)
      if case .reply(let parameters) = outcome, !request.oneway {
        connection.send(Reply(parameters: parameters), at: now)
      }
    } catch {
      noteError()
      if !request.oneway { connection.send(Reply(error), at: now) }
    }
  }

  /// Replies to a call whose reply was postponed.
  func finish(
    _ request: Request, _ result: Result<JSONObject, VarlinkError>, to connection: Connection,
    at now: Instant
  ) {
    let reply: Reply
    switch result {
    case .success(let parameters): reply = Reply(parameters: parameters)
    case .failure(let error):
      noteError()
      reply = Reply(error)
    }
    connection.sendPostponed(request.oneway ? nil : reply, at: now)
  }

  private func noteError() { errors &+= 1 }

  /// A message that could not be taken as a call counts as one that was answered with an error.
  func noteRefused() {
    requests &+= 1
    errors &+= 1
  }
}

/// What a call leads to.
enum CallOutcome {
  case reply(JSONObject)
  /// The method has answered, or goes on answering, by itself.
  case answered
}

/// The methods that clients can call.
protocol Methods: AnyObject {
  func call(
    _ request: Request, from connection: Connection, at now: Instant
  ) throws(VarlinkError) -> CallOutcome
}
