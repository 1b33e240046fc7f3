internal import StockbusPlugin
internal import StockbusViewing

/// Prices as plain text.
enum PlainText {
  /// `09:30:00.401-04:00 AIG 48.80 +0.10`, with the sale condition of a trade that does not count for the last price behind it.
  static func line(_ event: some PricedEvent, change: Price, zone: DisplayZone) -> String {
    let decimals = Int(event.priceDecimals)
    return "\(zone.stamp(event.time)) \(event.symbol) \(event.lastPrice.formatted(decimals: decimals)) \(signed(change, decimals))"
      + (event.condition.countsForLast ? "" : " \(event.condition.fieldName)")
  }

  /// `09:30:00.401-04:00 3 (was 5) AIG 48.80 +0.10 +0.20%`
  static func line(_ event: Ranked, zone: DisplayZone) -> String {
    let moved = event.previousRank == 0 || event.previousRank == event.rank ? "" : " (was \(event.previousRank))"
    let decimals = Int(event.priceDecimals)
    return "\(zone.stamp(event.time)) \(event.rank)\(moved) \(event.symbol) \(event.price.formatted(decimals: decimals)) "
      + "\(signed(event.change, decimals)) \(signed(event.percent))"
  }

  /// `09:30:00.401-04:00 day gainers 3 (was 5) AIG 48.80 +0.10 +0.20%`; without a rank `day losers left AIG …`.
  static func line(_ event: Mover, zone: DisplayZone) -> String {
    let moved = event.rank == 0 || event.previousRank == 0 || event.previousRank == event.rank ? "" : " (was \(event.previousRank))"
    let rank = event.rank > 0 ? "\(event.rank)" : event.previousRank > 0 ? "left" : "-"
    let decimals = Int(event.priceDecimals)
    return "\(zone.stamp(event.time)) \(event.period.fieldName) \(event.list.fieldName) \(rank)\(moved) \(event.symbol) "
      + "\(event.price.formatted(decimals: decimals)) \(signed(event.change, decimals)) \(signed(event.percent))"
      + (event.mark == .unmarked ? "" : " \(event.mark.fieldName)")
  }

  static func signed(_ change: Price, _ decimals: Int) -> String { (change.raw > 0 ? "+" : "") + change.formatted(decimals: decimals) }

  /// `+1.25%`
  static func signed(_ percent: Percent) -> String { ColumnKind.signed(percent) }

  /// `1234`, `12.3M`, and for parts of a unit `0.025`: at most six characters, of which none is rounded up.
  static func amount(_ quantity: Quantity) -> String {
    let whole = quantity.raw.magnitude / 1_000_000_000
    switch whole {
    case ..<1000:
      let decimals = whole < 10 ? 4 : whole < 100 ? 3 : 2
      if quantity.raw != 0, quantity.raw.magnitude < 100_000 { return "<.0001" }
      let step = Int64(Quantity(1).raw) / [1, 10, 100, 1000, 10_000][decimals]
      return Quantity(raw: Int64(clamping: quantity.raw.magnitude) / step * step).description
    case ..<10_000: return "\(whole)"
    case ..<10_000_000: return scaled(whole, 1000, "k")
    case ..<10_000_000_000: return scaled(whole, 1_000_000, "M")
    default: return scaled(whole, 1_000_000_000, "G")
    }
  }

  private static func scaled(_ value: UInt64, _ unit: UInt64, _ letter: String) -> String {
    let tenths = value / (unit / 10)
    return tenths >= 1000 ? "\(tenths / 10)\(letter)" : "\(tenths / 10).\(tenths % 10)\(letter)"
  }
}
