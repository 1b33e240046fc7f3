internal import MarketData

/// What one event adds to a bar: a trade, a quote's price, or a bar of a shorter length.
struct Contribution: BitwiseCopyable {
  var open: Int64
  var high: Int64
  var low: Int64
  var close: Int64
  /// Billionths of a unit, like the prices.
  var volume: Int64
  /// The turnover in the unit of `Amount`.
  var turnover: Int128
  var count: UInt32
  var priceDecimals: UInt8
  var sizeDecimals: UInt8
  var isPartial = false
  /// The values for which the event counts; a bar of a shorter length counts for all.
  var condition = TradeCondition.regular
  /// The event's own time; a bar's start. It decides which event is first and which is last.
  var time: Int64
}

extension Contribution {
  /// A single price with the size that counts for the volume.
  @inline(__always)
  init(price: Price, size: Quantity, time: Int64, priceDecimals: UInt8, sizeDecimals: UInt8, condition: TradeCondition) {
    self.init(
      open: price.raw, high: price.raw, low: price.raw, close: price.raw, volume: size.raw, turnover: Amount(price, times: size).raw,
      count: condition.countsForVolume ? 1 : 0, priceDecimals: priceDecimals, sizeDecimals: sizeDecimals, condition: condition, time: time)
  }

  /// Makes it a part of a bar of a session: outside the regular hours, trades of these hours are the regular ones.
  @inline(__always)
  mutating func count(in session: MarketSession) {
    if condition == .extendedHours, session == .pre || session == .post { condition = .regular }
  }

  /// A bar of a shorter length. If its turnover is unknown, an estimate counts: its average price times its volume, or the close times the
  /// volume if it has no average price.
  init(_ bar: Bar) {
    let isUnknown = bar.turnover.raw == 0 && bar.volume.raw != 0
    self.init(
      open: bar.open.raw, high: max(bar.high.raw, bar.open.raw, bar.close.raw), low: min(bar.low.raw, bar.open.raw, bar.close.raw),
      close: bar.close.raw, volume: bar.volume.raw, turnover: isUnknown ? Amount(bar.vwap, times: bar.volume).raw : bar.turnover.raw,
      count: bar.count, priceDecimals: bar.priceDecimals, sizeDecimals: bar.sizeDecimals, isPartial: bar.status == .partial,
      time: bar.time.ns)
  }
}
