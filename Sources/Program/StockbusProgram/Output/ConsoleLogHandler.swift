import ArgumentParser
import StockbusPlugin
import StockbusRuntime
import StockbusTerminal

/// How log lines are written.
enum LogFormat: String, ExpressibleByArgument, CaseIterable {
  /// For people: `12:34:56-04:00 warning echo: the connection was closed`.
  case text
  /// For programs: an object on each line, with the time in UTC.
  case json

  /// - Parameters:
  ///   - more: fields of the message, such as `attempt`, by name.
  ///   - zone: the time zone of times for people.
  func line(
    _ level: Logger.Level, _ message: String, component: String?, _ more: [(name: String, value: String)], at time: Timestamp,
    zone: DisplayZone
  ) -> String {
    switch self {
    case .text:
      // One line, whatever an error or a text from outside contains.
      let details = more.isEmpty ? "" : " (\(more.map { "\($0.name) \($0.value)" }.joined(separator: ", ")))"
      let origin = component.map { "\($0): " } ?? ""
      return "\(zone.stamp(time, seconds: true)) \(level) " + visible("\(origin)\(message)\(details)", limit: Self.longest)
    case .json:
      var members: [JSONValue.Member] = [.init("time", .string("\(time)")), .init("level", .string(level.rawValue))]
      if let component { members.append(.init("component", .string(component))) }
      members.append(.init("message", .string(message.cut(toBytes: Self.longest))))
      let own = Set(members.map(\.name) + ["component"])
      members += more.filter { !own.contains($0.name) }.map { .init($0.name, .string($0.value.cut(toBytes: Self.longest))) }
      return JSONValue.object(members).description
    }
  }

  private static let longest = 4000
}

/// Writes log lines to standard error.
struct ConsoleLogHandler: LogHandler {
  var logLevel: Logger.Level
  var metadata: Logger.Metadata = [:]
  var format = LogFormat.text
  /// The time zone of the times for people.
  var zone = DisplayZone.system

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let more = metadata.merging(event.metadata ?? [:]) { $1 }.filter { $0.key != "component" }.sorted { $0.key < $1.key }
    let line = format.line(
      event.level, "\(event.message)", component: metadata["component"].map { "\($0)" }, more.map { ($0.key, "\($0.value)") },
      at: SystemTimekeeper().now, zone: zone)
    // A full screen shows the log itself; important lines are printed again after its end.
    Console.log(line, role: .log(isImportant: event.level >= .warning))
  }
}
