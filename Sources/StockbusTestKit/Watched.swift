internal import EventBus

/// A value that a test can wait for: whoever changes it wakes those whose condition holds then.
///
/// What makes tests free of sleeping: instead of giving something time, wait until it is so.
public final class Watched<Value: Sendable>: Sendable {
  private let watched: WaitableValue<Value>

  public init(_ value: Value) { watched = WaitableValue(value) }

  /// The value now.
  public var value: Value { watched.value }

  /// Changes the value, one caller at a time, and wakes whoever waits for what it is then.
  @discardableResult
  public func update<Result: Sendable>(_ change: (inout Value) -> Result) -> Result { watched.update(change) }

  /// Returns when the value meets the condition, at once where it does already, or when the task is cancelled.
  public func wait(until condition: @escaping @Sendable (Value) -> Bool) async { await watched.wait(until: condition) }
}
