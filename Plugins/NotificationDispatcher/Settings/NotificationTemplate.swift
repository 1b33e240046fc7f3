internal import StockbusPlugin

/// Why a text is not a valid template.
struct TemplateError: Error, CustomStringConvertible {
  let description: String
}

/// A text with placeholders such as `{symbol}`. A brace that does not begin a name, as in JSON, is ordinary text.
struct NotificationTemplate: Hashable, Sendable {
  private enum Part: Hashable, Sendable {
    case text(String)
    case name(String)
  }

  private let parts: [Part]

  /// The placeholders of a rule's message.
  static let ruleNames = ["rule", "symbol", "price", "time", "threshold", "reference", "change", "percent"]
  /// The placeholders of a channel's texts.
  static let channelNames = ["id", "status", "rule", "symbol", "price", "message", "time", "component", "channel"]

  init(_ text: String, _ known: [String]) throws(TemplateError) {
    var parts: [Part] = []
    var literal = ""
    var rest = text[...]
    while let character = rest.first {
      rest = rest.dropFirst()
      let word = character == "{" ? rest.prefix { $0.isASCII && ($0.isLetter || $0 == "_") } : ""
      guard !word.isEmpty, rest.dropFirst(word.count).first == "}" else {
        literal.append(character)
        continue
      }
      let name = String(word)
      guard known.contains(name) else {
        let list = "known are " + known.map { "{\($0)}" }.joined(separator: ", ")
        let hint = suggestion(for: name, among: known).map { "did you mean {\($0)}?" } ?? list
        throw TemplateError(description: "there is no placeholder {\(visible(name, limit: 30))}; \(hint)")
      }
      parts += [.text(literal), .name(name)]
      literal = ""
      rest = rest.dropFirst(word.count + 1)
    }
    self.parts = parts + [.text(literal)]
  }

  /// True if the text begins with a placeholder.
  var beginsWithValue: Bool { parts.count > 1 && parts[0] == .text("") }

  /// The text with the values, each passed through `escape`; a name without a value becomes empty.
  func filled(_ values: [String: String], escape: (String) -> String = { $0 }) -> String {
    parts.map { part in
      switch part {
      case .text(let text): text
      case .name(let name): escape(values[name] ?? "")
      }
    }.joined()
  }
}

/// The template of a rule's message, written as its text.
extension NotificationTemplate: Codable {
  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    do { try self.init(try container.decode(String.self), Self.ruleNames) } catch let error as TemplateError {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: error.description)
    }
  }

  func encode(to encoder: any Encoder) throws {
    try filled(Dictionary(uniqueKeysWithValues: Self.ruleNames.map { ($0, "{\($0)}") })).encode(to: encoder)
  }
}
