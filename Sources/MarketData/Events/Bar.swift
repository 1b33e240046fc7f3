/// The first, highest, lowest and last price of a period, with the volume: 64 bytes without references.
public struct Bar: BitwiseCopyable, Hashable, Sendable {
  public var symbol: Symbol
  /// The number of decimals the prices were written with; they are printed with at least as many.
  public var priceDecimals: UInt8
  /// The number of decimals the volume was written with; it is printed with at least as many.
  public var sizeDecimals: UInt8
  public var open: Price
  public var high: Price
  public var low: Price
  public var close: Price
  public var volume: Quantity
  /// When the period begins.
  public var time: Timestamp
  /// When the program received it.
  public var received: Timestamp

  @inlinable
  public init(
    symbol: Symbol, open: Price, high: Price, low: Price, close: Price, volume: Quantity, time: Timestamp, received: Timestamp,
    priceDecimals: UInt8 = 0, sizeDecimals: UInt8 = 0
  ) {
    self.symbol = symbol
    self.priceDecimals = priceDecimals
    self.sizeDecimals = sizeDecimals
    self.open = open
    self.high = high
    self.low = low
    self.close = close
    self.volume = volume
    self.time = time
    self.received = received
  }
}
