internal import StockbusInstruments
internal import StockbusPlugin

/// When a market trades: its calendar, reduced to the sessions in which orders are filled.
struct TradingHours {
  /// A stretch of trading without a break.
  struct Stretch {
    let start: Timestamp
    /// The moment at which the stretch ends.
    let end: Timestamp
    /// The moment at which all trading of the stretch's date ends, and with it the date's day orders.
    let close: Timestamp
    /// False for a stretch after a break.
    let isFirst: Bool
  }

  let calendar: TradingCalendar
  let sessions: TradedSessions

  /// The number of trading dates that are checked before a market counts as never trading again.
  private static var patience: Int { 400 }

  /// The stretch that contains `time`, or else the next one; nil if there is none.
  func stretch(endingAfter time: Timestamp) -> Stretch? {
    var date = calendar.tradingDate(of: time)
    for _ in 0..<Self.patience {
      let all = stretches(of: date)
      if let place = all.firstIndex(where: { $0.upperBound > time }), let last = all.last {
        return Stretch(start: all[place].lowerBound, end: all[place].upperBound, close: last.upperBound, isFirst: place == 0)
      }
      guard let next = calendar.next(after: date) else { return nil }
      date = next
    }
    return nil
  }

  /// The first moment at which prices are those of `date`: the beginning of its first session, of whatever kind. For a date without
  /// sessions that of the next date; nil if there is none.
  func begin(of date: TradingDate) -> Timestamp? {
    if let hours = calendar.hours(of: date) { return hours.lowerBound }
    return calendar.next(after: date).flatMap { calendar.hours(of: $0) }?.lowerBound
  }

  /// The sessions of a date that count, in order; sessions that directly follow each other are joined.
  private func stretches(of date: TradingDate) -> [Range<Timestamp>] {
    var result: [Range<Timestamp>] = []
    for session in calendar.sessions(of: date) where sessions == .all || session.kind == .regular {
      if let last = result.last, last.upperBound == session.time.lowerBound {
        result[result.count - 1] = last.lowerBound..<session.time.upperBound
      } else {
        result.append(session.time)
      }
    }
    return result
  }
}
