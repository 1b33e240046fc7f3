import Logging
import StockbusPlugin
import StockbusRuntime
import StockbusTerminal

/// Log lines for people, on standard error: `12:34:56-04:00 warning echo: the connection was closed`.
struct ConsoleLogHandler: LogHandler {
  var logLevel: Logger.Level
  var metadata: Logger.Metadata = [:]
  /// Where the times are told.
  var zone = DisplayZone.system

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let component = metadata["component"].map { "\($0): " } ?? ""
    // One line, whatever an error or a foreign text holds; `attempt` and the like stand behind it.
    let more = metadata.merging(event.metadata ?? [:]) { $1 }.filter { $0.key != "component" }.sorted { $0.key < $1.key }
    let details = more.isEmpty ? "" : " (\(more.map { "\($0.key) \($0.value)" }.joined(separator: ", ")))"
    // A full screen shows the log by itself; what matters is said again when it is over.
    Console.log(
      "\(zone.stamp(SystemTimekeeper().now, seconds: true)) \(event.level) "
        + visible("\(component)\(event.message)\(details)", limit: 4000),
      role: .log(isImportant: event.level >= .warning))
  }
}
