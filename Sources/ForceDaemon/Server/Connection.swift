import ForceCore
import ForceProtocol
import LinuxSystem

/// One client: what came from it, what waits to go to it, and what it watches.
///
/// Messages go out whole and in order. While earlier bytes wait for room, calls wait in `calls` up to
/// their limit, and readings wait in the subscription, newest first. So what one client costs is
/// bounded, and a client that does not read costs the others nothing.
final class Connection: DescriptorHandler {
  let descriptor: FileDescriptor
  let peer: PeerCredentials
  fileprivate(set) var token: UInt64 = 0
  // Unchecked: on the hot path, confined to the loop, and never lent to what could come back here.
  /// What it watches, once it has called `Watch`.
  @exclusivity(unchecked) var subscription: Subscription?
  @exclusivity(unchecked) private var watch = WatchRequest()
  private(set) var lastSent = Instant(microseconds: 0)
  private(set) var isOpen = true

  private unowned let server: Server
  private var framer: MessageFramer
  @exclusivity(unchecked) private var output = ByteBuffer(capacity: 256)
  private var calls: [Request] = []
  private var closesWhenSent = false
  private var inputEnded = false
  /// A call is being carried out elsewhere: those behind it wait, because replies keep their order.
  private var awaitsReply = false

  init(_ descriptor: consuming FileDescriptor, peer: PeerCredentials, limit: Int, server: Server) {
    self.descriptor = descriptor
    self.peer = peer
    self.server = server
    framer = MessageFramer(limit: limit)
  }

  /// Begins to serve.
  func start() throws(SystemError) {
    token = try server.loop.add(descriptor.rawValue, handler: self)
  }

  /// What ends the messages of this connection.
  var delimiter: Delimiter { framer.delimiter ?? .nul }

  /// Earlier bytes wait for room: nothing else can be sent now.
  var isBlocked: Bool { !output.isEmpty }

  /// Bytes that wait here, in both directions, for the status.
  var bufferedBytes: Int { output.count + framer.pendingBytes }

  func descriptorReady(_ readiness: Readiness, at now: Instant) {
    if readiness.contains(.failed) || readiness.contains(.hungUp) { return server.close(self) }
    if readiness.contains(.writable) { flush(at: now) }
    if isOpen && readiness.contains(.readable) { receive(at: now) }
  }

  // MARK: In

  private func receive(at now: Instant) {
    switch descriptor.receive(into: server.receiveBuffer) {
    case .bytes(let count):
      framer.append(UnsafeRawBufferPointer(rebasing: server.receiveBuffer[..<count]))
      takeMessages(at: now)
    case .wouldBlock: break
    case .endOfFile: endOfInput()
    case .failed: server.close(self)
    }
  }

  /// The client will ask nothing more. It may still read: what it watches goes on until it hangs up.
  private func endOfInput() {
    inputEnded = true
    let isDone = subscription == nil && output.isEmpty && calls.isEmpty && !awaitsReply
    if isDone { return server.close(self) }
    updateInterest()
  }

  private func takeMessages(at now: Instant) {
    while isOpen && !closesWhenSent {
      let message: Result<Request, MalformedMessage>?
      do throws(MessageTooLarge) {
        message = try framer.next { bytes in
          do throws(MalformedMessage) { return .success(try Request.decode(bytes)) } catch {
            return .failure(error)
          }
        }
      } catch { return refuse(VarlinkError(error), at: now) }
      switch message {
      case nil: return
      case .failure(let error): return refuse(VarlinkError(error), at: now)
      case .success(let request): take(request, at: now)
      }
    }
  }

  private func take(_ request: Request, at now: Instant) {
    if output.isEmpty && subscription == nil && !awaitsReply {
      server.answer(request, from: self, at: now)
    } else if calls.count < server.settings.maxRequestsInFlight {
      calls.append(request)
    } else {
      refuse(.tooManyRequests(limit: server.settings.maxRequestsInFlight), at: now)
    }
  }

  /// The reply to the present call comes later.
  func postponeReply() { awaitsReply = true }

  /// Sends a reply that was postponed, and goes on with the calls behind it.
  func sendPostponed(_ reply: Reply?, at now: Instant) {
    awaitsReply = false
    if let reply { send(reply, at: now) }
    answerCalls(at: now)
  }

  /// Answers a message with an error after which the connection cannot go on.
  private func refuse(_ error: VarlinkError, at now: Instant) {
    server.noteRefused()
    fail(error, at: now)
  }

  /// Tells the client what was wrong and closes: after this nothing on the connection can be trusted.
  func fail(_ error: VarlinkError, at now: Instant) {
    calls = []
    subscription = nil
    server.publisher.remove(self)
    closesWhenSent = true
    send(Reply(error), at: now)
    guard isOpen else { return }
    guard !output.isEmpty else { return server.close(self) }
    updateInterest()
    server.closeSoon(self, at: now)
  }

  // MARK: Out

  /// Sends a reply, or keeps it until there is room.
  func send(_ reply: Reply, at now: Instant) {
    server.replyBuffer.removeAll()
    reply.encode(into: &server.replyBuffer)
    server.replyBuffer.append(delimiter)
    send(&server.replyBuffer, at: now)
  }

  /// Sends a whole message, or keeps what finds no room. Allocates only in the second case.
  func send(_ message: inout ByteBuffer, at now: Instant) {
    guard isOpen else { return }
    lastSent = now
    guard output.isEmpty else { return keep(&message, from: 0) }
    switch message.withUnsafeBytes({ descriptor.send($0) }) {
    case .bytes(message.count): break
    case .bytes(let count): keep(&message, from: count)
    case .wouldBlock: keep(&message, from: 0)
    case .endOfFile, .failed: server.close(self)
    }
  }

  private func keep(_ message: inout ByteBuffer, from start: Int) {
    let wasEmpty = output.isEmpty
    message.withUnsafeBytes { output.append(UnsafeRawBufferPointer(rebasing: $0[start...])) }
    if output.count > server.mostUnread {
      // Replies, and events that may not be replaced, pile up: a client this slow has lost its place.
      server.noteOverrun(by: peer)
      return server.close(self)
    }
    if wasEmpty { updateInterest() }
  }

  private func flush(at now: Instant) {
    while !output.isEmpty {
      switch output.withUnsafeBytes({ descriptor.send($0) }) {
      case .bytes(let count): output.removeFirst(count)
      case .wouldBlock: return
      case .endOfFile, .failed: return server.close(self)
      }
    }
    if closesWhenSent { return server.close(self) }
    updateInterest()
    server.publisher.sendWaiting(to: self, at: now)
    answerCalls(at: now)
  }

  private func answerCalls(at now: Instant) {
    while isOpen && output.isEmpty && subscription == nil && !awaitsReply && !calls.isEmpty {
      server.answer(calls.removeFirst(), from: self, at: now)
    }
    if isOpen && inputEnded { endOfInput() }
  }

  private func updateInterest() {
    var wanted: Readiness = inputEnded || closesWhenSent ? [] : .readable
    if !output.isEmpty { wanted.insert(.writable) }
    try? server.loop.change(descriptor.rawValue, to: wanted, token: token)
  }

  // MARK: Watching

  /// Becomes a watcher.
  func beginWatching(_ request: WatchRequest, _ table: DeviceTable) {
    watch = request
    var filter = WatchFilter()
    filter.contacts = request.contacts.map { Set($0) }
    // A rate can be so small that its interval fits no integer; a year is as good as for ever.
    if let rate = request.maximumHertz {
      filter.interval = Microseconds(Int64(min(1_000_000 / rate, 3.2e13)))
    }
    filter.onChange = request.onChange ?? 0
    subscription = Subscription(filter: filter)
    resolveFilter(table)
  }

  /// Finds the devices that the watcher named, by id or by name, among those that are known now.
  func resolveFilter(_ table: DeviceTable) {
    guard let names = watch.devices else { return }
    let meant = table.entries.filter { names.contains($0.id) || names.contains($0.identity.name) }
    subscription?.filter.devices = Set(meant.map(\.handle.index))
  }

  func wants(_ kind: WatchRequest.Kind) -> Bool { watch.events?.contains(kind) ?? true }

  func watches(_ device: DeviceHandle) -> Bool {
    subscription?.filter.devices?.contains(device.index) ?? true
  }

  /// When a heartbeat is due; nil where none was asked for or it could not be sent.
  var heartbeatDue: Instant? {
    guard let interval = watch.heartbeatMilliseconds, subscription != nil, !isBlocked else {
      return nil
    }
    return lastSent + .milliseconds(interval)
  }

  /// Marks it closed; the descriptor closes with the object.
  func markClosed() { isOpen = false }
}
