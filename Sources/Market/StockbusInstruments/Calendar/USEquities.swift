internal import MarketData
internal import StockbusFiles

/// The calendar of the stock exchanges of the United States: NYSE, Nasdaq, and the exchanges with the same days.
///
/// Holidays and early closes follow the exchanges' rules from 1998 on (NYSE rule 7.2; before 2022 rule 51), so that future years are right
/// too, unless the rules change. Days that no rule gives are listed. Sources: "NYSE: Special Closings since 1885" (the exchange's own list,
/// closings.pdf), and its yearly announcements of holidays. Openings that were delayed by a minute or two for a moment of silence are left
/// out. The extended hours are those of Nasdaq and NYSE Arca, 4:00 to 20:00, for all years.
enum USEquities {
  static let name = "us_equities"

  static func calendar() throws(ZoneProblem) -> TradingCalendar {
    let day = DayPlan(sessions: [
      .init(kind: .pre, start: 4 * 3600, end: openingBell), .init(kind: .regular, start: openingBell, end: 16 * 3600),
      .init(kind: .post, start: 16 * 3600, end: 20 * 3600),
    ])
    let week = [day, day, day, day, day, DayPlan(), DayPlan()]
    return TradingCalendar(name, clock: try ExchangeClock(zone: "America/New_York"), week: week, exceptions: exceptions)
  }

  private static let openingBell = 9 * 3600 + 1800
  /// 13:00; sessions after it end at 17:00.
  private static let earlyClose = TradingCalendar.Exception.hours(opens: nil, closes: 13 * 3600)
  /// The years for which the rules are applied. Earlier years have the week only.
  private static let years = 1998...2261

  private static var exceptions: [TradingDate: TradingCalendar.Exception] {
    var found: [TradingDate: TradingCalendar.Exception] = [:]
    for year in years {
      for date in earlyCloses(year) { found[date] = earlyClose }
      for date in holidays(year) { found[date] = .closed }
    }
    for (year, month, day) in closings { if let date = TradingDate(year: year, month: month, day: day) { found[date] = .closed } }
    for (year, month, day) in shortDays { if let date = TradingDate(year: year, month: month, day: day) { found[date] = earlyClose } }
    // The first anniversary of 11 September: trading began at noon.
    if let date = TradingDate(year: 2002, month: 9, day: 11) { found[date] = .hours(opens: 12 * 3600, closes: nil) }
    return found
  }

  /// Closings that no rule gives: the attacks of 11 September 2001; mourning for presidents Reagan, Ford, Bush and Carter; hurricane Sandy.
  private static let closings = [
    (2001, 9, 11), (2001, 9, 12), (2001, 9, 13), (2001, 9, 14), (2004, 6, 11), (2007, 1, 2), (2012, 10, 29), (2012, 10, 30),
    (2018, 12, 5), (2025, 1, 9),
  ]

  /// Early closes that no rule gives: before the year 2000, and the Friday after Christmas 2003.
  private static let shortDays = [(1999, 12, 31), (2003, 12, 26)]

  private static func holidays(_ year: Int) -> [TradingDate] {
    var dates = [
      weekday(.monday, 3, year, 1),  // Martin Luther King's birthday
      weekday(.monday, 3, year, 2),  // Washington's birthday
      easter(year)?.advanced(by: -2),  // Good Friday
      lastMonday(ofMay: year),  // Memorial Day
      observed(year, 7, 4),
      weekday(.monday, 1, year, 9),  // Labor Day
      weekday(.thursday, 4, year, 11),  // Thanksgiving
      observed(year, 12, 25),
    ]
    // New Year's Day on a Saturday is not observed on the Friday before, the last day of the accounting year (rule 7.2).
    if let newYear = TradingDate(year: year, month: 1, day: 1), newYear.weekday != .saturday { dates.append(observed(year, 1, 1)) }
    if year >= 2022 { dates.append(observed(year, 6, 19)) }  // Juneteenth
    return dates.compactMap(\.self)
  }

  private static func earlyCloses(_ year: Int) -> [TradingDate] {
    var dates = [weekday(.thursday, 4, year, 11)?.advanced(by: 1)]
    if let eve = TradingDate(year: year, month: 12, day: 24), (0...3).contains(eve.weekday.rawValue) { dates.append(eve) }
    if let eve = TradingDate(year: year, month: 7, day: 3) {
      switch eve.weekday {
      case .monday, .tuesday, .thursday: dates.append(eve)
      // Until 2012 the Friday after a Thursday holiday was the short day.
      case .wednesday where year >= 2013: dates.append(eve)
      case .wednesday: dates.append(eve.advanced(by: 2))
      default: break
      }
    }
    return dates.compactMap(\.self)
  }

  /// A holiday with a fixed date: observed on Friday if that date is a Saturday, on Monday if it is a Sunday.
  private static func observed(_ year: Int, _ month: Int, _ day: Int) -> TradingDate? {
    guard let date = TradingDate(year: year, month: month, day: day) else { return nil }
    return date.advanced(by: date.weekday == .saturday ? -1 : date.weekday == .sunday ? 1 : 0)
  }

  /// The `count`-th weekday of a month.
  private static func weekday(_ weekday: Weekday, _ count: Int, _ year: Int, _ month: Int) -> TradingDate? {
    guard let first = TradingDate(year: year, month: month, day: 1) else { return nil }
    let days = (weekday.rawValue - first.weekday.rawValue + 7) % 7
    return first.advanced(by: days + 7 * (count - 1))
  }

  private static func lastMonday(ofMay year: Int) -> TradingDate? { TradingDate(year: year, month: 5, day: 31)?.monday }

  /// Easter Sunday: the anonymous Gregorian algorithm, Jean Meeus, "Astronomical Algorithms", chapter 8.
  static func easter(_ year: Int) -> TradingDate? {
    let a = year % 19
    let (b, c) = (year / 100, year % 100)
    let (d, e) = (b / 4, b % 4)
    let g = (b - (b + 8) / 25 + 1) / 3
    let h = (19 * a + b - d - g + 15) % 30
    let (i, k) = (c / 4, c % 4)
    let l = (32 + 2 * e + 2 * i - h - k) % 7
    let m = (a + 11 * h + 22 * l) / 451
    let sum = h + l - 7 * m + 114
    return TradingDate(year: year, month: sum / 31, day: sum % 31 + 1)
  }
}
