internal import MarketData

/// A price at which somebody wants to be told, once.
struct PriceAlert: Hashable {
  var symbol: Symbol
  /// At or above the level, or at or below it.
  var isAbove: Bool
  var level: Price
  /// A notification dispatcher was told of it and watches it too.
  var isDelegated = false

  /// `AAPL above 200`.
  var text: String { words.joined(separator: " ") }
  var words: [String] { [symbol.description, isAbove ? "above" : "below", level.description] }

  /// What a dispatcher calls its rule for this. A name that is a pattern to the dispatcher says that it is none.
  var rule: String { isPattern ? "only " + text : text }

  /// What a dispatcher is told to add it.
  var order: [String] {
    isPattern ? [symbol.description, "exactly", isAbove ? "above" : "below", level.description, "name", rule] : words
  }

  private var isPattern: Bool { Glob.isPattern(symbol.description) }

  /// Reads `AAPL above 200`; nil where it is something else. The last two words are side and level: a name may hold blanks.
  init?(_ text: String) {
    guard let end = text.lastIndex(of: " "), let middle = text[..<end].lastIndex(of: " ") else { return nil }
    let side = text[text.index(after: middle)..<end]
    guard side == "above" || side == "below", let symbol = try? Symbol(String(text[..<middle])),
      let level = try? Price(String(text[text.index(after: end)...]))
    else { return nil }
    self.init(symbol: symbol, isAbove: side == "above", level: level)
  }

  init(symbol: Symbol, isAbove: Bool, level: Price, isDelegated: Bool = false) {
    self.symbol = symbol
    self.isAbove = isAbove
    self.level = level
    self.isDelegated = isDelegated
  }
}

/// Something worth telling people: an alert of ours or of a dispatcher, a change of a connection.
struct Notification: Hashable {
  var time: Timestamp
  /// The instrument, where it is about one.
  var symbol: Symbol?
  var title: String
  var text: String
}
