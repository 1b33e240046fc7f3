package import StockbusPlugin

/// The request for a new order.
package struct OrderRequest: Hashable, Sendable {
  package var side: Side
  package var symbol: Symbol
  package var terms: OrderTerms

  package init(_ side: Side, _ symbol: Symbol, _ terms: OrderTerms) {
    self.side = side
    self.symbol = symbol
    self.terms = terms
  }
}

/// The terms of an order that its sender may choose. In a change of an open order, terms that are not set stay.
package struct OrderTerms: Hashable, Sendable {
  package var quantity: Quantity?
  package var limit: Price = 0
  package var stop: Price = 0
  package var trail: Price = 0
  package var trailPercent: Percent = 0
  package var timeInForce: TimeInForce?
  package var key: String?

  package init() {}

  package var type: OrderType {
    if trail.raw != 0 || trailPercent.raw != 0 { return .trailingStop }
    if stop.raw != 0 { return limit.raw != 0 ? .stopLimit : .stop }
    return limit.raw != 0 ? .limit : .market
  }

  /// A part with a value, by the word that stands before it in a command.
  package enum Part: String, CaseIterable {
    case limit = "at"
    case stop, trail, key, quantity
  }

  /// Reads a value as people write it: a trailing distance is a price or a percentage. Throws what is wrong with it, in a sentence.
  package mutating func set(_ part: Part, to text: String) throws(CommandError) {
    switch part {
    case .limit: limit = try Self.positive(text, "price", Price.init)
    case .stop: stop = try Self.positive(text, "price", Price.init)
    case .trail where text.hasSuffix("%"):
      trailPercent = try Self.positive(text, "percentage") { text throws(TextError) in try Percent(String(text.dropLast())) }
    case .trail: trail = try Self.positive(text, "price", Price.init)
    case .key: key = text
    case .quantity: quantity = try Self.positive(text, "quantity", Quantity.init)
    }
  }

  private static func positive<Value: Comparable & ExpressibleByIntegerLiteral>(
    _ text: String, _ what: String, _ read: (String) throws(TextError) -> Value
  ) throws(CommandError) -> Value {
    guard let value = try? read(text), value > 0 else { throw CommandError("\(shown(text)) is not a \(what) above zero") }
    return value
  }

  /// Throws if the word is none of a time in force.
  package mutating func setTimeInForce(_ word: String) throws(CommandError) {
    guard let force = TimeInForce.allCases.first(where: { $0.fieldName == word }) else {
      throw CommandError("unknown word \(shown(word))" + didYouMean(word, among: TimeInForce.allCases.map(\.fieldName)))
    }
    timeInForce = force
  }
}
