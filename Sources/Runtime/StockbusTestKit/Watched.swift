internal import EventBus

/// A value that a test can wait for: a change resumes the tasks whose condition it meets.
///
/// Instead of sleeping for some time, tests wait for a condition.
public final class Watched<Value: Sendable>: Sendable {
  private let watched: WaitableValue<Value>

  public init(_ value: Value) { watched = WaitableValue(value) }

  /// The present value.
  public var value: Value { watched.value }

  /// Changes the value, one caller at a time, and resumes the tasks whose condition it meets.
  @discardableResult
  public func update<Result: Sendable>(_ change: (inout Value) -> Result) -> Result { watched.update(change) }

  /// Returns when the value meets the condition, at once if it already does, or when the task is cancelled.
  public func wait(until condition: @escaping @Sendable (Value) -> Bool) async { await watched.wait(until: condition) }
}
