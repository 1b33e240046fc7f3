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

  /// Reads `AAPL above 200`; nil where it is something else.
  init?(_ text: String) {
    let words = text.split(separator: " ")
    guard words.count == 3, words[1] == "above" || words[1] == "below", let symbol = try? Symbol(String(words[0])),
      let level = try? Price(String(words[2]))
    else { return nil }
    self.init(symbol: symbol, isAbove: words[1] == "above", level: level)
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
