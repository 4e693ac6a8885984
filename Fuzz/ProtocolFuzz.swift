import ForceCore
import ForceProtocol

// What libFuzzer calls with each input: a stream of bytes as a client could send it. Goes through
// the framing and the decoding of calls, replies and parameters, and holds them to what they promise:
// no trap, the same messages however the bytes are split, and what is written reads back the same.

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
  let stream = UnsafeRawBufferPointer(start: data, count: size)
  for limit in [MessageFramer.defaultLimit, 64] {
    let whole = messages(of: stream, in: [size], limit: limit)
    let split = messages(of: stream, in: pieces(of: stream), limit: limit)
    // One read may bring a whole message that is too long, several never get that far.
    require(whole.messages == split.messages, "the split of the bytes changes the messages")
    require(whole.refused == split.refused, "the split of the bytes decides about the limit")
    for message in whole.messages { message.withUnsafeBytes(decode) }
  }
  return 0
}

private func require(_ condition: Bool, _ promise: String) {
  if !condition { fatalError("broken: \(promise)") }
}

/// Lengths of reads, from the input itself so that it can be repeated.
private func pieces(of stream: UnsafeRawBufferPointer) -> [Int] {
  var state: UInt32 = 2_166_136_261
  for byte in stream { state = (state ^ UInt32(byte)) &* 16_777_619 }
  var lengths: [Int] = []
  var rest = stream.count
  while rest > 0 {
    state = state &* 1_664_525 &+ 1_013_904_223
    let length = min(rest, 1 + Int(state >> 24) % (state & 1 == 0 ? 4 : 64))
    lengths.append(length)
    rest -= length
  }
  return lengths
}

private func messages(
  of stream: UnsafeRawBufferPointer, in lengths: [Int], limit: Int
) -> (messages: [[UInt8]], refused: Bool) {
  var framer = MessageFramer(limit: limit)
  var messages: [[UInt8]] = []
  var start = 0
  for length in lengths {
    framer.append(UnsafeRawBufferPointer(rebasing: stream[start..<(start + length)]))
    start += length
    do throws(MessageTooLarge) {
      while let message = try framer.next({ Array($0) }) {
        require(message.count <= limit, "no message is longer than the limit")
        messages.append(message)
      }
    } catch { return (messages, true) }
  }
  return (messages, false)
}

private func decode(_ message: UnsafeRawBufferPointer) {
  do throws(MalformedMessage) {
    let request = try Request.decode(message)
    checkRoundTrip(request)
    decodeParameters(request.parameters)
  } catch {
    require(error.offset >= 0 && error.offset <= message.count, "an error lies in its message")
  }
  if let reply = try? Reply.decode(message) {
    checkRoundTrip(reply)
    _ = try? reply.result()
    if let event = try? WatchEvent(parameters: reply.parameters) {
      require(
        (try? WatchEvent(parameters: event.parameters)) == event, "an event reads back the same")
    }
  }
}

private func checkRoundTrip(_ request: Request) {
  var buffer = ByteBuffer()
  request.encode(into: &buffer)
  let again = buffer.withUnsafeBytes { try? Request.decode($0) }
  require(again == request, "a call reads back the same")
  buffer.withUnsafeBytes { bytes in
    require(!bytes.contains { $0 == 0 || $0 == 10 }, "no delimiter stands within a message")
  }
}

private func checkRoundTrip(_ reply: Reply) {
  var buffer = ByteBuffer()
  reply.encode(into: &buffer)
  let again = buffer.withUnsafeBytes { try? Reply.decode($0) }
  require(again == reply, "a reply reads back the same")
}

/// The parameters as each method would take them.
private func decodeParameters(_ parameters: JSONObject) {
  if let watch = try? WatchRequest(parameters: parameters) {
    require(
      (try? WatchRequest(parameters: watch.parameters)) == watch, "a watch reads back the same")
  }
  if let smoothing = try? SmoothingRecord(parameters: parameters) {
    let settings = smoothing.applied(to: SmoothingSettings())
    require(settings.riseRate > 0 && settings.interval > .zero, "smoothing stays within bounds")
  }
  if let haptic = try? HapticRequest(parameters: parameters) {
    require((0...100).contains(haptic.strength ?? 0), "strength stays within bounds")
  }
  _ = try? ContactSelection(parameters: parameters)
  _ = try? StopHapticsRequest(parameters: parameters)
  _ = try? InterfaceDescriptionRequest(parameters: parameters)
  _ = try? ReadingRecord(parameters)
  _ = try? DeviceRecord(parameters)
  _ = try? StatusRecord(parameters)
  try? NoParameters.check(parameters)
}
