/// The trading days of an exchange and the sessions of each, over the whole range of `Timestamp`.
///
/// A moment outside all sessions belongs to the trading date of the previous session, so that the date changes exactly when the first
/// session of the next trading date begins. A session may begin on the evening before its date, as those of futures do. On days on which
/// the clocks change, sessions begin and end by the clock of the exchange: if clocks skip a time, at the moment of the change; if they show
/// it twice, at the first of both.
///
/// A calendar is immutable and needs some 430 KB: one number for each day of 585 years, so that a look-up needs no lock; only one number
/// for each day of the week if all weeks are alike. A look-up takes some 100 ns; a hot path keeps its span.
package final class TradingCalendar: Sendable {
  /// The name in files of instruments: `24/7`, `us_equities`.
  package let name: String
  package let clock: ExchangeClock
  /// The plans; the first one is that of a day without trading.
  private let plans: [DayPlan]
  /// For each day from `firstDay` on, the number of its plan; only the first week if all weeks are alike.
  private let days: [UInt16]

  /// Whole days in the range of `Timestamp`.
  private static let firstDay = -106_751
  private static let lastDay = 106_750

  /// A deviation on one date.
  enum Exception: Hashable, Sendable {
    case closed
    /// The hours of a shorter day, in seconds from midnight.
    case hours(opens: Int?, closes: Int?)
  }

  /// The plans of Monday to Sunday, whose sessions do not overlap, from a date on.
  struct Week {
    var since: TradingDate
    var plans: [DayPlan]
  }

  /// - Parameters:
  ///   - week: the plans of Monday to Sunday, whose sessions do not overlap.
  ///   - later: weeks that hold from a date on, the earliest first.
  ///   - exceptions: dates that differ from their weekday. Hours that are not inside the usual ones have no effect.
  init(_ name: String, clock: ExchangeClock, week: [DayPlan], later: [Week] = [], exceptions: [TradingDate: Exception] = [:]) {
    self.name = name
    self.clock = clock
    var plans = [DayPlan()]
    var numbers = [DayPlan(): 0]
    func number(_ plan: DayPlan) -> UInt16 {
      if let known = numbers[plan] { return UInt16(clamping: known) }
      numbers[plan] = plans.count
      plans.append(plan)
      return UInt16(clamping: plans.count - 1)
    }
    let monday = (Self.firstDay + 3).remainder(by: 7)
    let weeksAreAlike = later.isEmpty && exceptions.isEmpty
    var days = [UInt16](repeating: 0, count: weeksAreAlike ? 7 : Self.lastDay - Self.firstDay + 1)
    for week in [Week(since: TradingDate(days: Int32(Self.firstDay)), plans: week)] + later {
      let usual = Weekday.allCases.map { $0.rawValue < week.plans.count ? number(week.plans[$0.rawValue]) : 0 }
      for place in days.indices.dropFirst(Int(week.since.days) - Self.firstDay) { days[place] = usual[(place + monday) % 7] }
    }
    for (date, exception) in exceptions {
      let place = Int(date.days) - Self.firstDay
      guard days.indices.contains(place) else { continue }
      switch exception {
      case .closed: days[place] = 0
      case .hours(let opens, let closes):
        if let plan = plans[Int(days[place])].changed(opening: opens, closing: closes) { days[place] = number(plan) }
      }
    }
    self.plans = plans
    self.days = days
  }

  func plan(_ date: TradingDate) -> DayPlan { plans[Int(plan(onDay: Int(date.days)))] }

  /// The number of a day's plan; beyond the range of time 0, the plan of a day without trading.
  private func plan(onDay day: Int) -> UInt16 {
    Self.firstDay <= day && day <= Self.lastDay ? days[(day - Self.firstDay) % days.count] : 0
  }

  // MARK: Dates

  /// True if there is a session on this date.
  package func isOpen(_ date: TradingDate) -> Bool { plan(onDay: Int(date.days)) != 0 }

  /// The first trading date after `date`; nil beyond the range of time.
  package func next(after date: TradingDate) -> TradingDate? { first(from: date.advanced(by: 1), through: Self.lastDay) }

  /// The last trading date before `date`; nil beyond the range of time.
  package func previous(before date: TradingDate) -> TradingDate? { last(from: date.advanced(by: -1), through: Self.firstDay) }

  /// The first trading date of the week of `date`, which begins on Monday; nil if the whole week has none.
  package func firstOfWeek(_ date: TradingDate) -> TradingDate? { first(from: date.monday, through: Int(date.monday.days) + 6) }

  /// The last trading date of the week of `date`, which ends on Sunday; nil if the whole week has none.
  package func lastOfWeek(_ date: TradingDate) -> TradingDate? {
    last(from: date.monday.advanced(by: 6), through: Int(date.monday.days))
  }

  private func first(from date: TradingDate, through end: Int) -> TradingDate? {
    var day = max(Int(date.days), Self.firstDay)
    let end = min(end, Self.lastDay)
    while day <= end {
      if plan(onDay: day) != 0 { return TradingDate(days: Int32(clamping: day)) }
      day += 1
    }
    return nil
  }

  private func last(from date: TradingDate, through end: Int) -> TradingDate? {
    var day = min(Int(date.days), Self.lastDay)
    let end = max(end, Self.firstDay)
    while day >= end {
      if plan(onDay: day) != 0 { return TradingDate(days: Int32(clamping: day)) }
      day -= 1
    }
    return nil
  }
}

extension TradingCalendar: Equatable {
  /// True for the same calendar, not for another one with the same contents.
  package static func == (a: TradingCalendar, b: TradingCalendar) -> Bool { a === b }
}
