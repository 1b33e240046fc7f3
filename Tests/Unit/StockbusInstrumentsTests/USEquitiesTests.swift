import Foundation
import MarketData
import TestSupport
import Testing

@testable import StockbusInstruments

/// The calendar of the exchanges of the United States, by the exchanges' announcements.
@Suite struct USEquitiesTests {
  @Test func `an ordinary day has three sessions`() throws {
    let calendar = try usEquities()
    let sessions = calendar.sessions(of: date("2013-10-08")).map { "\($0.kind) \(text($0.time) ?? "")" }
    #expect(
      sessions == [
        "pre 2013-10-08T08:00:00Z to 2013-10-08T13:30:00Z", "regular 2013-10-08T13:30:00Z to 2013-10-08T20:00:00Z",
        "post 2013-10-08T20:00:00Z to 2013-10-09T00:00:00Z",
      ])
    #expect(calendar.session(at: time("2013-10-08T13:29:59.999999999Z")) == .pre)
    #expect(calendar.session(at: time("2013-10-08T13:30:00Z")) == .regular)
    #expect(calendar.session(at: time("2013-10-08T19:59:59.999999999Z")) == .regular)
    #expect(calendar.session(at: time("2013-10-08T20:00:00Z")) == .post)
    #expect(calendar.session(at: time("2013-10-09T00:00:00Z")) == .closed)
    #expect(text(calendar.hours(of: date("2013-10-08"))) == "2013-10-08T08:00:00Z to 2013-10-09T00:00:00Z")
  }

  @Test func `the date goes on with the first session of the next trading date`() throws {
    let calendar = try usEquities()
    // Friday's night, the weekend and Columbus Day, on which the exchanges are open.
    #expect(calendar.tradingDate(of: time("2013-10-11T23:59:59Z")) == date("2013-10-11"))
    #expect(calendar.tradingDate(of: time("2013-10-13T12:00:00Z")) == date("2013-10-11"))
    #expect(calendar.tradingDate(of: time("2013-10-14T07:59:59.999999999Z")) == date("2013-10-11"))
    #expect(calendar.tradingDate(of: time("2013-10-14T08:00:00Z")) == date("2013-10-14"))
    let weekend = calendar.span(at: time("2013-10-13T12:00:00Z"))
    #expect(text(weekend) == "closed 2013-10-11 2013-10-12T00:00:00Z to 2013-10-14T08:00:00Z")
    #expect(calendar.nextChange(after: time("2013-10-14T08:00:00Z")) == time("2013-10-14T13:30:00Z"))
  }

  @Test func `sessions keep New York's clock when it changes`() throws {
    let calendar = try usEquities()
    // Clocks go forward on Sunday 2024-03-10 and back on Sunday 2024-11-03: 9:30 is 14:30 in UTC in winter, 13:30 in summer.
    #expect(text(calendar.regularSession(of: date("2024-03-08"))) == "2024-03-08T14:30:00Z to 2024-03-08T21:00:00Z")
    #expect(text(calendar.regularSession(of: date("2024-03-11"))) == "2024-03-11T13:30:00Z to 2024-03-11T20:00:00Z")
    #expect(text(calendar.regularSession(of: date("2024-11-01"))) == "2024-11-01T13:30:00Z to 2024-11-01T20:00:00Z")
    #expect(text(calendar.regularSession(of: date("2024-11-04"))) == "2024-11-04T14:30:00Z to 2024-11-04T21:00:00Z")
    // Before 2007 summer began on the first Sunday of April: 2006-04-02.
    #expect(text(calendar.regularSession(of: date("2006-03-31"))) == "2006-03-31T14:30:00Z to 2006-03-31T21:00:00Z")
    #expect(text(calendar.regularSession(of: date("2006-04-03"))) == "2006-04-03T13:30:00Z to 2006-04-03T20:00:00Z")
  }

  @Test func `an early close moves the sessions after it`() throws {
    let calendar = try usEquities()
    // The Friday after Thanksgiving 2024: 13:00 is 18:00 in UTC; trading after hours ends at 17:00.
    let sessions = calendar.sessions(of: date("2024-11-29")).map { "\($0.kind) \(text($0.time) ?? "")" }
    #expect(
      sessions == [
        "pre 2024-11-29T09:00:00Z to 2024-11-29T14:30:00Z", "regular 2024-11-29T14:30:00Z to 2024-11-29T18:00:00Z",
        "post 2024-11-29T18:00:00Z to 2024-11-29T22:00:00Z",
      ])
    #expect(text(calendar.regularSession(of: date("2024-07-03"))) == "2024-07-03T13:30:00Z to 2024-07-03T17:00:00Z")
    // 2002: not on Wednesday the 3rd of July, but on Friday the 5th.
    #expect(text(calendar.regularSession(of: date("2002-07-03"))) == "2002-07-03T13:30:00Z to 2002-07-03T20:00:00Z")
    #expect(text(calendar.regularSession(of: date("2002-07-05"))) == "2002-07-05T13:30:00Z to 2002-07-05T17:00:00Z")
    // 2013 was the first year with a short Wednesday.
    #expect(text(calendar.regularSession(of: date("2013-07-03"))) == "2013-07-03T13:30:00Z to 2013-07-03T17:00:00Z")
    #expect(text(calendar.regularSession(of: date("2013-07-05"))) == "2013-07-05T13:30:00Z to 2013-07-05T20:00:00Z")
    #expect(text(calendar.regularSession(of: date("2003-12-26"))) == "2003-12-26T14:30:00Z to 2003-12-26T18:00:00Z")
    // A late open: the anniversary of 11 September.
    #expect(text(calendar.regularSession(of: date("2002-09-11"))) == "2002-09-11T16:00:00Z to 2002-09-11T20:00:00Z")
    #expect(calendar.session(at: time("2002-09-11T14:00:00Z")) == .closed)
  }

  @Test(arguments: [
    ("2001-09-10", true), ("2001-09-11", false), ("2001-09-14", false), ("2001-09-17", true), ("2012-10-26", true), ("2012-10-29", false),
    ("2012-10-30", false), ("2012-10-31", true), ("2025-01-08", true), ("2025-01-09", false), ("2025-01-10", true), ("2004-06-11", false),
    ("2007-01-02", false), ("2018-12-05", false),
    // Juneteenth from 2022 on: in 2021 a Saturday anyway; the 19th of 2020 was a Friday.
    ("2020-06-19", true), ("2021-06-18", true), ("2022-06-20", false), ("2023-06-19", false), ("2027-06-18", false),
    // Good Friday; Easter 2024-03-31, 2008-03-23 and 2011-04-24.
    ("2024-03-29", false), ("2008-03-21", false), ("2011-04-22", false), ("2024-04-01", true),
    // New Year's Day on a Saturday is not observed; on a Sunday it is on Monday.
    ("2010-12-31", true), ("2021-12-31", true), ("2012-01-02", false), ("2023-01-02", false),
    ("2021-12-24", false), ("2022-12-26", false), ("2015-07-03", false), ("2021-07-05", false), ("1998-01-19", false),
    ("2024-05-27", false), ("2024-09-02", false), ("2024-11-28", false), ("2024-02-19", false), ("2013-10-12", false),
  ])
  func `the exchanges are open or closed`(_ day: String, _ isOpen: Bool) throws {
    #expect(try usEquities().isOpen(date(day)) == isOpen)
  }

  @Test func `weeks and neighbours leave holidays out`() throws {
    let calendar = try usEquities()
    #expect(calendar.next(after: date("2024-11-27")) == date("2024-11-29"))
    #expect(calendar.previous(before: date("2001-09-17")) == date("2001-09-10"))
    #expect(calendar.previous(before: date("2013-10-07")) == date("2013-10-04"))
    // Labor Day week 2013 begins on Tuesday; the week of Good Friday 2024 ends on Thursday; Sunday is the end of its week.
    #expect(calendar.firstOfWeek(date("2013-09-05")) == date("2013-09-03"))
    #expect(calendar.lastOfWeek(date("2024-03-26")) == date("2024-03-28"))
    #expect(calendar.lastOfWeek(date("2013-10-13")) == date("2013-10-11"))
    #expect(calendar.firstOfWeek(date("2013-10-13")) == date("2013-10-07"))
    // The first week of September 2001's closing had one trading date.
    #expect(calendar.firstOfWeek(date("2001-09-12")) == date("2001-09-10") && calendar.lastOfWeek(date("2001-09-12")) == date("2001-09-10"))
  }

  @Test func `Easter is that of the church's tables`() {
    let known = ["1998-04-12", "2000-04-23", "2008-03-23", "2011-04-24", "2024-03-31", "2028-04-16", "2038-04-25", "2285-03-22"]
    #expect(known.map { USEquities.easter(Int($0.prefix(4)) ?? 0)?.description } == known)
  }
}

/// Lean's list of holidays and early closes, which is not part of the project.
@Suite struct ReferenceCalendarTests {
  static let path = Repository.recordings + "/reference/lean_market_hours_subset.json"

  private struct Market: Decodable {
    let holidays: [String]
    let earlyCloses: [String: String]?
  }

  /// `7/3/2000`.
  private static func day(_ text: String) throws -> TradingDate {
    let parts = text.split(separator: "/").compactMap { Int($0) }
    try #require(parts.count == 3)
    return try #require(TradingDate(year: parts[2], month: parts[0], day: parts[1]))
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: path), "the reference is not there"))
  func `agrees with Lean's list from 1998 to 2028`() throws {
    let file = try JSONDecoder().decode([String: [String: Market]].self, from: Data(contentsOf: URL(fileURLWithPath: Self.path)))
    let market = try #require(file["entries"]?["Equity-usa-[*]"])
    let calendar = try usEquities()
    let holidays = Set(try market.holidays.map(Self.day))
    let closes = Set(try (market.earlyCloses ?? [:]).keys.map(Self.day))
    // Lean begins its early closes with November 1999, and lacks the last day of that year.
    let missing: Set = [date("1998-11-27"), date("1998-12-24"), date("1999-12-31")]
    var day = date("1998-01-01")
    var compared = 0
    while day <= date("2028-12-31") {
      if day.weekday.rawValue < 5 {
        compared += 1
        #expect(calendar.isOpen(day) == !holidays.contains(day), "\(day)")
        let isShort = calendar.plan(day).regular?.upperBound == 13 * 3600
        #expect(isShort == (closes.contains(day) || missing.contains(day)), "\(day)")
      }
      day = day.advanced(by: 1)
    }
    #expect(compared == 8087)
  }
}
