package import Synchronization

/// A value behind a lock, with tasks that wait until it meets a condition.
///
/// A change resumes the tasks whose condition the new value meets, in the order in which they began to wait. Each task is resumed exactly
/// once: by a change or by its cancellation.
package final class WaitableValue<Value: Sendable>: Sendable {
  @usableFromInline
  struct Waiter: Sendable {
    @usableFromInline let key: Int
    @usableFromInline let isMet: @Sendable (Value) -> Bool
    // Resumed once, by the code that removes the waiter from the list under the lock.
    @usableFromInline let continuation: UnsafeContinuation<Void, Never>

    @inlinable
    init(_ key: Int, _ continuation: UnsafeContinuation<Void, Never>, _ isMet: @escaping @Sendable (Value) -> Bool) {
      self.key = key
      self.isMet = isMet
      self.continuation = continuation
    }
  }

  @usableFromInline
  struct State: Sendable {
    @usableFromInline var value: Value
    @usableFromInline var nextKey = 0
    /// In the order of arrival.
    @usableFromInline var waiters: [Waiter] = []

    @inlinable init(_ value: Value) { self.value = value }

    /// Removes and returns the waiters whose condition the value meets.
    @inlinable
    mutating func takeMet() -> [Waiter] {
      if waiters.isEmpty { return [] }
      var (met, others) = ([Waiter](), [Waiter]())
      for waiter in waiters {
        if waiter.isMet(value) { met.append(waiter) } else { others.append(waiter) }
      }
      if !met.isEmpty { waiters = others }
      return met
    }
  }

  @usableFromInline let state: Mutex<State>

  @inlinable
  package init(_ value: Value) { state = Mutex(State(value)) }

  /// The value now.
  @inlinable package var value: Value { state.withLock { $0.value } }

  /// How many tasks wait.
  package var waiterCount: Int { state.withLock { $0.waiters.count } }

  /// Changes the value, one caller at a time, and resumes the tasks whose condition it then meets. Conditions run under the lock and must
  /// not use this object.
  @discardableResult @inlinable
  package func update<Result: Sendable>(_ change: (inout Value) -> Result) -> Result {
    let (result, met) = state.withLock { state in
      let result = change(&state.value)
      return (result, state.takeMet())
    }
    for waiter in met { waiter.continuation.resume() }
    return result
  }

  /// Returns when the value meets the condition, at once if it already does, or when the task is cancelled.
  @inlinable
  package nonisolated(nonsending) func wait(until condition: @escaping @Sendable (Value) -> Bool) async {
    let key = state.withLock { state -> Int? in
      if condition(state.value) { return nil }
      state.nextKey &+= 1
      return state.nextKey
    }
    guard let key else { return }
    await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        let isOver = state.withLock { state in
          if condition(state.value) || Task.isCancelled { return true }
          state.waiters.append(Waiter(key, continuation, condition))
          return false
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        state.waiters.firstIndex { $0.key == key }.map { state.waiters.remove(at: $0) }
      }
      waiter?.continuation.resume()
    }
  }
}
