import CStopSignals
import Dispatch
import LibC
import StockbusRuntime
import StockbusTerminal
import Synchronization

/// Handles SIGINT, SIGTERM, SIGHUP (the window was closed) and SIGQUIT: the first one stops gracefully, the second one ends everything.
/// In a process without a terminal SIGHUP means to read the configuration again, if the run can do that.
///
/// They are caught from before `main` on; signals since then are received at once.
final class StopSignals: Sendable {
  private let arrivals: SignalArrivals
  private let firstSignal = Mutex<DispatchTime?>(nil)
  private let isRunOver = Mutex(false)
  private let pipeline: Pipeline
  private let running: Task<RunReport, Never>
  private let hardStop: HardStop
  private let reload: (@Sendable () -> Void)?
  private let interrupted: @Sendable () -> Void

  /// - Parameters:
  ///   - running: the run, which the second signal cancels.
  ///   - interrupted: called at the first signal that asks for a stop.
  init(
    _ pipeline: Pipeline, _ running: Task<RunReport, Never>, _ hardStop: HardStop, reload: (@Sendable () -> Void)?,
    interrupted: @escaping @Sendable () -> Void
  ) {
    self.reload = hasTerminal() ? nil : reload
    self.interrupted = interrupted
    self.pipeline = pipeline
    self.running = running
    self.hardStop = hardStop
    arrivals = SignalArrivals()
    arrivals.start { [weak self] in self?.receive($0) }
  }

  private func receive(_ signal: Int32) {
    if signal == SIGHUP, let reload { return reload() }
    let now = DispatchTime.now()
    let first = firstSignal.withLock { first in
      defer { first = first ?? now }
      return first
    }
    if let first {
      // `timeout` and some shells signal a process and then its whole group, which is one request, not two.
      if now.uptimeNanoseconds - first.uptimeNanoseconds < Self.echo { return }
      if isRunOver.withLock({ $0 }) { return Self.exitSoon() }
      // The abort is first, so that a cancelled component knows that it is cut off and not drained.
      pipeline.abort()
      running.cancel()
      hardStop.arm(pipeline, after: .seconds(2))
    } else {
      Console.log("stopping: sources end, the rest drains (once more to end at once)")
      interrupted()
      pipeline.stop()
    }
  }

  /// Call this when the run has ended. From then on the first signal ends the process, after two seconds: the output that is left may wait
  /// for a reader that does not read.
  func runHasEnded() {
    firstSignal.withLock { $0 = $0 ?? DispatchTime(uptimeNanoseconds: 1) }
    isRunOver.withLock { $0 = true }
  }

  private static func exitSoon() {
    DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(2)) {
      Terminal.restoreFromSignalHandler()
      _exit(1)
    }
  }

  /// Nanoseconds within which a second signal counts as a repetition of the first.
  private static let echo: UInt64 = 100_000_000

  /// Ends receiving signals: the process is about to end, and if that takes long, a second signal ends it.
  func end() { arrivals.end() }
}

/// True if the process has a controlling terminal, whose end is signalled by SIGHUP.
private func hasTerminal() -> Bool {
  let descriptor = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
  if descriptor >= 0 { close(descriptor) }
  return descriptor >= 0
}

/// Receives the stop signals.
final class SignalArrivals: Sendable {
  /// Unchecked, because dispatch sources are thread-safe, but Dispatch on Linux does not declare it.
  private nonisolated(unsafe) let source: (any DispatchSourceRead)?
  private let descriptor: Int32

  init() {
    descriptor = stockbus_catch_stop_signals()
    let queue = DispatchQueue(label: "stockbus.signals")
    // If the process has no descriptor left, signals end it as usual.
    source = descriptor < 0 ? nil : DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
  }

  /// Calls `body` with each signal, including those that have already arrived.
  func start(_ body: @escaping @Sendable (Int32) -> Void) {
    guard let source else { return }
    let descriptor = descriptor
    source.setEventHandler {
      var byte: UInt8 = 0
      while read(descriptor, &byte, 1) == 1 { body(Int32(byte)) }
    }
    source.resume()
    stockbus_set_listening(1)
  }

  func end() {
    stockbus_set_listening(0)
    source?.cancel()
  }
}
