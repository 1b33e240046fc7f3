package import MarketData
internal import StockbusExpressions
internal import StockbusPlugin

/// Which sessions of instruments with a calendar count.
package enum CountedSessions: String, Choice, Codable {
  case all, regular
}

/// The sessions of windows such as `session` and `first 15m`: the trading dates of an instrument's calendar, or their regular hours. A symbol
/// without a calendar has days of the run's zone.
package struct InstrumentSessions: SessionSource {
  private let instruments: Instruments
  private var isRegularOnly: Bool
  private let zone: ExchangeClock

  package init(_ instruments: Instruments, _ sessions: CountedSessions) {
    self.instruments = instruments
    isRegularOnly = sessions == .regular
    zone = instruments.zone ?? .utc
  }

  /// The same instruments, with the sessions that count here.
  package func counting(_ sessions: CountedSessions) -> InstrumentSessions {
    var copy = self
    copy.isRegularOnly = sessions == .regular
    return copy
  }

  /// The moment at which this much time of sessions has passed since `time`; `.max` if that is far away.
  package func moment(after time: Int64, open span: Int64, of symbol: Symbol) -> Int64 {
    var (left, now) = (span, time)
    for _ in 0..<Self.mostDates {
      let session = self.session(of: symbol, at: Timestamp(ns: now))
      now = max(now, session.lowerBound.ns)
      let rest = session.upperBound.ns.subtractingSaturating(now)
      if left <= rest { return now.addingSaturating(left) }
      left -= rest
      now = session.upperBound.ns
    }
    return .max
  }

  /// The session at this time; between two sessions the next one, so that nothing is ready before it begins.
  package func session(of symbol: Symbol, at time: Timestamp) -> Range<Timestamp> {
    guard let calendar = instruments.calendar(for: symbol) else { return day(at: time) }
    var date: TradingDate? = calendar.tradingDate(of: time)
    // A date without regular hours is rare, two in a row rarer.
    for _ in 0..<Self.mostDates {
      guard let present = date else { break }
      if let hours = isRegularOnly ? calendar.regularSession(of: present) : calendar.hours(of: present), time < hours.upperBound {
        return hours
      }
      date = calendar.next(after: present)
    }
    return Timestamp(ns: .max - 1)..<Timestamp(ns: .max)
  }

  private static var mostDates: Int { 100 }

  private func day(at time: Timestamp) -> Range<Timestamp> {
    let seconds = Int(time.ns).quotient(by: 1_000_000_000)
    let midnight = (seconds + zone.offset(at: seconds)).quotient(by: 86_400) * 86_400
    func moment(_ local: Int) -> Timestamp {
      let (ns, isOver) = Int64(zone.utc(local: local)).multipliedReportingOverflow(by: 1_000_000_000)
      return Timestamp(ns: isOver ? (local < 0 ? .min : .max) : ns)
    }
    let (begin, end) = (moment(midnight), moment(midnight + 86_400))
    return begin < end && end > time ? begin..<end : time..<Timestamp(ns: .max)
  }
}
