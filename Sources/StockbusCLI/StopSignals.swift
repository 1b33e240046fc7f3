import Dispatch
import StockbusRuntime
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// SIGINT, SIGTERM, SIGHUP (the window was closed) and SIGQUIT: the first stops gracefully, the second ends everything.
final class StopSignals: Sendable {
  /// Unchecked: dispatch sources may be used from any thread, Dispatch on Linux only does not say so.
  private nonisolated(unsafe) let sources: [any DispatchSourceSignal]
  private let firstSignal = Mutex<DispatchTime?>(nil)
  private let pipeline: Pipeline
  private let running: Task<RunReport, Never>
  private let hardStop: HardStop

  /// `running` is the run itself, cancelled by the second signal.
  init(_ pipeline: Pipeline, _ running: Task<RunReport, Never>, _ hardStop: HardStop) {
    self.pipeline = pipeline
    self.running = running
    self.hardStop = hardStop
    let queue = DispatchQueue(label: "stockbus.signals")
    sources = [SIGINT, SIGTERM, SIGHUP, SIGQUIT].map { number in
      signal(number, SIG_IGN)
      return DispatchSource.makeSignalSource(signal: number, queue: queue)
    }
    for source in sources {
      source.setEventHandler { [weak self] in self?.receive() }
      source.resume()
    }
  }

  private func receive() {
    let now = DispatchTime.now()
    let first = firstSignal.withLock { first in
      defer { first = first ?? now }
      return first
    }
    if let first {
      // `timeout` and some shells signal a process and then its whole group: that is one request, not two.
      if now.uptimeNanoseconds - first.uptimeNanoseconds < Self.echo { return }
      // First abort, so that whoever is cancelled knows that it is being cut off, not drained.
      pipeline.abort()
      running.cancel()
      hardStop.arm(pipeline, after: .seconds(2))
    } else {
      Console.log("stopping: sources end, the rest drains (once more to end at once)")
      pipeline.stop()
    }
  }

  /// Nanoseconds within which a second signal is the echo of the first.
  private static let echo: UInt64 = 100_000_000

  /// Signals are no longer received; the process is about to end.
  func end() {
    for source in sources { source.cancel() }
  }
}
