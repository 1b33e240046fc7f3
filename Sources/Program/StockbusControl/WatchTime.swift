internal import StockbusPlugin

/// How long `tap` and `why` watch a run.
package enum WatchTime {
  case tap, why

  /// The longest allowed time.
  package var most: Duration {
    switch self {
    case .tap: .seconds(86_400)
    case .why: .seconds(60)
    }
  }

  /// Reads a time, such as `10s`; nil if the text is not a time, or too long a time.
  package func read(_ text: String) -> Duration? {
    guard let time = try? Duration(option: text), time <= most else { return nil }
    return time > .zero || time == .zero && self == .why ? time : nil
  }

  /// The valid range, as the end of a sentence in an error message.
  package var usage: String {
    switch self {
    case .tap: "is a time up to 24h, such as 10s"
    case .why: "is a time up to 60s, such as 5s"
    }
  }
}
