/// A function of the language; the raw value is its name.
enum Function: String, CaseIterable {
  case abs, min, max
  // Functions over earlier events of the same instrument.
  case sma, sum, count, ema, rma, wma, vwap, stddev, zscore, highest, lowest, first, prev, change, rsi, macd, atr, supertrend, stochastic
  case macdSignal = "macd_signal"
  case bollingerUpper = "bollinger_upper"
  case bollingerLower = "bollinger_lower"
  case crossesAbove = "crosses_above"
  case crossesBelow = "crosses_below"
  case since

  /// True if its value depends on earlier events.
  var hasMemory: Bool { self != .abs && self != .min && self != .max }
  /// True if it is a condition, not a value.
  var isCondition: Bool { self == .crossesAbove || self == .crossesBelow }
  /// True if its argument is a condition.
  var takesCondition: Bool { self == .since }
  /// True for names that are also fields of an event.
  var isFieldToo: Bool { self == .count || self == .change }

  /// The number of arguments that the function takes.
  var arguments: ClosedRange<Int> {
    switch self {
    case .abs, .count, .vwap, .atr, .since: 1...1
    case .min, .max: 2...16
    case .prev, .change, .stochastic: 1...2
    case .sma, .sum, .ema, .rma, .wma, .stddev, .zscore, .highest, .lowest, .first, .rsi, .supertrend, .crossesAbove, .crossesBelow: 2...2
    case .macd, .bollingerUpper, .bollingerLower: 3...3
    case .macdSignal: 4...4
    }
  }

  /// What the function takes, for messages.
  var usage: String {
    switch self {
    case .abs: "a value"
    case .min, .max: "two or more values, as in \(rawValue)(bid, ask)"
    case .sma, .sum, .stddev, .zscore, .highest, .lowest:
      "a value and a window, which is a number of events, a time, session or first 15m, as in \(rawValue)(price, 20)"
    case .ema, .rma, .wma, .rsi: "a value and a number of events, as in \(rawValue)(price, 20)"
    case .count, .vwap: "a time, session or first 15m, as in \(rawValue)(5m)"
    case .first: "a value and session or first 15m, as in first(price, session)"
    case .prev, .change: "a value, and how many events back if not one, as in \(rawValue)(price, 3)"
    case .macd: "a value, a fast and a slow number of events, as in macd(close, 12, 26)"
    case .macdSignal: "a value and the numbers of events of fast, slow and signal, as in macd_signal(close, 12, 26, 9)"
    case .atr: "a number of bars, as in atr(14)"
    case .supertrend: "a number of bars and a factor, as in supertrend(10, 3)"
    case .stochastic: "a number of bars, or a value and a number of events, as in stochastic(14) or stochastic(price, 14)"
    case .bollingerUpper, .bollingerLower: "a value, a window and a factor, as in \(rawValue)(close, 20, 2)"
    case .crossesAbove, .crossesBelow: "two values, as in \(rawValue)(price, sma(price, 20))"
    case .since: "a condition, as in since(price > 100)"
    }
  }

  /// Some of the functions with memory, for messages.
  static let examples = "sma(price, 20), highest(price, 5m), vwap(session) and crosses_above(price, vwap(session))"
}
