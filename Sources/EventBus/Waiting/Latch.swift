/// Fires once; everybody who waits, or comes later, goes on.
package final class Latch: Sendable {
  private let state = WaitableValue(false)

  package init() {}

  package var hasFired: Bool { state.value }

  package func fire() { state.update { $0 = true } }

  /// Returns when it has fired or when the task is cancelled.
  package nonisolated(nonsending) func wait() async { await state.wait { $0 } }
}
