/// One call and its replies, as its line sees it. Belongs to the line's queue.
final class Exchange: @unchecked Sendable {
  private var waiter: ((MessageLine.Outcome) -> Void)?
  /// Replies that came before anybody asked; one at most, as the line reads for those who wait.
  private var waiting: [Reply] = []
  private var end: ForceClientError?
  private(set) var isOver = false

  /// The line should read on: somebody waits, or what comes is to be thrown away.
  var wantsReply: Bool { waiter != nil || (end != nil && !isOver) }

  func wait(_ waiter: @escaping (MessageLine.Outcome) -> Void) {
    if !waiting.isEmpty {
      waiter(.success(waiting.removeFirst()))
    } else if let end {
      waiter(.failure(end))
    } else if isOver {
      waiter(.failure(.connectionLost("no more replies to this call")))
    } else {
      self.waiter = waiter
    }
  }

  func deliver(_ reply: Reply, isLast: Bool) {
    if isLast { isOver = true }
    guard end == nil else { return }
    if let waiter {
      self.waiter = nil
      waiter(.success(reply))
    } else {
      waiting.append(reply)
    }
  }

  /// Nothing more will come.
  func finish(_ error: ForceClientError) {
    isOver = true
    abandon(error)
  }

  /// Nobody wants what may still come.
  func abandon(_ error: ForceClientError) {
    guard end == nil else { return }
    end = error
    guard let waiter else { return }
    self.waiter = nil
    waiter(.failure(error))
  }
}
