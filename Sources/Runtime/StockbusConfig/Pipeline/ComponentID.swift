import StockbusPlugin

/// The rules for a component's id. It names a topic, a metric's label and a state file, so it is short and simple.
enum ComponentID {
  static let limit = 64

  /// The fault of `id`; nil if it is valid.
  static func mistake(in id: String) -> String? {
    if let topic = RunTopic(rawValue: id) { return "the id '\(id)' is reserved for the topic of \(topic.contents); choose another id" }
    if id.unicodeScalars.count > limit, isPlain(id) {
      return "an id has at most \(limit) characters, this one has \(ConfigLimits.grouped(id.unicodeScalars.count))"
    }
    if isPlain(id) { return nil }
    let near = plain(id).map { "; did you mean '\($0)'?" } ?? ""
    return "an id begins with a lower-case letter and continues with lower-case letters, digits, '_' and '-'\(near)"
  }

  private static func isPlain(_ id: String) -> Bool {
    guard let first = id.utf8.first, isLetter(first) else { return false }
    return id.utf8.allSatisfy { isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-") }
  }

  /// The nearest valid id: `My Feed` gives `my_feed`; nil if nothing remains.
  private static func plain(_ id: String) -> String? {
    var out = ""
    for character in id.lowercased().unicodeScalars where out.utf8.count < limit {
      let byte = UInt8(ascii: character.isASCII ? character : "_")
      if isLetter(byte) || (!out.isEmpty && (isDigit(byte) || byte == UInt8(ascii: "-"))) {
        out.unicodeScalars.append(character)
      } else if let last = out.last, last != "_", !isDigit(byte) {
        out += "_"
      }
    }
    while out.last == "_" { out.removeLast() }
    return out.isEmpty || RunTopic(rawValue: out) != nil ? nil : out
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }
  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
