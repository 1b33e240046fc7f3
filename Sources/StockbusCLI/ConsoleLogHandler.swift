import Logging

/// Log lines for people, on standard error: `12:34:56 warning echo: the connection was closed`.
struct ConsoleLogHandler: LogHandler {
  var logLevel: Logger.Level
  var metadata: Logger.Metadata = [:]

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let component = metadata["component"].map { "\($0): " } ?? ""
    Console.log("\(event.level) \(component)\(event.message)")
  }
}
