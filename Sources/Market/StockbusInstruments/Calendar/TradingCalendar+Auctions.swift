package import MarketData

extension TradingCalendar {
  /// The moment at which a print of this condition counts for sessions.
  ///
  /// An auction is reported when it is done, which may be some time after the regular session that it closes, or, because clocks differ,
  /// just before the session that it opens. A closing print up to `auctionSpan` after the end of a regular session counts at the last
  /// moment of that session, and so does the correction of a close, up to the next trading date's end. An opening print outside of regular
  /// sessions up to `auctionSpan` before one counts at its first moment. All others count at their time.
  package func moment(of condition: TradeCondition, at time: Timestamp) -> Timestamp {
    if !condition.isAuction { return time }
    let span = span(at: time)
    if condition == .opening {
      if span.kind == .regular { return time }
      let dates = [span.date, next(after: span.date)]
      let begin = regularSessions(of: dates).map(\.lowerBound).filter { $0 > time }.min()
      return begin.flatMap { $0.ns &- time.ns <= Self.auctionSpan ? $0 : nil } ?? time
    }
    let dates = [previous(before: span.date), span.date]
    guard let end = regularSessions(of: dates).map(\.upperBound).filter({ $0 <= time }).max() else { return time }
    return condition == .closing && time.ns &- end.ns > Self.auctionSpan ? time : Timestamp(ns: end.ns - 1)
  }

  private func regularSessions(of dates: [TradingDate?]) -> [Range<Timestamp>] {
    dates.compactMap(\.self).flatMap { sessions(of: $0) }.filter { $0.kind == .regular }.map(\.time)
  }

  /// Half an hour, in nanoseconds: closing auctions of exchanges take ten minutes and less, and their reports some minutes.
  private static var auctionSpan: Int64 { 1_800_000_000_000 }
}
