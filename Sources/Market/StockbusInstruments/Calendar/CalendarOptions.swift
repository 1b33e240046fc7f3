internal import StockbusFiles
package import StockbusPlugin

/// The kind of a session, as written.
package enum SessionWord: String, Choice {
  case pre, regular, post

  var kind: SessionKind {
    switch self {
    case .pre: .pre
    case .regular: .regular
    case .post: .post
    }
  }
}

/// A session of a calendar, as written: `{ days: mon-fri, from: 09:30, to: 16:00 }`.
package struct SessionOptions: Options {
  @Setting("The days of the week with this session.", count: 1...7)
  package var days = [Weekdays(first: .monday, last: .friday)]
  @Setting("The kind of session: pre, regular or post.")
  package var kind = SessionWord.regular
  @Setting("When it begins. If this is not before its end, it begins on the evening before its day.")
  package var from: TimeOfDay
  @Setting("When it ends, on its day; 24:00 is the midnight after it.")
  package var to: TimeOfDay
  @Setting("The first date with this session; by default there is no first date.")
  package var since: TradingDate?
  @Setting("The last date with this session; by default there is no last date.")
  package var until: TradingDate?

  package init() {}

  package func validate(_ problems: inout OptionProblems) {
    if to.seconds == 0 { problems.add("a session ends on its day, after 00:00; write 24:00 for the midnight after it", at: "to") }
    if from.seconds == 86_400 { problems.add("a session begins before 24:00", at: "from") }
    if let since, let until, until < since { problems.add("its last date is before its first one, \(since)", at: "until") }
  }

  func isOn(_ day: Weekday) -> Bool { days.contains { $0.all.contains(day) } }

  /// True if the session is part of the week of a date.
  func isThere(on date: TradingDate) -> Bool { (since.map { $0 <= date } ?? true) && (until.map { date <= $0 } ?? true) }

  var session: DayPlan.Session {
    DayPlan.Session(kind: kind.kind, start: from < to ? from.seconds : from.seconds - 86_400, end: to.seconds)
  }
}

/// A calendar, as written under `calendars:`.
package struct CalendarOptions: Options {
  @Setting("The time zone of the exchange, such as America/Chicago.", length: 1...100)
  package var zone = "UTC"
  @Setting("The sessions of each day of the week.", count: 1...50)
  package var sessions: [SessionOptions]
  @Setting("Holidays: dates without trading.", count: 0...10_000)
  package var holidays: [TradingDate] = []
  @Setting("Dates and times of an earlier end of the regular session: 2024-11-29 13:00. Later sessions move with it.", count: 0...10_000)
  package var earlyCloses: [DatedTime] = []
  @Setting("Dates and times of a later beginning of the regular session: 2002-09-11 12:00.", count: 0...10_000)
  package var lateOpens: [DatedTime] = []

  package init() {}

  package func validate(_ problems: inout OptionProblems) {
    do throws(ZoneProblem) { _ = try ExchangeClock(zone: zone) } catch { problems.add("'zone': \(error.message)", at: "zone") }
    checkSessions(&problems)
    checkDates(&problems)
  }

  /// Sessions may not overlap, not even with those of the next day, and at least one must be regular.
  private func checkSessions(_ problems: inout OptionProblems) {
    guard sessions.contains(where: { $0.kind == .regular }) else {
      return problems.add("there must be a regular session", at: "sessions")
    }
    var reported: Set<Int> = []
    for since in changes { checkOverlaps(since, &reported, &problems) }
    for since in changes.dropFirst() { checkEvening(before: since, &reported, &problems) }
  }

  /// Checks the sessions of the week that is valid from a date on.
  private func checkOverlaps(_ since: TradingDate, _ reported: inout Set<Int>, _ problems: inout OptionProblems) {
    // Places in the week, in seconds from Monday's midnight.
    struct Place {
      var start: Int
      var end: Int
      var item: Int
    }
    var week: [Place] = []
    for (item, option) in sessions.enumerated() where option.isThere(on: since) {
      for day in Set(option.days.flatMap(\.all)) {
        let (midnight, session) = (day.rawValue * 86_400, option.session)
        week.append(Place(start: midnight + session.start, end: midnight + session.end, item: item))
      }
    }
    week.sort { ($0.start, $0.item) < ($1.start, $1.item) }
    // The end of the week is adjacent to its beginning.
    if let first = week.first { week.append(Place(start: first.start + 7 * 86_400, end: first.end + 7 * 86_400, item: first.item)) }
    for (one, next) in zip(week, week.dropFirst()) where next.start < one.end { report(one.item, next.item, &reported, &problems) }
  }

  /// Checks the sessions of a week's first date that begin on the evening before, when the sessions of the previous week are valid.
  private func checkEvening(before date: TradingDate, _ reported: inout Set<Int>, _ problems: inout OptionProblems) {
    let eve = date.advanced(by: -1)
    for (item, option) in sessions.enumerated() where option.isThere(on: date) && option.isOn(date.weekday) && option.session.start < 0 {
      for (other, earlier) in sessions.enumerated()
      where earlier.isThere(on: eve) && earlier.isOn(eve.weekday) && option.session.start + 86_400 < earlier.session.end {
        report(other, item, &reported, &problems)
      }
    }
  }

  private func report(_ one: Int, _ other: Int, _ reported: inout Set<Int>, _ problems: inout OptionProblems) {
    let (a, b) = (min(one, other), max(one, other))
    if reported.insert(b).inserted { problems.add("the session overlaps with number \(a + 1)", at: "sessions", item: b) }
  }

  private func checkDates(_ problems: inout OptionProblems) {
    let weeks = weeks
    var seen: Set<TradingDate> = []
    for (item, date) in holidays.enumerated() where !seen.insert(date).inserted {
      problems.add("\(date) is written twice", at: "holidays", item: item)
    }
    var closes: [TradingDate: TimeOfDay] = [:]
    for (item, close) in earlyCloses.enumerated() {
      if closes[close.date] != nil {
        problems.add("\(close.date) is written twice", at: "early_closes", item: item)
        continue
      }
      closes[close.date] = close.time
      if let fault = fault(close.date, closing: close.time, seen, weeks) {
        problems.add(fault, at: "early_closes", item: item)
      }
    }
    var opens: Set<TradingDate> = []
    for (item, open) in lateOpens.enumerated() {
      if !opens.insert(open.date).inserted {
        problems.add("\(open.date) is written twice", at: "late_opens", item: item)
      } else if let fault = fault(open.date, opening: open.time, closing: closes[open.date], seen, weeks) {
        problems.add(fault, at: "late_opens", item: item)
      }
    }
  }

  private func fault(
    _ date: TradingDate, opening: TimeOfDay? = nil, closing: TimeOfDay? = nil, _ holidays: Set<TradingDate>,
    _ weeks: [TradingCalendar.Week]
  ) -> String? {
    if holidays.contains(date) { return "\(date) is a holiday" }
    let plan = weeks.last { $0.since <= date }?.plans[date.weekday.rawValue] ?? DayPlan()
    guard plan.regular != nil else { return "\(date) is a \(date.weekday), which has no regular session" }
    if plan.changed(opening: opening?.seconds, closing: closing?.seconds) != nil { return nil }
    let time = (opening ?? closing)?.optionText ?? ""
    return "no regular session of \(date) can \(opening == nil ? "end" : "begin") at \(time)"
  }

  /// The dates from which other sessions are valid, the earliest first; the first date is before all others.
  private var changes: [TradingDate] {
    let dates = sessions.flatMap { [$0.since, $0.until?.advanced(by: 1)].compactMap(\.self) }
    return [TradingDate(days: .min)] + Set(dates).sorted()
  }

  /// The plans of Monday to Sunday from each of these dates on.
  private var weeks: [TradingCalendar.Week] {
    changes.map { since in
      var week = Weekday.allCases.map { _ in DayPlan() }
      for option in sessions where option.isThere(on: since) {
        for day in week.indices where option.isOn(Weekday.allCases[day]) {
          week[day].sessions.append(option.session)
        }
      }
      for day in week.indices { week[day].sessions.sort { $0.start < $1.start } }
      return TradingCalendar.Week(since: since, plans: week)
    }
  }

  /// The calendar. The options must have been checked. Throws if the zone's file has become unreadable meanwhile.
  func calendar(_ name: String) throws(ZoneProblem) -> TradingCalendar {
    var exceptions: [TradingDate: TradingCalendar.Exception] = [:]
    for close in earlyCloses { exceptions[close.date] = .hours(opens: nil, closes: close.time.seconds) }
    for open in lateOpens {
      var closes: Int?
      if case .hours(_, let time) = exceptions[open.date] { closes = time }
      exceptions[open.date] = .hours(opens: open.time.seconds, closes: closes)
    }
    for date in holidays { exceptions[date] = .closed }
    let weeks = weeks
    return TradingCalendar(
      name, clock: try ExchangeClock(zone: zone), week: weeks[0].plans, later: Array(weeks.dropFirst()), exceptions: exceptions)
  }
}
