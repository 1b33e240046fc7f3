/// The best bid and offer of an instrument: 56 bytes without references.
public struct Quote: BitwiseCopyable, Hashable, Sendable {
  public var symbol: Symbol
  /// Decimals the prices were written with; they print with at least as many.
  public var priceDecimals: UInt8
  /// Decimals the sizes were written with; they print with at least as many.
  public var sizeDecimals: UInt8
  public var bid: Price
  public var ask: Price
  public var bidSize: Quantity
  public var askSize: Quantity
  /// When the venue says it stood so.
  public var time: Timestamp
  /// When it reached us.
  public var received: Timestamp

  @inlinable
  public init(
    symbol: Symbol, bid: Price, ask: Price, bidSize: Quantity = Quantity(raw: 0), askSize: Quantity = Quantity(raw: 0),
    time: Timestamp, received: Timestamp, priceDecimals: UInt8 = 0, sizeDecimals: UInt8 = 0
  ) {
    self.symbol = symbol
    self.priceDecimals = priceDecimals
    self.sizeDecimals = sizeDecimals
    self.bid = bid
    self.ask = ask
    self.bidSize = bidSize
    self.askSize = askSize
    self.time = time
    self.received = received
  }
}
