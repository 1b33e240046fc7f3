package import MarketData

/// A stretch of time for which there is one bar: a length, or a month or year of the calendar (in UTC).
package enum BarPeriod: Hashable, Sendable {
  case length(BarLength)
  case month, year

  /// `1m`, `1d`, `1w`, `100t`; `1mo` and `1y`.
  package init?(_ text: String) {
    switch text {
    case "1mo": self = .month
    case "1y": self = .year
    default:
      guard let length = BarLength(text), length != .unknown else { return nil }
      self = .length(length)
    }
  }

  /// The start of the period that `time` belongs to: lengths are counted from 1970-01-01T00:00Z, whole weeks from Monday, 1969-12-29 (ISO
  /// 8601). Nil for bars by trades and volume, and before the earliest time.
  package func start(of time: Timestamp) -> Timestamp? {
    switch self {
    case .length(let length):
      guard let span = length.nanoseconds else { return nil }
      // 1970-01-01 was a Thursday.
      let origin = span % BarLength.week.raw == 0 ? -3 * Timestamp.day : 0
      let (since, overflow) = time.ns.subtractingReportingOverflow(origin)
      if overflow { return nil }
      let rest = since % span
      let (start, early) = time.ns.subtractingReportingOverflow(rest < 0 ? rest + span : rest)
      return early ? nil : Timestamp(ns: start)
    case .month, .year:
      let date = CivilDate(daysSinceEpoch: time.daysSinceEpoch)
      let first = CivilDate(year: date.year, month: self == .month ? date.month : 1, day: 1)
      guard let first else { return nil }
      let (ns, overflow) = Int64(first.daysSinceEpoch).multipliedReportingOverflow(by: Timestamp.day)
      return overflow ? nil : Timestamp(ns: ns)
    }
  }

  /// True if a bar of this length lies in one period as a whole, wherever it is.
  package func isMade(of part: BarLength) -> Bool {
    guard let part = part.nanoseconds else { return false }
    switch self {
    case .length(let length): return length.nanoseconds.map { $0 > part && $0 % part == 0 && Self.fits(part, in: $0) } ?? false
    case .month, .year: return Timestamp.day % part == 0
    }
  }

  /// Weeks are counted from a Monday and all other lengths from a Thursday, so parts of a week must fit into a day.
  private static func fits(_ part: Int64, in length: Int64) -> Bool {
    let areWeeks = (length % BarLength.week.raw == 0, part % BarLength.week.raw == 0)
    return areWeeks.0 == areWeeks.1 || Timestamp.day % part == 0
  }

  /// The length of its bars: unknown for months and years, which differ.
  var length: BarLength { if case .length(let length) = self { length } else { .unknown } }
}

extension BarPeriod: CustomStringConvertible {
  package var description: String {
    switch self {
    case .length(let length): length.description
    case .month: "1mo"
    case .year: "1y"
    }
  }
}
