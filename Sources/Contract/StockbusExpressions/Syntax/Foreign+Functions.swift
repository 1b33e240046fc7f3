// Names that other languages have for functions over earlier events: Pine, kdb+, pandas, polars, TA-Lib, SQL, MetaStock.
extension Foreign {
  /// How the function is written here.
  static let functions: [String: String] = {
    var functions: [String: String] = [:]
    for (meant, names) in meanings { for name in names { functions[name] = meant } }
    return functions
  }()

  private static let meanings: [(String, [String])] = [
    ("crosses_above(a, b)", ["crossover", "cross_over", "crossup", "cross_up", "crossed_above", "crossabove"]),
    ("crosses_below(a, b)", ["crossunder", "cross_under", "crossdown", "cross_down", "crossed_below", "crossbelow"]),
    ("crosses_above(a, b) or crosses_below(a, b)", ["cross", "crosses", "crossed"]),
    ("sma(price, 20)", ["sma", "ma", "mavg", "avg", "average", "avgs", "mean", "rolling", "rolling_mean", "moving_average", "mov"]),
    ("ema(price, 20)", ["ema", "ewm", "ewma", "ewm_mean", "xavg", "expma"]),
    ("rma(price, 14)", ["rma", "wilder", "wilders", "smma"]), ("wma(price, 20)", ["wma", "lwma"]), ("rsi(price, 14)", ["rsi"]),
    ("stddev(price, 20)", ["stddev", "stdev", "std", "dev", "mdev", "rolling_std", "standard_deviation"]),
    ("zscore(price, 20)", ["zscore", "z_score", "z"]), ("stddev(price, 20) * stddev(price, 20)", ["var", "variance", "rolling_var"]),
    ("highest(price, 20) or highest(price, 5m)", ["mmax", "rolling_max", "hhv", "highest", "max_over_time", "high", "hh"]),
    ("lowest(price, 20) or lowest(price, 5m)", ["mmin", "rolling_min", "llv", "lowest", "min_over_time", "low", "ll"]),
    ("prev(price)", ["prev", "previous", "lag", "shift", "xprev", "ref", "last"]),
    ("change(price)", ["change", "delta", "deltas", "diff", "mom", "momentum", "rises", "falls"]),
    ("sum(size, 20) or sum(size, 5m)", ["sum", "msum", "sums", "rolling_sum", "sum_over_time", "cumsum"]),
    ("count(5m)", ["count", "mcount", "count_over_time"]), ("vwap(session) or vwap(5m)", ["vwap", "wavg", "vwma"]),
    ("first(price, session)", ["first", "first_value", "open_of_session"]), ("macd(close, 12, 26)", ["macd"]),
    ("macd_signal(close, 12, 26, 9)", ["macdsignal"]), ("atr(14)", ["atr", "avgtruerange"]), ("supertrend(10, 3)", ["supertrend"]),
    ("bollinger_upper(close, 20, 2) or bollinger_lower(close, 20, 2)", ["bb", "bbands", "bollinger", "bollinger_bands"]),
    ("stochastic(14)", ["stoch", "stochf", "stochastic"]), ("since(price > 100)", ["barssince", "since", "timesince", "time_since"]),
    ("sma(price, 20); there is no median", ["median", "percentile", "quantile"]),
  ]
}
