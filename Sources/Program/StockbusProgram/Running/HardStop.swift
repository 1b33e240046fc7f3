import Dispatch
import EventBus
import LibC
import MarketData
import StockbusRuntime
import StockbusTerminal
import Synchronization

/// The last resort: if a component neither drains nor can be cancelled, it is named, and the process is ended.
final class HardStop: Sendable {
  private let isDisarmed = Mutex(false)
  private let tell: @Sendable (String) async -> Void

  /// - Parameter tell: reports the end to the clients that wait for it; it gets two seconds.
  init(tell: @escaping @Sendable (String) async -> Void) { self.tell = tell }

  /// Ends the process after `limit`, unless the stop is disarmed by then.
  func arm(_ pipeline: Pipeline, after limit: Duration) {
    let deadline = DispatchTime.now() + .nanoseconds(Int(limit.wholeNanoseconds))
    DispatchQueue.global().asyncAfter(deadline: deadline) { [self] in
      if isDisarmed.withLock({ $0 }) { return }
      // Writing may block too, if the terminal is stopped or the pipe is full.
      DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(2)) { _exit(1) }
      let late = pipeline.lateComponents.joined(separator: ", ")
      var ending = late.isEmpty ? "the run does not end" : "these components do not end: \(late)"
      let ledger = pipeline.ledger
      let open = ledger.total.inFlight
      if open > 0 { ending += "\nthe outcome of \(Ledger.grouped(open)) events in flight is unknown" }
      let text = "\(ledger)\n\(ending)"
      StandardError.write(text)
      Terminal.restoreFromSignalHandler()
      Task {
        await tell(text)
        _exit(1)
      }
    }
  }

  /// Called when the run has ended by itself.
  func disarm() { isDisarmed.withLock { $0 = true } }
}
