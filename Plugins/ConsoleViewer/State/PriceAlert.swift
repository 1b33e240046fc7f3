internal import MarketData
internal import StockbusViewing

/// An alert at a price; it fires once.
struct PriceAlert: Hashable {
  var symbol: Symbol
  /// True: at or above the level; false: at or below it.
  var isAbove: Bool
  var level: Price
  /// A notification dispatcher has a rule for it too.
  var isDelegated = false

  /// `AAPL above 200`.
  var text: String { "\(symbol) \(isAbove ? "above" : "below") \(level)" }

  /// The name of the dispatcher's rule for this alert. A symbol's name that the dispatcher would take for a pattern is marked as a plain
  /// name.
  var rule: String { isPattern ? "only " + text : text }

  /// The dispatcher's rule for this alert.
  var request: RuleRequest {
    RuleRequest(
      .symbol(symbol.description),
      [.init(isAbove ? "above" : "below", level.description)] + (isPattern ? [.init("name", rule)] : []))
  }

  private var isPattern: Bool { Glob.isPattern(symbol.description) }

  /// Parses `AAPL above 200`; nil if the text has another form. The last two words are side and level, because a name may contain blanks.
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

/// A notification on the screen: an alert of the screen or of a dispatcher, or a change of a connection.
struct ScreenNotification: Hashable {
  var time: Timestamp
  /// The instrument, where it is about one.
  var symbol: Symbol?
  var title: String
  var text: String
}
