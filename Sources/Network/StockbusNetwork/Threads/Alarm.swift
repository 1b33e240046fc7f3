package import StockbusPlugin
internal import Synchronization

/// Rings a bell at a deadline: one sleeping task for many waits, each of which would otherwise need its own task.
///
/// Deadlines usually advance from wait to wait. So the task sleeps until the first deadline and rings; code that still waits then sets the
/// next.
package final class Alarm: Sendable {
  private struct State {
    /// The time of the next ring; nil if there is none.
    var due: Duration?
    var task: Task<Void, Never>?
  }

  private let bell: Bell
  private let clock: any Timekeeper
  private let state = Mutex(State())

  package init(_ bell: Bell, _ clock: any Timekeeper) { (self.bell, self.clock) = (bell, clock) }

  /// Makes the alarm ring at `deadline` at the latest. Code that waits for a later deadline checks the clock again when the bell rings.
  package func set(_ deadline: Duration) {
    state.withLock { state in
      if let due = state.due, due <= deadline { return }
      state.task?.cancel()
      state.due = deadline
      // Awaited by `cancel`; a replaced task ends by itself.
      state.task = Task {
        do { try await self.clock.sleep(until: deadline) } catch { return }
        self.state.withLock { if $0.due == deadline { $0.due = nil } }
        self.bell.ring()
      }
    }
  }

  /// Ends the alarm's task.
  package nonisolated(nonsending) func cancel() async {
    let task = state.withLock { state in
      state.due = nil
      return state.task.take()
    }
    task?.cancel()
    await task?.value
  }
}
