/// The prices of one stretch of time, first, highest, lowest and last, with the volume: 64 bytes without references.
public struct Bar: BitwiseCopyable, Hashable, Sendable {
  public var symbol: Symbol
  /// Decimals the prices were written with; they print with at least as many.
  public var priceDecimals: UInt8
  /// Decimals the volume was written with; it prints with at least as many.
  public var sizeDecimals: UInt8
  public var open: Price
  public var high: Price
  public var low: Price
  public var close: Price
  public var volume: Quantity
  /// When the stretch begins.
  public var time: Timestamp
  /// When it reached us.
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
