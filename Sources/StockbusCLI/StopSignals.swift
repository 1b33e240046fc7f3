import Dispatch
import StockbusRuntime
import StockbusTerminal
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// SIGINT and SIGTERM: the first stops gracefully, the second ends everything, and whoever does not end then is named.
final class StopSignals: Sendable {
  /// Unchecked: dispatch sources may be used from any thread, Dispatch on Linux only does not say so.
  private nonisolated(unsafe) let sources: [any DispatchSourceSignal]
  private struct State {
    var first: DispatchTime?
    var hasEnded = false
  }
  private let state = Mutex(State())
  private let pipeline: Pipeline
  private let running: Task<RunReport, Never>

  /// `running` is the run itself, cancelled by the second signal.
  init(_ pipeline: Pipeline, _ running: Task<RunReport, Never>, deadline: Duration) {
    self.pipeline = pipeline
    self.running = running
    let queue = DispatchQueue(label: "stockbus.signals")
    sources = [SIGINT, SIGTERM].map { number in
      signal(number, SIG_IGN)
      return DispatchSource.makeSignalSource(signal: number, queue: queue)
    }
    for source in sources {
      source.setEventHandler { [weak self] in self?.receive(deadline) }
      source.resume()
    }
  }

  private func receive(_ deadline: Duration) {
    let now = DispatchTime.now()
    let first = state.withLock { state in
      defer { state.first = state.first ?? now }
      return state.first
    }
    if let first {
      // `timeout` and some shells signal a process and then its whole group: that is one request, not two.
      if now.uptimeNanoseconds - first.uptimeNanoseconds < Self.echo { return }
      // First abort, so that whoever is cancelled knows that it is being cut off, not drained.
      pipeline.abort()
      running.cancel()
      watch(after: .seconds(2))
    } else {
      Console.log("stopping: sources end, the rest drains (once more to end at once)")
      pipeline.stop()
      watch(after: deadline + .seconds(5))
    }
  }

  /// Nanoseconds within which a second signal is the echo of the first.
  private static let echo: UInt64 = 100_000_000

  /// A component that neither drains nor can be cancelled must not keep the process: it is named, and the process ends.
  private func watch(after limit: Duration) {
    let nanoseconds = limit.components.seconds * 1_000_000_000 + limit.components.attoseconds / 1_000_000_000
    DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(Int(nanoseconds))) { [self] in
      if state.withLock({ $0.hasEnded }) { return }
      StandardError.write(pipeline.ledger.description)
      let late = pipeline.runningComponents.joined(separator: ", ")
      StandardError.write(late.isEmpty ? "the run does not end" : "these components do not end: \(late)")
      Terminal.restoreFromSignalHandler()
      _exit(1)
    }
  }

  /// Nothing more is watched; the process is about to end.
  func end() {
    state.withLock { $0.hasEnded = true }
    for source in sources { source.cancel() }
  }
}
