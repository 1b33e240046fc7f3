internal import MarketData

/// The sum of consecutive bars of a symbol as one bar. Exact, with the average price rounded once, as long as the sums are not too large:
/// beyond that the volume stays at the largest possible, and the turnover is chosen so that it keeps the average price.
struct BarSum {
  private(set) var bar: Bar
  private var count: UInt64
  /// True while every part with a volume has a turnover, or a count.
  private var hasTurnover: Bool
  private var hasCount: Bool

  /// - Parameter start: the start of the period.
  init(_ first: Bar, start: Timestamp, length: BarLength) {
    bar = first
    bar.time = start
    bar.length = length
    count = UInt64(first.count)
    hasTurnover = first.volume.raw == 0 || first.turnover.raw != 0
    hasCount = first.volume.raw == 0 || first.count != 0
  }

  /// Adds the next bar.
  mutating func add(_ next: Bar) {
    let (volume, overflow) = bar.volume.raw.addingReportingOverflow(next.volume.raw)
    if !overflow, let turnover = bar.turnover.adding(next.turnover) {
      bar.volume = Quantity(raw: volume)
      bar.turnover = turnover
    } else {
      let average = bar.turnover.divided(by: bar.volume) ?? bar.close
      bar.volume = .most
      bar.turnover = Amount(average, times: bar.volume)
    }
    bar.high = max(bar.high, next.high)
    bar.low = min(bar.low, next.low)
    bar.close = next.close
    bar.priceDecimals = max(bar.priceDecimals, next.priceDecimals)
    bar.sizeDecimals = max(bar.sizeDecimals, next.sizeDecimals)
    bar.revision = max(bar.revision, next.revision)
    bar.received = max(bar.received, next.received)
    if bar.session != next.session { bar.session = .unknown }
    if next.status == .partial { bar.status = .partial }
    count += UInt64(next.count)
    if next.volume.raw != 0 {
      hasTurnover = hasTurnover && next.turnover.raw != 0
      hasCount = hasCount && next.count != 0
    }
  }

  /// The bar of all parts added so far. It lacks the values that some part lacks.
  var result: Bar {
    var bar = bar
    bar.count = hasCount ? UInt32(clamping: count) : 0
    if !hasTurnover { bar.turnover = Amount.zero }
    bar.vwap = (hasTurnover ? bar.turnover.divided(by: bar.volume) : nil) ?? bar.close
    return bar
  }
}
