internal import StockbusDecoding
internal import StockbusPlugin

/// The way through the pages that have the missing trades of one hole.
struct Pursuit: Sendable {
  enum Step: Hashable {
    /// The next page is needed.
    case more
    /// The pages have reached the hole's end.
    case done
    /// The page leads no further: the REST may be behind the feed.
    case stalled
  }

  let key: GapFiller.Key
  let range: ClosedRange<Int64>
  let beginning: FillPlan.Beginning
  /// Where the next page begins.
  private(set) var from: Int64
  private(set) var before: Int64
  private(set) var since: Timestamp
  /// The part of the hole of which the pages had all trades.
  private(set) var covered: ClosedRange<Int64>?
  private(set) var pages = 0

  /// Times before the last trade's, because a venue may write a time with fewer digits in its feed.
  private static let overlap: Int64 = 1_000_000

  init(_ key: GapFiller.Key, _ hole: TradeNumbers.Hole, _ beginning: FillPlan.Beginning) {
    self.key = key
    self.beginning = beginning
    range = hole.range
    from = hole.first
    // From the trade after the hole, which the feed has sent: if the page has it, the REST is not behind the feed.
    before = hole.last.addingReportingOverflow(2).overflow ? .max : hole.last + 2
    since = Self.earlier(hole.since, by: Self.overlap)
  }

  /// True if pages lead to older trades, so that the trades of all pages are sent only after the last one.
  var leadsBack: Bool { beginning == .before }

  private static func earlier(_ time: Timestamp, by part: Int64) -> Timestamp {
    let (ns, overflows) = time.ns.subtractingReportingOverflow(part)
    return Timestamp(ns: overflows ? .min : ns)
  }

  /// Takes the rows of a page, in any order.
  mutating func take(_ rows: [FillPlan.Row]) -> Step {
    pages += 1
    switch beginning {
    case .from: return ascend(rows)
    case .before: return descend(rows)
    case .since: return proceed(rows)
    }
  }

  private mutating func ascend(_ rows: [FillPlan.Row]) -> Step {
    guard let most = rows.lazy.map(\.number).max(), most >= from else { return .stalled }
    covered = range.lowerBound...min(most, range.upperBound)
    if most >= range.upperBound { return .done }
    from = most + 1
    return .more
  }

  private mutating func descend(_ rows: [FillPlan.Row]) -> Step {
    let numbers = rows.lazy.map(\.number).filter { [before] in $0 < before }
    guard let least = numbers.min(), let most = numbers.max() else { return .stalled }
    if covered == nil, most <= range.upperBound { return .stalled }
    covered = max(least, range.lowerBound)...range.upperBound
    before = least
    return least <= range.lowerBound ? .done : .more
  }

  private mutating func proceed(_ rows: [FillPlan.Row]) -> Step {
    guard let most = rows.lazy.map(\.number).max(), let time = rows.lazy.map(\.trade.time).max() else { return .stalled }
    if most >= range.upperBound {
      covered = range
      return .done
    }
    // Trades of the page's last time may be on the next page too.
    let next = Self.earlier(time, by: 1)
    guard next > since else { return .stalled }
    since = next
    if let whole = rows.lazy.filter({ $0.trade.time < time }).map(\.number).max(), whole >= range.lowerBound {
      covered = range.lowerBound...whole
    }
    return .more
  }
}
