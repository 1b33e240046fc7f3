internal import StockbusPlugin
internal import Synchronization

/// A run's log: folds repeated lines, and keeps the last ones for display.
final class RunLog: Sendable {
  /// How many lines are kept.
  static let limit = 500

  private struct State {
    var lines: [RunLogLine] = []
    var count = 0
    /// Nil once the run is over: later lines are shown unchanged.
    var folder: LineFolder<any LogHandler>? = LineFolder()
  }

  private let state = Mutex(State())
  private let parker = Parker()
  private let clock: any Timekeeper

  init(_ clock: any Timekeeper) { self.clock = clock }

  func lines(after number: Int) -> [RunLogLine] {
    state.withLock { state in Array(state.lines.drop { $0.number <= number }) }
  }

  /// Logs the summaries of repeated lines when they are due, until the task is cancelled.
  func run() async {
    while !Task.isCancelled {
      if let due = state.withLock({ $0.folder?.due }) {
        try? await clock.sleep(until: due)
        settle()
      } else {
        await parker.sleepCancellably()
      }
    }
  }

  /// The run is over: logs the remaining summaries.
  func end() {
    settle(all: true)
    state.withLock { $0.folder = nil }
  }

  private func settle(all: Bool = false) {
    let now = clock.uptime
    for sum in state.withLock({ $0.folder?.settle(at: now, all: all) ?? [] }) {
      let event = LogEvent(
        level: sum.line.level, message: "\(sum.text)", metadata: nil, source: nil, file: #fileID, function: #function, line: #line)
      show(event, of: sum.line.component, by: sum.sender)
    }
  }

  /// Logs a line of a component or of the run, after any summaries that are due.
  private func log(_ event: LogEvent, by handler: any LogHandler) {
    settle()
    let component = handler[metadataKey: "component"].map { "\($0)" }
    let line = LineFolder<any LogHandler>.Line(level: event.level, component: component, message: "\(event.message)")
    let now = clock.uptime
    let (isShown, hasChanges) = state.withLock { state in
      let before = state.folder?.due
      let isShown = state.folder?.take(line, at: now, from: handler) ?? true
      return (isShown, before == nil && !isShown)
    }
    if isShown { show(event, of: component, by: handler) }
    if hasChanges { parker.wake() }
  }

  private func show(_ event: LogEvent, of component: String?, by handler: any LogHandler) {
    add(event.level, component, "\(event.message)")
    handler.log(event: event)
  }

  private func add(_ level: Logger.Level, _ component: String?, _ message: String) {
    let time = clock.now
    state.withLock { state in
      state.count += 1
      if state.lines.count >= Self.limit { state.lines.removeFirst() }
      state.lines.append(RunLogLine(number: state.count, time: time, level: level, component: component, message: message))
    }
  }

  /// A logger that passes everything to `logger` and also keeps the lines here.
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

    func log(event: LogEvent) { log.log(event, by: wrapped) }
  }
}
