/// A price with its place among all symbols of a feed: 64 bytes without references.
///
/// Each one is a move: the symbol goes from its place before to its place now, and those between shift by one. A feed of the first ranks
/// only tells each of these shifts too, so that the last event of every symbol is the list.
public struct Ranked: BitwiseCopyable, Hashable, Sendable {
  public var symbol: Symbol
  /// The place now, counted from 1; 0 where the symbol has left the first ones, which are all that a feed tells.
  public var rank: UInt32
  /// The place before this update; 0 where the symbol is new or comes back among the first ones.
  public var previousRank: UInt32
  /// Decimals the price was written with; price and change print with at least as many.
  public var priceDecimals: UInt8
  /// Decimals the volume was written with; it prints with at least as many.
  public var sizeDecimals: UInt8
  public var price: Price
  /// Price minus the symbol's reference price.
  public var change: Price
  /// The change in per cent of the reference price.
  public var percent: Percent
  /// What was traded of the symbol since the feed began.
  public var volume: Quantity
  /// When the venue says it happened: the price, or where another symbol's price moved this one to its place, that one.
  public var time: Timestamp
  /// When it reached us.
  public var received: Timestamp

  @inlinable
  public init(
    symbol: Symbol, rank: UInt32, previousRank: UInt32, price: Price, change: Price, percent: Percent, volume: Quantity,
    time: Timestamp, received: Timestamp, priceDecimals: UInt8 = 0, sizeDecimals: UInt8 = 0
  ) {
    self.symbol = symbol
    self.rank = rank
    self.previousRank = previousRank
    self.priceDecimals = priceDecimals
    self.sizeDecimals = sizeDecimals
    self.price = price
    self.change = change
    self.percent = percent
    self.volume = volume
    self.time = time
    self.received = received
  }
}
