import MarketData
import TestSupport
import StockbusFiles
import Testing

@testable import StockbusInstruments

@Suite struct TradingCalendarTests {
  @Test func `crypto trades always, and its date changes at midnight in UTC`() {
    let calendar = TradingCalendar.always
    let day = calendar.span(at: time("2024-02-29T23:59:59.999999999Z"))
    #expect(text(day) == "regular 2024-02-29 2024-02-29T00:00:00Z to 2024-03-01T00:00:00Z")
    #expect(calendar.tradingDate(of: time("2024-03-01T00:00:00Z")) == date("2024-03-01"))
    #expect(calendar.isOpen(date("2024-03-03")) && calendar.lastOfWeek(date("2024-03-01")) == date("2024-03-03"))
    #expect(calendar.firstOfWeek(date("2024-03-01")) == date("2024-02-26"))
  }

  @Test func `times before 1970 and at the ends of time have a span`() throws {
    for calendar in [TradingCalendar.always, try usEquities(), try futures()] {
      for ns in [Int64.min, .min + 1, -1, 0, 1, .max - 1, .max] {
        let span = calendar.span(at: Timestamp(ns: ns))
        #expect(span.contains(Timestamp(ns: ns)) || ns == .max, "\(calendar.name) \(ns)")
      }
    }
    #expect(text(TradingCalendar.always.span(at: Timestamp(ns: -1))) == "regular 1969-12-31 1969-12-31T00:00:00Z to 1970-01-01T00:00:00Z")
  }

  @Test func `futures begin on the evening before`() throws {
    let calendar = try futures()
    // Sunday evening in Chicago is Monday's; Saturday still belongs to Friday.
    #expect(text(calendar.span(at: time("2024-06-02T22:00:00Z"))) == "regular 2024-06-03 2024-06-02T22:00:00Z to 2024-06-03T21:00:00Z")
    #expect(text(calendar.span(at: time("2024-06-01T12:00:00Z"))) == "closed 2024-05-31 2024-05-31T21:00:00Z to 2024-06-02T22:00:00Z")
    #expect(text(calendar.span(at: time("2024-06-03T21:30:00Z"))) == "closed 2024-06-03 2024-06-03T21:00:00Z to 2024-06-03T22:00:00Z")
    #expect(calendar.tradingDate(of: time("2024-06-03T22:00:00Z")) == date("2024-06-04"))
    // Clocks go forward on Sunday 2024-03-10, before the evening; Friday's session was by the winter's clock.
    #expect(text(calendar.regularSession(of: date("2024-03-08"))) == "2024-03-07T23:00:00Z to 2024-03-08T22:00:00Z")
    #expect(text(calendar.regularSession(of: date("2024-03-11"))) == "2024-03-10T22:00:00Z to 2024-03-11T21:00:00Z")
  }

  @Test func `a daily bar belongs to the date of its midnight, or else to the session it begins with`() throws {
    let calendar = try futures()
    func day(_ text: String) -> TradingDate { calendar.tradingDate(ofDayFrom: time(text)) }
    #expect(day("2024-06-03T00:00:00Z") == date("2024-06-03"))
    // Midnight in Chicago, in summer and in winter.
    #expect(day("2024-06-03T05:00:00Z") == date("2024-06-03"))
    #expect(day("2024-12-03T06:00:00Z") == date("2024-12-03"))
    // The session of Monday begins on Sunday evening.
    #expect(day("2024-06-02T22:00:00Z") == date("2024-06-03"))
    #expect(day("2024-06-03T06:00:00Z") == date("2024-06-03"))
    #expect(calendar.date(ofMidnight: time("2024-06-02T22:00:00Z")) == nil)
    #expect(calendar.date(ofMidnight: time("1969-12-30T00:00:00Z")) == date("1969-12-30"))
  }

  @Test func `holidays take the evening before with them`() throws {
    let calendar = try futures {
      $0.holidays = [date("2024-12-25")]
      $0.earlyCloses = [DatedTime(date: date("2024-12-24"), time: TimeOfDay(seconds: 12 * 3600))]
      $0.lateOpens = [DatedTime(date: date("2024-12-27"), time: TimeOfDay(seconds: 8 * 3600))]
    }
    #expect(text(calendar.regularSession(of: date("2024-12-24"))) == "2024-12-23T23:00:00Z to 2024-12-24T18:00:00Z")
    #expect(calendar.regularSession(of: date("2024-12-25")) == nil)
    #expect(text(calendar.span(at: time("2024-12-25T12:00:00Z"))) == "closed 2024-12-24 2024-12-24T18:00:00Z to 2024-12-25T23:00:00Z")
    #expect(text(calendar.regularSession(of: date("2024-12-27"))) == "2024-12-27T14:00:00Z to 2024-12-27T22:00:00Z")
    #expect(calendar.next(after: date("2024-12-24")) == date("2024-12-26"))
  }

  @Test func `a session of a time that the clocks skip or show twice`() throws {
    // New York: 2024-03-10 has no 2:30, 2024-11-03 has 1:30 twice.
    let clock = try ExchangeClock(zone: "America/New_York")
    let day = DayPlan(sessions: [.init(kind: .regular, start: 5400, end: 9000), .init(kind: .post, start: 9000, end: 12_600)])
    let calendar = TradingCalendar("night", clock: clock, week: Array(repeating: day, count: 7))
    // 1:30 to 2:30 and 2:30 to 3:30: the first session ends, and the second begins, with the change at 7:00 UTC.
    #expect(
      calendar.sessions(of: date("2024-03-10")).map { text($0.time) } == [
        "2024-03-10T06:30:00Z to 2024-03-10T07:00:00Z", "2024-03-10T07:00:00Z to 2024-03-10T07:30:00Z",
      ])
    // From the first 1:30, at 5:30 UTC, to 2:30, which is after the second: two hours.
    #expect(
      calendar.sessions(of: date("2024-11-03")).map { text($0.time) } == [
        "2024-11-03T05:30:00Z to 2024-11-03T07:30:00Z", "2024-11-03T07:30:00Z to 2024-11-03T08:30:00Z",
      ])
    // A session that lies inside of the skipped hour is left out.
    let inside = DayPlan(sessions: [.init(kind: .regular, start: 7500, end: 9000)])
    let skipped = TradingCalendar("inside", clock: clock, week: Array(repeating: inside, count: 7))
    #expect(skipped.sessions(of: date("2024-03-10")).isEmpty)
    #expect(text(skipped.span(at: time("2024-03-10T08:00:00Z"))) == "closed 2024-03-09 2024-03-09T07:30:00Z to 2024-03-11T06:05:00Z")
  }

  @Test func `sessions may have a first and a last date`() throws {
    // Tokyo, whose close moved from 15:00 to 15:30 on Tuesday, 5 November 2024. It is nine hours ahead of UTC.
    func session(_ from: String, _ to: String, since: String? = nil, until: String? = nil) throws -> SessionOptions {
      var session = SessionOptions()
      (session.from, session.to) = (try TimeOfDay(option: from), try TimeOfDay(option: to))
      (session.since, session.until) = (since.map(date), until.map(date))
      return session
    }
    var options = CalendarOptions()
    options.zone = "Asia/Tokyo"
    options.sessions = try [
      session("09:00", "11:30"), session("12:30", "15:00", until: "2024-11-04"), session("12:30", "15:30", since: "2024-11-05"),
    ]
    options.holidays = [date("2024-11-04")]
    options.earlyCloses = [DatedTime(date: date("2024-11-06"), time: try TimeOfDay(option: "15:15"))]
    let calendar = try options.calendar("tse")
    #expect(text(calendar.regularSession(of: date("1990-01-04"))) == "1990-01-04T00:00:00Z to 1990-01-04T06:00:00Z")
    #expect(text(calendar.regularSession(of: date("2024-11-01"))) == "2024-11-01T00:00:00Z to 2024-11-01T06:00:00Z")
    #expect(calendar.regularSession(of: date("2024-11-04")) == nil)
    #expect(text(calendar.regularSession(of: date("2024-11-05"))) == "2024-11-05T00:00:00Z to 2024-11-05T06:30:00Z")
    #expect(text(calendar.regularSession(of: date("2024-11-06"))) == "2024-11-06T00:00:00Z to 2024-11-06T06:15:00Z")
    #expect(text(calendar.regularSession(of: date("2100-03-01"))) == "2100-03-01T00:00:00Z to 2100-03-01T06:30:00Z")
    #expect(text(calendar.span(at: time("2024-11-01T06:10:00Z"))) == "closed 2024-11-01 2024-11-01T06:00:00Z to 2024-11-05T00:00:00Z")
    #expect(text(calendar.span(at: time("2024-11-05T06:10:00Z"))) == "regular 2024-11-05 2024-11-05T03:30:00Z to 2024-11-05T06:30:00Z")
    // A market that opens for the first time, and one that closes for good.
    options.holidays = []
    options.earlyCloses = []
    options.sessions = [try session("09:00", "15:00", since: "2020-02-28", until: "2020-03-02")]
    let short = try options.calendar("short")
    #expect(short.next(after: date("1990-01-01")) == date("2020-02-28"))
    #expect(short.next(after: date("2020-02-28")) == date("2020-03-02"))
    #expect(short.next(after: date("2020-03-02")) == nil)
  }

  @Test func `a span contains its moments, from its start to before its end`() throws {
    let calendar = try usEquities()
    var random = SplitMix(7)
    var at: Int64 = time("2024-03-07T00:00:00Z").ns
    for _ in 0..<2000 {
      at += Int64.random(in: -3_600_000_000_000...7_200_000_000_000, using: &random)
      let span = calendar.span(at: Timestamp(ns: at))
      #expect(span.contains(Timestamp(ns: at)))
      #expect(!span.contains(span.end) && !span.contains(Timestamp(ns: span.start.ns - 1)))
    }
  }

  /// All sessions of some weeks, minute by minute, by the definition: a session's minutes are those whose local time is in its hours.
  @Test func `spans agree with a walk through the minutes`() throws {
    let calendars = [
      try usEquities(), try futures(), try futures { $0.zone = "America/Sao_Paulo" }, try futures { $0.zone = "Australia/Lord_Howe" },
    ]
    var random = SplitMix(14)
    for calendar in calendars {
      for _ in 0..<rounds(12, cost: 10) {
        // A fortnight that begins anywhere between 1998 and 2040.
        let begin = Int.random(in: 883_612_800...2_208_988_800, using: &random) / 60 * 60
        var days: [Int: [Range<Int>]] = [:]
        for day in (begin / 86_400 - 8)...(begin / 86_400 + 24) {
          let date = TradingDate(days: Int32(day))
          days[day] = calendar.plan(date).sessions.map { ($0.start + day * 86_400)..<($0.end + day * 86_400) }
        }
        var before: SessionKind?
        for minute in stride(from: begin, to: begin + 14 * 86_400, by: 60) {
          let local = minute + calendar.clock.offset(at: minute)
          let day = local.quotient(by: 86_400)
          // An hour that is shown twice is left out: by the clock alone it cannot be told which of both it is.
          if calendar.clock.utc(local: local) != minute || calendar.clock.offset(at: minute - 7200) > calendar.clock.offset(at: minute) {
            before = nil
            continue
          }
          let found = [day, day + 1].first { days[$0]?.contains { $0.contains(local) } ?? false }
          let span = calendar.span(at: Timestamp(ns: Int64(minute) * 1_000_000_000))
          #expect((span.kind == .closed) == (found == nil), "\(calendar.name) \(span)")
          if let found { #expect(span.date.days == Int32(found)) }
          if let before, before != span.kind { #expect(span.start.ns == Int64(minute) * 1_000_000_000) }
          before = span.kind
        }
      }
    }
  }

  @Test func `the clock is that of the zone's file`() throws {
    var random = SplitMix(3)
    for name in ["America/New_York", "Europe/London", "Asia/Kolkata", "Africa/Casablanca", "Australia/Lord_Howe", "Pacific/Apia", "UTC"] {
      let rules = try ZoneRules(name)
      let clock = ExchangeClock(rules)
      for _ in 0..<2000 {
        let at = Int.random(in: -9_223_372_036...9_223_372_036, using: &random)
        #expect(clock.offset(at: at) == rules.offset(at: at), "\(name) \(at)")
        let near = Int.random(in: 0...2_208_988_800, using: &random)
        #expect(clock.offset(at: near) == rules.offset(at: near), "\(name) \(near)")
        // Back and forth: the same moment, or the earlier one of two with the same local time.
        let local = near + clock.offset(at: near)
        let back = clock.utc(local: local)
        #expect(back == near || (back < near && back + clock.offset(at: back) == local), "\(name) \(near)")
      }
    }
  }

  @Test func `later local times never lead to earlier moments`() throws {
    for name in ["America/New_York", "Pacific/Apia", "Africa/Casablanca"] {
      let clock = try ExchangeClock(zone: name)
      var last = Int.min
      for local in stride(from: 1_325_000_000, to: 1_420_000_000, by: 900) {
        let at = clock.utc(local: local)
        #expect(at >= last)
        last = at
      }
    }
  }
}
