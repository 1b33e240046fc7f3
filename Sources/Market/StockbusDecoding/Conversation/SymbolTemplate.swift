internal import StockbusPlugin

/// Converts a symbol of a configuration to the venue's name, and back.
struct SymbolTemplate: Sendable {
  private enum Piece: Hashable, Sendable {
    case literal(String)
    case symbol, base, quote
  }
  private let pieces: [Piece]
  private let letters: SymbolForm.Letters
  private let rename: [String: String]

  init(_ form: SymbolForm?) {
    pieces = Self.pieces(form?.template ?? "{symbol}") ?? [.symbol]
    letters = form?.letters ?? .kept
    rename = Dictionary((form?.rename?.entries ?? []).map { ($0.name, $0.value) }) { first, _ in first }
  }

  /// The error in a template, in words; nil if the template is valid.
  static func fault(_ text: String) -> String? {
    guard let pieces = pieces(text) else { return "only {symbol}, {base} and {quote} are allowed in braces" }
    if pieces.contains(.symbol) { return nil }
    return pieces.contains(.base) && pieces.contains(.quote) ? nil : "it needs {symbol}, or {base} and {quote}"
  }

  private static func pieces(_ text: String) -> [Piece]? {
    var pieces: [Piece] = []
    var rest = Substring(text)
    while !rest.isEmpty {
      if rest.first == "{" {
        guard let end = rest.firstIndex(of: "}") else { return nil }
        switch rest[..<end].dropFirst() {
        case "symbol": pieces.append(.symbol)
        case "base": pieces.append(.base)
        case "quote": pieces.append(.quote)
        default: return nil
        }
        rest = rest[rest.index(after: end)...]
      } else {
        let literal = rest.prefix { $0 != "{" }
        if literal.contains("}") { return nil }
        pieces.append(.literal(String(literal)))
        rest = rest[literal.endIndex...]
      }
    }
    return pieces
  }

  private static let separators: Set<Character> = ["-", "/", "_", ":"]

  /// True if base and quote occur once, next to each other, so that the symbol need not have a separator.
  private var isSeamless: Bool {
    zip(pieces, pieces.dropFirst()).contains { $0 == (.base, .quote) } && pieces.count(where: { $0 == .base || $0 == .quote }) == 2
  }

  /// The venue's name; nil if the symbol has no separator and the template requires one.
  func venueName(_ symbol: String) -> String? {
    var base = symbol
    var quote = ""
    if let at = symbol.firstIndex(where: Self.separators.contains), pieces.contains(.base) {
      base = String(symbol[..<at])
      quote = String(symbol[symbol.index(after: at)...])
    } else if pieces.contains(.base), !isSeamless {
      return nil
    }
    var name = ""
    for piece in pieces {
      switch piece {
      case .literal(let text): name += text
      case .symbol: name += changed(rename[symbol] ?? symbol)
      case .base: name += changed(rename[base] ?? base)
      case .quote: name += changed(rename[quote] ?? quote)
      }
    }
    return name
  }

  private func changed(_ text: String) -> String {
    switch letters {
    case .kept: text
    case .upper: text.uppercased()
    case .lower: text.lowercased()
    }
  }

  /// The literal beginning and end of the venue's names, to be removed from names that are not listed.
  var frame: (prefix: String, suffix: String) {
    var prefix = ""
    var suffix = ""
    if case .literal(let text)? = pieces.first { prefix = text }
    if case .literal(let text)? = pieces.last, pieces.count > 1 { suffix = text }
    return (prefix, suffix)
  }
}

extension SymbolForm {
  /// The venue's name for a symbol; nil if the symbol has no separator and the template requires one.
  package func venueName(_ symbol: String) -> String? { SymbolTemplate(self).venueName(symbol) }
}
