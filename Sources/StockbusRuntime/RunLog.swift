internal import Logging
internal import StockbusPlugin
internal import Synchronization

/// The last lines of a run's log, kept for display.
final class RunLog: Sendable {
  /// How many lines are kept.
  static let limit = 500

  private struct State {
    var lines: [RunLogLine] = []
    var count = 0
  }

  private let state = Mutex(State())
  private let clock: any Timekeeper

  init(_ clock: any Timekeeper) { self.clock = clock }

  func lines(after number: Int) -> [RunLogLine] {
    state.withLock { state in Array(state.lines.drop { $0.number <= number }) }
  }

  func add(_ level: Logger.Level, _ component: String?, _ message: String) {
    let time = clock.now
    state.withLock { state in
      state.count += 1
      if state.lines.count >= Self.limit { state.lines.removeFirst() }
      state.lines.append(RunLogLine(number: state.count, time: time, level: level, component: component, message: message))
    }
  }

  /// A logger that passes everything to `logger` and keeps the lines here too.
  func recording(_ logger: Logger) -> Logger {
    var recording = Logger(label: logger.label) { _ in Handler(log: self, wrapped: logger.handler) }
    recording.logLevel = logger.logLevel
    return recording
  }

  private struct Handler: LogHandler {
    let log: RunLog
    var wrapped: any LogHandler

    var logLevel: Logger.Level {
      get { wrapped.logLevel }
      set { wrapped.logLevel = newValue }
    }
    var metadata: Logger.Metadata {
      get { wrapped.metadata }
      set { wrapped.metadata = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { wrapped[metadataKey: key] }
      set { wrapped[metadataKey: key] = newValue }
    }

    func log(event: LogEvent) {
      log.add(event.level, wrapped[metadataKey: "component"].map { "\($0)" }, "\(event.message)")
      wrapped.log(event: event)
    }
  }
}
