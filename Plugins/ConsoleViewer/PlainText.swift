internal import MarketData
internal import StockbusPlugin

/// Prices as plain text.
enum PlainText {
  /// `13:30:00.401 AIG 48.80 +0.10 +0.20%`
  static func line(_ event: some PricedEvent, change: Price) -> String {
    let decimals = Int(event.priceDecimals)
    return "\(clock(event.time)) \(event.symbol) \(event.lastPrice.formatted(decimals: decimals)) \(signed(change, decimals))"
  }

  /// `13:30:00.401 3 (was 5) AIG 48.80 +0.10 +0.20%`
  static func line(_ event: Ranked) -> String {
    let moved = event.previousRank == 0 || event.previousRank == event.rank ? "" : " (was \(event.previousRank))"
    let decimals = Int(event.priceDecimals)
    return "\(clock(event.time)) \(event.rank)\(moved) \(event.symbol) \(event.price.formatted(decimals: decimals)) "
      + "\(signed(event.change, decimals)) \(signed(event.percent))"
  }

  /// Hours to milliseconds, UTC.
  static func clock(_ time: Timestamp) -> String {
    var out = ByteWriter(capacity: 40)
    out.put(iso8601: time, form: .milliseconds)
    return String(out.string.dropFirst(11).dropLast())
  }

  static func signed(_ change: Price, _ decimals: Int) -> String { (change.raw > 0 ? "+" : "") + change.formatted(decimals: decimals) }

  /// Two decimals, rounded half away from zero: `+1.25%`.
  static func signed(_ percent: Percent) -> String {
    let hundredths = (percent.raw.magnitude / 1_000_000 + 5) / 10
    let sign = hundredths == 0 ? "" : percent.raw < 0 ? "-" : "+"
    return "\(sign)\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)%"
  }

  /// `1,234`, `12.3M`: at most six characters.
  static func amount(_ quantity: Quantity) -> String {
    let whole = quantity.raw.magnitude / 1_000_000_000
    switch whole {
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
