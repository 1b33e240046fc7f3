internal import MarketData

/// What a rule asks about a price, in plain numbers.
struct RuleTest: BitwiseCopyable, Hashable, Sendable {
  /// What is compared.
  enum Quantity: UInt8, BitwiseCopyable, Sendable {
    /// The price itself.
    case price
    /// The price minus the reference.
    case change
    /// The same in per cent of the reference.
    case percent
    /// The reference minus the price, and that in per cent.
    case fall, fallPercent
  }

  /// When it holds.
  enum Comparison: UInt8, BitwiseCopyable, Sendable {
    case above, below, atLeast
  }

  var quantity: Quantity
  var comparison: Comparison
  /// In billionths of the currency's unit or of one per cent.
  var threshold: Int64
  /// Where it no longer holds against this, it is armed again.
  var rearm: Int64
  /// True for a crossing, which happens at one moment; false for what holds as long as it does.
  var isCrossing: Bool
  /// True where the first price of a symbol may fire.
  var firesAtOnce: Bool
  var once: Bool
  /// Nanoseconds; 0 for none.
  var cooldown: Int64
  /// Nanoseconds after which it fires again while it holds; nil for never.
  var remind: Int64?
  /// From this time on it is silent; `.max` for never.
  var expires: Int64

  /// True where the comparison with `level` holds; nil where there is no such quantity, as with per cent of zero.
  @inline(__always)
  func holds(_ price: Int64, against reference: Int64, level: Int64) -> Bool? {
    if quantity == .price { return compare(price, level) }
    // Differences of two prices have 65 bits, times 10^11 102; a level times a price 126.
    var difference = Int128(price) - Int128(reference)
    switch quantity {
    case .price, .change: return compare(difference, Int128(level))
    case .fall: return compare(-difference, Int128(level))
    case .percent, .fallPercent:
      if reference == 0 { return nil }
      if quantity == .fallPercent { difference = -difference }
      return compare(difference * 100_000_000_000, Int128(level) * Int128(reference.magnitude))
    }
  }

  @inline(__always)
  private func compare<Number: Comparable>(_ value: Number, _ level: Number) -> Bool {
    switch comparison {
    case .above: value > level
    case .below: value < level
    case .atLeast: value >= level
    }
  }
}
