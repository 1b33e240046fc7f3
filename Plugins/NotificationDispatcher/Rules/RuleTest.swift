internal import MarketData

/// A rule's condition in plain numbers.
struct RuleTest: BitwiseCopyable, Hashable, Sendable, Codable {
  /// The value that is compared.
  enum Quantity: String, BitwiseCopyable, Sendable, Codable {
    /// The price itself.
    case price
    /// The price minus the reference.
    case change
    /// The same in per cent of the reference.
    case percent
    /// The reference minus the price, as a price and in per cent.
    case fall, fallPercent
  }

  /// The comparison that makes the condition true.
  enum Comparison: String, BitwiseCopyable, Sendable, Codable {
    case above, below, atLeast
  }

  var quantity: Quantity
  var comparison: Comparison
  /// In units of 1e-9 of the currency's unit, or of one per cent.
  var threshold: Int64
  /// The rule is armed again when the comparison with this value is false.
  var rearm: Int64
  /// True for a crossing, which happens at one moment; false for a condition that lasts.
  var isCrossing: Bool
  /// True if an expression decides in place of the comparison, and if one arms the rule again.
  var hasWhen: Bool
  var hasRearmWhen: Bool
  /// True if the first price of a symbol may fire.
  var firesAtOnce: Bool
  var once: Bool
  /// Nanoseconds; 0 for none.
  var cooldown: Int64
  /// Nanoseconds after which the rule fires again while the condition is true; nil for never.
  var remind: Int64?
  /// From this time on the rule does not fire; `.max` for never.
  var expires: Int64
  /// For how long the condition must be true before the rule fires, in nanoseconds; 0 if it fires at once.
  var hold: Int64 = 0
  /// After how long without an event the rule fires, in nanoseconds; 0 if it has a condition.
  var silence: Int64 = 0
  /// True if it says when what it has fired for is over.
  var resolves = false

  /// True if the rule has to do something at a time at which no event comes.
  var needsTime: Bool { hold > 0 || silence > 0 || isEndedByTime }
  /// True if an alert is over when the rule expires.
  var isEndedByTime: Bool { resolves && expires != .max }

  /// True if the comparison with `level` holds; nil if the value does not exist, such as per cent of zero.
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
      return compare(difference &* 100_000_000_000, Int128(level) &* Int128(reference.magnitude))
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
