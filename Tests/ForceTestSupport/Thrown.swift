/// The error that `body` throws; nil where it throws none, or one of another type.
///
/// `#expect(throws:)` returns it too, but only from Swift 6.1 on.
public func thrown<Failure: Error, Value>(
  _ type: Failure.Type, by body: () throws -> Value
) -> Failure? {
  do {
    _ = try body()
    return nil
  } catch { return error as? Failure }
}
