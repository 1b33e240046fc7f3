/// A function of the language, for its description.
public struct FunctionInfo: Sendable, Hashable {
  public let name: String
  /// What it is, in a sentence.
  public let doc: String
  /// A call of it that is right for trades or bars.
  public let example: String
  /// What it needs to have a result; empty for functions of a single event.
  public let need: String

  /// All functions: those of a single event, then those that remember earlier events.
  public static let all: [FunctionInfo] = Function.allCases.map(\.info)
}

extension Function {
  fileprivate var info: FunctionInfo {
    let (doc, example, need) = words
    return FunctionInfo(name: rawValue, doc: doc, example: example, need: need)
  }

  private var words: (doc: String, example: String, need: String) {
    let full = "a whole window"
    switch self {
    case .abs: return ("The value without its sign.", "abs(price - 100)", "")
    case .min: return ("The smallest of several values.", "min(price, 100)", "")
    case .max: return ("The largest of several values.", "max(price, 100)", "")
    case .sma: return ("The mean of a window.", "sma(price, 20)", full)
    case .sum: return ("The sum of a window.", "sum(size, 5m)", full)
    case .count: return ("How many events in a window counted for the volume.", "count(5m)", full)
    case .ema: return ("The average that is weighted exponentially.", "ema(price, 20)", "n values")
    case .rma: return ("The average that is weighted as Wilder does.", "rma(price, 14)", "n values")
    case .wma: return ("The average that is weighted linearly.", "wma(price, 20)", "n values")
    case .vwap: return ("The average price, weighted by volume.", "vwap(session)", full)
    case .stddev: return ("The standard deviation of a window.", "stddev(price, 20)", full)
    case .zscore: return ("How many standard deviations the last value is above the mean of a window.", "zscore(price, 1h)", full)
    case .highest: return ("The highest value of a window, with this event.", "highest(price, 5m)", full)
    case .lowest: return ("The lowest value of a window, with this event.", "lowest(price, 5m)", full)
    case .first: return ("The first value of a session.", "first(price, session)", full)
    case .prev: return ("The value one event before, or n events.", "prev(price)", "n + 1 values")
    case .change: return ("The value minus that one event before, or n events.", "change(price, 3)", "n + 1 values")
    case .rsi: return ("The relative strength, from 0 to 100.", "rsi(price, 14)", "n + 1 values, of which two differ")
    case .macd: return ("The difference of a fast and a slow ema.", "macd(price, 12, 26)", "as many values as the slow one has")
    case .macdSignal: return ("The ema of a macd.", "macd_signal(price, 12, 26, 9)", "slow + n - 1 values")
    case .atr: return ("The average true range of bars.", "atr(14)", "n + 1 bars")
    case .supertrend: return ("The band of the trend of bars.", "supertrend(10, 3)", "n + 1 bars")
    case .stochastic:
      return (
        "Where the value lies between its lowest and its highest, from 0 to 100.", "stochastic(price, 14)", "n values, of which two differ"
      )
    case .bollingerUpper: return ("The mean plus k standard deviations.", "bollinger_upper(price, 20, 2)", full)
    case .bollingerLower: return ("The mean minus k standard deviations.", "bollinger_lower(price, 20, 2)", full)
    case .crossesAbove:
      return (
        "True if the first value is above the second, and was not before.", "crosses_above(price, sma(price, 20))", "both values, twice"
      )
    case .crossesBelow:
      return (
        "True if the first value is below the second, and was not before.", "crosses_below(price, vwap(session))", "both values, twice"
      )
    case .since: return ("The time since a condition last held.", "since(price > 100)", "that it has held")
    }
  }
}
