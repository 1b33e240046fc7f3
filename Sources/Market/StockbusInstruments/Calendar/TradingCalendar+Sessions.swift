package import MarketData
internal import StockbusFiles

/// One session of a trading date.
package struct MarketHours: Hashable, Sendable {
  package let kind: SessionKind
  /// The time from the first moment up to, but not including, the end.
  package let time: Range<Timestamp>
}

extension TradingCalendar {
  /// The span of `time`: the market's state, the trading date, and when both begin and end.
  package func span(at time: Timestamp) -> SessionSpan {
    let seconds = Self.seconds(time)
    // Usually no change of the clocks is near, and one look-up suffices for all conversions.
    let steady = clock.steadyOffset(at: seconds, margin: 8 * 86_400)
    let local = seconds + (steady ?? clock.offset(at: seconds))
    func utc(_ other: Int) -> Int {
      if let steady, abs(other - local) < 7 * 86_400 { return other - steady }
      return clock.utc(local: other)
    }
    // The local day, and the next day, whose sessions may begin on the evening before. One more day, for zones that skip or repeat hours at
    // midnight.
    let day = local.quotient(by: 86_400)
    let beyond = TradingDate(days: Int32(clamping: day + 3))
    var date = beyond
    var later: Int?
    func end() -> Timestamp {
      later = later ?? next(after: beyond.advanced(by: -1)).flatMap { start(of: $0) }
      return later.map(Self.timestamp) ?? Self.last
    }
    while let earlier = previous(before: date) {
      date = earlier
      let midnight = Int(date.days) * 86_400
      for session in plan(date).sessions.reversed() {
        let (start, over) = (utc(midnight + session.start), utc(midnight + session.end))
        if start >= over { continue }
        if start > seconds {
          later = start
        } else if seconds < over {
          return SessionSpan(session.kind, date, from: Self.timestamp(start), to: Self.timestamp(over))
        } else {
          return SessionSpan(.closed, date, from: Self.timestamp(over), to: end())
        }
      }
    }
    return SessionSpan(.closed, date, from: Timestamp(ns: .min), to: end())
  }

  /// The state of the market at `time`.
  package func session(at time: Timestamp) -> SessionKind { span(at: time).kind }

  /// The trading date of `time`; for a closed market, that of the previous session.
  package func tradingDate(of time: Timestamp) -> TradingDate { span(at: time).date }

  /// The trading date of a daily bar that begins at `time`. A midnight, in UTC or at the exchange, stands for its date; any other time has
  /// the trading date of its session.
  package func tradingDate(ofDayFrom time: Timestamp) -> TradingDate { date(ofMidnight: time) ?? tradingDate(of: time) }

  /// The date that begins at `time` in UTC, or else at the exchange; nil if none does.
  package func date(ofMidnight time: Timestamp) -> TradingDate? { clock.date(ofMidnight: time) }

  /// The next moment after `time` at which the kind of session or the trading date changes; the end of time if there is none.
  package func nextChange(after time: Timestamp) -> Timestamp { span(at: time).end }

  /// The sessions of a date in order; none if the market is closed.
  package func sessions(of date: TradingDate) -> [MarketHours] {
    hours(date).map { MarketHours(kind: $0.kind, time: Self.timestamp($0.start)..<Self.timestamp($0.end)) }
  }

  /// From the beginning of the first regular session of a date to the end of the last one; nil if there is none.
  package func regularSession(of date: TradingDate) -> Range<Timestamp>? {
    let regular = sessions(of: date).filter { $0.kind == .regular }
    guard let first = regular.first, let last = regular.last else { return nil }
    return first.time.lowerBound..<last.time.upperBound
  }

  /// From the beginning of the first session of a date to the end of the last one, of any kind; nil if the market is closed.
  package func hours(of date: TradingDate) -> Range<Timestamp>? {
    let all = sessions(of: date)
    guard let first = all.first, let last = all.last else { return nil }
    return first.time.lowerBound..<last.time.upperBound
  }

  /// The beginning of a date's first session, in seconds since the epoch.
  private func start(of date: TradingDate) -> Int? { hours(date).first?.start }

  /// The sessions of a date in seconds since the epoch, without those for which a change of the clocks leaves no time.
  private func hours(_ date: TradingDate) -> [(kind: SessionKind, start: Int, end: Int)] {
    let midnight = Int(date.days) * 86_400
    return plan(date).sessions.compactMap { session in
      let start = clock.utc(local: midnight + session.start)
      let end = clock.utc(local: midnight + session.end)
      return start < end ? (session.kind, start, end) : nil
    }
  }

  private static var last: Timestamp { Timestamp(ns: .max) }

  private static func seconds(_ time: Timestamp) -> Int { Int(time.ns).quotient(by: 1_000_000_000) }

  /// Clamped to the range of time.
  private static func timestamp(_ seconds: Int) -> Timestamp {
    let (ns, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    return Timestamp(ns: overflow ? (seconds < 0 ? .min : .max) : Int64(ns))
  }
}

extension ExchangeClock {
  /// The date that begins at `time` in UTC, or else in the zone; nil if none does.
  package func date(ofMidnight time: Timestamp) -> TradingDate? {
    BarDate.beginning(at: time, offset: offset(at:), begin: { utc(local: $0 * 86_400) }).map { TradingDate(days: Int32(clamping: $0)) }
  }
}
