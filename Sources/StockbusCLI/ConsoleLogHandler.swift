import Logging
import StockbusPlugin
import StockbusTerminal

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Log lines for people, on standard error: `12:34:56 warning echo: the connection was closed`.
struct ConsoleLogHandler: LogHandler {
  var logLevel: Logger.Level
  var metadata: Logger.Metadata = [:]

  /// The time of day where the machine stands.
  private static var time: String {
    var now = timespec()
    var parts = tm()
    clock_gettime(CLOCK_REALTIME, &now)
    localtime_r(&now.tv_sec, &parts)
    func two(_ n: Int32) -> String { n < 10 ? "0\(n)" : "\(n)" }
    return "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))"
  }

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
      "\(Self.time) \(event.level) " + visible("\(component)\(event.message)\(details)", limit: 4000),
      role: .log(isImportant: event.level >= .warning))
  }
}
