public import Logging

/// Captures log lines for a test.
public final class CapturedLog: Sendable {
  /// One line of the log.
  public struct Line: Sendable, Hashable, CustomStringConvertible {
    public let level: Logger.Level
    /// The component that the logger belongs to; nil for the run itself.
    public let component: String?
    public let message: String

    /// `warning prices: not UTF-8`.
    public var description: String { "\(level) \(component.map { "\($0): " } ?? "")\(message)" }
  }

  private let captured = Watched<[Line]>([])

  public init() {}

  /// In order of arrival.
  public var lines: [Line] { captured.value }

  /// The lines of one level, as text.
  public func texts(_ level: Logger.Level) -> [String] { lines.filter { $0.level == level }.map(\.description) }

  /// A logger that adds its lines here, at all levels.
  public func logger(label: String = "test") -> Logger {
    var logger = Logger(label: label) { _ in Handler(captured: self.captured) }
    logger.logLevel = .trace
    return logger
  }

  /// Returns when a line that contains `text` has been logged, or the task is cancelled.
  public func wait(for text: String) async { await captured.wait { $0.contains { $0.description.contains(text) } } }

  private struct Handler: LogHandler {
    let captured: Watched<[Line]>
    var logLevel = Logger.Level.trace
    var metadata: Logger.Metadata = [:]

    init(captured: Watched<[Line]>) { self.captured = captured }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      let line = Line(level: event.level, component: metadata["component"].map { "\($0)" }, message: "\(event.message)")
      captured.update { $0.append(line) }
    }
  }
}
