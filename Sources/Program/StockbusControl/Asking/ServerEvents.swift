/// One event of a stream of server-sent events.
package struct ServerEvent: Sendable, Hashable {
  /// The event's name; empty for an ordinary one.
  package var name: String
  /// The event's lines, separated by line feeds.
  package var data: String

  package init(name: String, data: String) {
    self.name = name
    self.data = data
  }
}

/// Extracts server-sent events from the bytes of a response (the HTML standard, 9.2.6), with line feeds as line ends. Comments and fields
/// other than `event` and `data` are skipped.
struct ServerEvents {
  private var line: [UInt8] = []
  private var name = ""
  private var data: [String] = []

  /// The events that these bytes complete.
  mutating func take(_ bytes: [UInt8]) -> [ServerEvent] {
    var events: [ServerEvent] = []
    for byte in bytes {
      if byte != 10 {
        line.append(byte)
        continue
      }
      let text = String(decoding: line, as: UTF8.self)
      line.removeAll(keepingCapacity: true)
      if text.isEmpty {
        if !data.isEmpty { events.append(ServerEvent(name: name, data: data.joined(separator: "\n"))) }
        (name, data) = ("", [])
      } else if text.hasPrefix("data: ") {
        data.append(String(text.dropFirst(6)))
      } else if text.hasPrefix("event: ") {
        name = String(text.dropFirst(7))
      }
    }
    return events
  }
}
