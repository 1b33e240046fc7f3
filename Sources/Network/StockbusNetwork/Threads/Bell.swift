package import StockbusPlugin

/// Lets tasks wait for a change: code that makes the change rings the bell.
///
/// ```swift
/// while window.isFull {
///   let heard = bell.rings       // first, so that no ring is missed
///   …look…
///   await bell.wait(after: heard)
///   try Task.checkCancellation()
/// }
/// ```
package final class Bell: Sendable {
  private let count = WaitableValue(0)

  package init() {}

  /// How often the bell has rung.
  package var rings: Int { count.value }

  /// Resumes all waiting tasks.
  package func ring() { count.update { $0 &+= 1 } }

  /// Returns at once if the bell has rung since `rings` was `heard`; otherwise at the next ring, or when the task is cancelled.
  package nonisolated(nonsending) func wait(after heard: Int) async { await count.wait { $0 != heard } }
}

extension Bell {
  /// Waits while `condition` is true, checking it at every ring, until `deadline` or until the task is cancelled.
  package nonisolated(nonsending) func wait(until deadline: Duration, _ clock: any Timekeeper, while condition: () -> Bool) async {
    // Unstructured only in form: it is awaited below. It rings at the deadline.
    let alarm = Task {
      do { try await clock.sleep(until: deadline) } catch { return }
      self.ring()
    }
    while !Task.isCancelled {
      let heard = rings
      if !condition() || clock.uptime >= deadline { break }
      await wait(after: heard)
    }
    alarm.cancel()
    await alarm.value
  }
}
