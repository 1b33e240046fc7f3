internal import Synchronization

/// A value that a test can wait for: whoever changes it wakes those whose condition holds then.
///
/// What makes tests free of sleeping: instead of giving something time, wait until it is so.
public final class Watched<Value: Sendable>: Sendable {
  private struct Waiter {
    let condition: @Sendable (Value) -> Bool
    let continuation: CheckedContinuation<Void, Never>
  }

  private struct State {
    var value: Value
    var nextKey = 0
    var waiters: [Int: Waiter] = [:]
  }

  private let state: Mutex<State>

  public init(_ value: Value) { state = Mutex(State(value: value)) }

  /// The value now.
  public var value: Value { state.withLock { $0.value } }

  /// Changes the value, one caller at a time, and wakes whoever waits for what it is then.
  @discardableResult
  public func update<Result: Sendable>(_ change: (inout Value) -> Result) -> Result {
    let (result, woken) = state.withLock { state in
      let result = change(&state.value)
      let keys = state.waiters.filter { $0.value.condition(state.value) }.keys.sorted()
      return (result, keys.compactMap { state.waiters.removeValue(forKey: $0)?.continuation })
    }
    for continuation in woken { continuation.resume() }
    return result
  }

  /// Returns when the value meets the condition, at once where it does already, or when the task is cancelled.
  public func wait(until condition: @escaping @Sendable (Value) -> Bool) async {
    let key = state.withLock { state in
      state.nextKey += 1
      return state.nextKey
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          if condition(state.value) || Task.isCancelled { return true }
          state.waiters[key] = Waiter(condition: condition, continuation: continuation)
          return false
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiters.removeValue(forKey: key)?.continuation }?.resume()
    }
  }
}
