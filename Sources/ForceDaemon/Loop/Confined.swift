/// A value that only the loop's queue may touch, on its way through a `Sendable` closure back to
/// that queue.
///
/// Everything that the loop owns lives on one serial queue and needs no lock; the compiler cannot
/// see that, so the few closures that come back to the queue carry their target in this.
struct Confined<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}
