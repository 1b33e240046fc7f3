import Logging
import StockbusPlugin
import StockbusRuntime
import StockbusTerminal

/// Writes log lines for people to standard error: `12:34:56-04:00 warning echo: the connection was closed`.
struct ConsoleLogHandler: LogHandler {
  var logLevel: Logger.Level
  var metadata: Logger.Metadata = [:]
  /// The time zone of the times.
  var zone = DisplayZone.system

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let component = metadata["component"].map { "\($0): " } ?? ""
    // One line, whatever an error or a text from outside contains, followed by metadata such as `attempt`.
    let more = metadata.merging(event.metadata ?? [:]) { $1 }.filter { $0.key != "component" }.sorted { $0.key < $1.key }
    let details = more.isEmpty ? "" : " (\(more.map { "\($0.key) \($0.value)" }.joined(separator: ", ")))"
    // A full screen shows the log itself; important lines are printed again after its end.
    Console.log(
      "\(zone.stamp(SystemTimekeeper().now, seconds: true)) \(event.level) "
        + visible("\(component)\(event.message)\(details)", limit: 4000),
      role: .log(isImportant: event.level >= .warning))
  }
}
