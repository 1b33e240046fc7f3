/// A rule has fired.
public struct Alert: Hashable, Sendable {
  public var symbol: Symbol
  /// Decimals the price was written with; it prints with at least as many.
  public var priceDecimals: UInt8
  /// The price that fired it.
  public var price: Price
  /// The rule's name.
  public var rule: String
  /// What happened, in words.
  public var message: String
  /// The time of the event that fired it.
  public var time: Timestamp

  public init(symbol: Symbol, rule: String, message: String, price: Price, time: Timestamp, priceDecimals: UInt8 = 0) {
    self.symbol = symbol
    self.rule = rule
    self.message = message
    self.price = price
    self.time = time
    self.priceDecimals = priceDecimals
  }
}
