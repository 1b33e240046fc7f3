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
  private let received = Mutex(0)
  private let pipeline: Pipeline

  init(_ pipeline: Pipeline, deadline: Duration) {
    self.pipeline = pipeline
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
    let count = received.withLock { count in
      count += 1
      return count
    }
    if count == 1 {
      Console.log("stopping: sources end, the rest drains (once more to end at once)")
      pipeline.stop()
      watch(after: deadline + .seconds(5))
    } else {
      pipeline.abort()
      watch(after: .seconds(2))
    }
  }

  /// A component that neither drains nor can be cancelled must not keep the process: it is named, and the process ends.
  private func watch(after limit: Duration) {
    let nanoseconds = limit.components.seconds * 1_000_000_000 + limit.components.attoseconds / 1_000_000_000
    DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(Int(nanoseconds))) { [pipeline] in
      StandardError.write(pipeline.ledger.description)
      StandardError.write("these components do not end: \(pipeline.runningComponents.joined(separator: ", "))")
      Terminal.restoreFromSignalHandler()
      _exit(1)
    }
  }

  func end() {
    for source in sources { source.cancel() }
  }
}
