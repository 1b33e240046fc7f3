internal import StockbusPlugin

/// A text with placeholders such as `{symbol:lower}`. JSON's own braces are not placeholders, because no lower-case letter follows them.
struct MessageTemplate: Sendable {
  enum Form: Sendable { case kept, lower, upper, comma }
  enum Name: Hashable, Sendable {
    case symbol, symbols, channel, channels, items, id
    case credential(String)
  }
  enum Piece: Sendable {
    case literal(String)
    case value(Name, Form)
    /// Text in braces that is not a valid placeholder.
    case unknown(String)
  }
  let pieces: [Piece]

  private static let words: [(String, Name)] = [
    ("symbol", .symbol), ("symbols", .symbols), ("channel", .channel), ("channels", .channels), ("items", .items), ("id", .id),
  ]

  init(_ text: String) {
    var pieces: [Piece] = []
    var literal = ""
    var rest = Substring(text)
    while let first = rest.first {
      if first == "{", rest.dropFirst().first.map({ $0.isASCII && $0.isLowercase }) == true, let end = rest.firstIndex(of: "}") {
        if !literal.isEmpty { pieces.append(.literal(literal)) }
        literal = ""
        pieces.append(Self.placeholder(rest[..<end].dropFirst()))
        rest = rest[rest.index(after: end)...]
      } else {
        literal.append(first)
        rest.removeFirst()
      }
    }
    if !literal.isEmpty { pieces.append(.literal(literal)) }
    self.pieces = pieces
  }

  private static func placeholder(_ text: Substring) -> Piece {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let form: Form
    switch parts.count == 1 ? "" : parts[1] {
    case "": form = .kept
    case "lower": form = .lower
    case "upper": form = .upper
    case "comma": form = .comma
    default: return .unknown(String(text))
    }
    if parts[0].hasPrefix("credentials."), parts[0].count > 12 { return .value(.credential(String(parts[0].dropFirst(12))), form) }
    guard let name = words.first(where: { $0.0 == parts[0] })?.1 else { return .unknown(String(text)) }
    return .value(name, form)
  }

  var names: Set<Name> {
    Set(pieces.compactMap { if case .value(let name, _) = $0 { name } else { nil } })
  }

  /// The names of the credentials that the template uses.
  var credentials: [String] {
    names.compactMap { if case .credential(let name) = $0 { name } else { nil } }.sorted()
  }

  private func unknown(among allowed: [String]) -> [String] {
    pieces.compactMap {
      guard case .unknown(let text) = $0 else { return nil }
      return "unknown placeholder '{\(visible(text))}'\(didYouMean(text, among: allowed))"
    }
  }

  /// Errors in a subscription message, in words.
  static func faults(_ text: String, item: String?) -> [String] {
    let template = MessageTemplate(text)
    var faults = template.unknown(among: words.map(\.0))
    if template.names.contains(.items), item == nil { faults.append("{items} needs an 'item'") }
    if template.names.contains(.symbol), template.names.contains(.symbols) || template.names.contains(.items) {
      faults.append("either {symbol} or a list of symbols, not both")
    }
    return faults
  }

  static func faults(item: String) -> [String] {
    let template = MessageTemplate(item)
    let others = template.names.subtracting([.symbol, .channel])
    return template.unknown(among: ["symbol", "channel"]) + (others.isEmpty ? [] : ["only {symbol} and {channel} are allowed in an item"])
  }

  static func faults(keepalive: String) -> [String] {
    let template = MessageTemplate(keepalive)
    return template.unknown(among: ["id"]) + (template.names.subtracting([.id]).isEmpty ? [] : ["only {id} is allowed in it"])
  }

  /// The text with the values inserted; values inside quotation marks are escaped.
  func text(_ values: Values) -> String {
    var out = ""
    for piece in pieces {
      switch piece {
      case .literal(let text): out += text
      case .unknown(let text): out += "{\(text)}"
      case .value(let name, let form):
        let value = Self.value(name, values, isJoined: form == .comma)
        switch form {
        case .kept, .comma: out += value
        case .lower: out += value.lowercased()
        case .upper: out += value.uppercased()
        }
      }
    }
    return out
  }

  struct Values {
    var symbol = ""
    var symbols: [String] = []
    var channel = ""
    var channels: [String] = []
    var items: [String] = []
    var id = 1
    var credentials: [String: Secret] = [:]
    /// False for a URL, in which JSON escapes are not needed.
    var isJSON = true
  }

  private static func value(_ name: Name, _ values: Values, isJoined: Bool) -> String {
    switch name {
    case .symbol: inner(values.symbol)
    case .channel: inner(values.channel)
    case .symbols: list(values.symbols, isJoined)
    case .channels: list(values.channels, isJoined)
    case .items: list(values.items, isJoined)
    case .id: String(values.id)
    case .credential(let name):
      values.isJSON ? inner(values.credentials[name]?.revealed ?? "") : values.credentials[name]?.revealed ?? ""
    }
  }

  private static func inner(_ text: String) -> String { String(JSONValue.string(text).description.dropFirst().dropLast()) }
  private static func list(_ texts: [String], _ isJoined: Bool) -> String {
    isJoined ? inner(texts.joined(separator: ",")) : JSONValue.array(texts.map { .string($0) }).description
  }
}
