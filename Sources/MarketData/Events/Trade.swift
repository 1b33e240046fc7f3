/// One execution on a venue: 40 bytes without references.
public struct Trade: BitwiseCopyable, Hashable, Sendable {
  public var symbol: Symbol
  /// The number of decimals the price was written with; it is printed with at least as many.
  public var priceDecimals: UInt8
  /// The number of decimals the size was written with; it is printed with at least as many.
  public var sizeDecimals: UInt8
  /// The side that took the liquidity, if the venue says.
  public var side: Side
  public var price: Price
  public var size: Quantity
  /// When it happened according to the venue.
  public var time: Timestamp
  /// When the program received it.
  public var received: Timestamp

  @inlinable
  public init(
    symbol: Symbol, price: Price, size: Quantity, time: Timestamp, received: Timestamp, side: Side = .unknown,
    priceDecimals: UInt8 = 0, sizeDecimals: UInt8 = 0
  ) {
    self.symbol = symbol
    self.priceDecimals = priceDecimals
    self.sizeDecimals = sizeDecimals
    self.side = side
    self.price = price
    self.size = size
    self.time = time
    self.received = received
  }
}

/// The side of a trade that took the liquidity.
public enum Side: UInt8, BitwiseCopyable, Hashable, Sendable, CaseIterable {
  case unknown, buy, sell
}
