internal import StockbusPlugin
internal import Synchronization

/// Rings a bell at a deadline: one sleeping task for many waits, each of which would otherwise need its own.
///
/// Deadlines mostly move on from wait to wait. So the task sleeps until the first of them and rings, and who still waits then sets the next.
final class Alarm: Sendable {
  private struct State {
    /// When it will ring; nil if it will not.
    var due: Duration?
    var task: Task<Void, Never>?
  }

  private let bell: Bell
  private let clock: any Timekeeper
  private let state = Mutex(State())

  init(_ bell: Bell, _ clock: any Timekeeper) { (self.bell, self.clock) = (bell, clock) }

  /// Makes it ring at `deadline` at the latest. Who waits for a later one looks at the clock again when the bell rings.
  func set(_ deadline: Duration) {
    state.withLock { state in
      if let due = state.due, due <= deadline { return }
      state.task?.cancel()
      state.due = deadline
      // Awaited by `cancel`; one that is replaced ends by itself.
      state.task = Task {
        do { try await self.clock.sleep(until: deadline) } catch { return }
        self.state.withLock { if $0.due == deadline { $0.due = nil } }
        self.bell.ring()
      }
    }
  }

  /// Ends its task.
  nonisolated(nonsending) func cancel() async {
    let task = state.withLock { state in
      state.due = nil
      return state.task.take()
    }
    task?.cancel()
    await task?.value
  }
}
