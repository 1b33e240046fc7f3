import StockbusPlugin
import StockbusTestKit
import Testing

@testable import PaperBroker

/// Sessions by the instrument's calendar. In January New York is five hours behind UTC: regular sessions last from 14:30 to 21:00.
@Suite struct SessionTests {
  private let desk = InstrumentDesk("AAPL,us_equities,0.01,1,USD,")

  @Test func `day orders expire at the end of the session, after what was received then`() async throws {
    let records = try await desk.run(
      Feed([
        try trade(100, "2024-01-02T14:30:00Z"), try trade(89, "2024-01-02T21:00:00Z", size: 4, side: .sell),
        try trade(88, "2024-01-02T21:00:01Z", side: .sell), try trade(88, "2024-01-03T14:30:00Z", size: 10, side: .sell),
      ]),
      Feed([
        try order("day", .buy, 10, limit: 90, .day, "2024-01-02T14:31:00Z"),
        try order("gtc", .buy, 5, limit: 89, .gtc, "2024-01-02T14:32:00Z"),
      ]))
    #expect(
      InstrumentDesk.summary(records) == [
        "2024-01-02T14:31:00Z order day working", "2024-01-02T14:32:00Z order gtc working",
        "2024-01-02T21:00:00Z order day partially_filled", "2024-01-02T21:00:00Z fill 1 buy 4 at 89 limit_trade",
        "2024-01-02T21:00:00Z order day expired session_end", "2024-01-03T14:30:00Z order gtc filled",
        "2024-01-03T14:30:00Z fill 2 buy 5 at 88 limit_trade",
      ])
  }

  @Test func `an order of the evening is for the next session; an immediate one is refused`() async throws {
    let records = try await desk.run(
      Feed([
        try quote(99, 101, "2024-01-05T20:59:00Z"), try quote(99, 101, "2024-01-05T23:00:00Z"),
        // Before the opening on Monday, and at it.
        try quote(99, 101, "2024-01-08T14:29:59Z"), try quote(98, 102, "2024-01-08T14:30:00Z"),
        try quote(98, 103, "2024-01-08T21:00:01Z"),
      ]),
      Feed([
        try order("market", .buy, 10, .day, "2024-01-05T22:00:00Z"), try order("ioc", .buy, 10, .ioc, "2024-01-05T22:00:01Z"),
        try order("low", .buy, 10, limit: 90, .day, "2024-01-06T12:00:00Z"),
      ]))
    #expect(
      InstrumentDesk.summary(records) == [
        "2024-01-05T22:00:00Z order market working", "2024-01-05T22:00:01Z order ioc rejected closed",
        "2024-01-06T12:00:00Z order low working", "2024-01-08T14:30:00Z order market filled",
        "2024-01-08T14:30:00Z fill 1 buy 10 at 102 touch", "2024-01-08T21:00:00Z order low expired session_end",
      ])
  }

  @Test func `with all sessions the day lasts from the first to the last one`() async throws {
    var desk = desk
    desk.options += "\nsessions: all"
    let records = try await desk.run(
      Feed([
        // From 4:00 in New York, which is 9:00 UTC, to 20:00, which is 1:00 UTC of the next day.
        try trade(100, "2024-01-02T08:59:59Z"), try trade(100, "2024-01-02T09:00:00Z"), try trade(80, "2024-01-03T00:59:59Z", side: .sell),
        try trade(79, "2024-01-03T01:00:01Z", side: .sell),
      ]),
      Feed([
        try order("market", .buy, 1, .day, "2024-01-02T08:59:59Z"), try order("one", .buy, 10, limit: 90, .day, "2024-01-02T21:30:00Z"),
        try order("two", .buy, 10, limit: 79, .day, "2024-01-02T21:30:00Z"),
      ]))
    #expect(
      InstrumentDesk.summary(records) == [
        "2024-01-02T08:59:59Z order market working", "2024-01-02T09:00:00Z order market filled",
        "2024-01-02T09:00:00Z fill 1 buy 1 at 100 next_trade", "2024-01-02T21:30:00Z order one working",
        "2024-01-02T21:30:00Z order two working", "2024-01-03T00:59:59Z order one filled",
        "2024-01-03T00:59:59Z fill 2 buy 10 at 80 limit_trade", "2024-01-03T01:00:00Z order two expired session_end",
      ])
  }

  @Test func `a market that never closes has the days of UTC, and goes on at midnight`() async throws {
    let desk = InstrumentDesk("BTC,24/7,0.01,0.001,USD,")
    let records = try await desk.run(
      Feed([
        try trade(100, "2024-01-02T23:00:00Z", "BTC"), try trade(100, "2024-01-03T00:00:00Z", side: .sell, "BTC"),
        try trade(90, "2024-01-03T00:00:01Z", side: .sell, "BTC"),
      ]),
      Feed([
        try order("one", .buy, 2, limit: 95, .day, "2024-01-02T23:00:01Z", "BTC"),
        try order("two", .buy, 2, limit: 95, .day, "2024-01-03T00:00:01Z", "BTC"),
      ]))
    #expect(
      InstrumentDesk.summary(records) == [
        "2024-01-02T23:00:01Z order one working", "2024-01-03T00:00:00Z order one expired session_end",
        "2024-01-03T00:00:01Z order two working",
      ])
  }

  /// 12:00 to 13:00 in Tokyo, at UTC+9; no daylight saving time.
  @Test func `a break keeps day orders, and fills nothing`() async throws {
    let desk = InstrumentDesk(
      "AAPL,tokyo,0.01,1,USD,",
      calendars:
        "tokyo: { zone: Asia/Tokyo, sessions: [{ days: mon-fri, from: 09:00, to: 12:00 }, { days: mon-fri, from: 13:00, to: 15:00 }] }")
    let records = try await desk.run(
      Feed([
        try trade(100, "2024-01-04T01:00:00Z"), try trade(80, "2024-01-04T03:00:00Z", size: 4, side: .sell),
        try trade(80, "2024-01-04T03:30:00Z", side: .sell), try trade(80, "2024-01-04T04:00:00Z", size: 5, side: .sell),
        try trade(80, "2024-01-04T07:00:00Z", side: .sell),
      ]), Feed([try order("one", .buy, 10, limit: 90, .day, "2024-01-04T01:00:01Z")]))
    #expect(
      InstrumentDesk.summary(records) == [
        "2024-01-04T01:00:01Z order one working", "2024-01-04T03:00:00Z order one partially_filled",
        "2024-01-04T03:00:00Z fill 1 buy 4 at 80 limit_trade", "2024-01-04T04:00:00Z order one partially_filled",
        "2024-01-04T04:00:00Z fill 1 buy 5 at 80 limit_trade", "2024-01-04T06:00:00Z order one expired session_end",
      ])
  }

  @Test func `the session ends when time has come so far, without a price`() async throws {
    let running = try desk.start()
    try await running.send([try quote(99, 101, "2024-01-02T20:00:00Z")])
    await running.delivered()
    #expect(try await running.perform("buy AAPL 10 at 90 key low") == "order 1, key low")
    await running.advance(to: try time("2024-01-02T21:00:00Z"))
    let records = await running.output(count: 4)
    #expect(InstrumentDesk.summary(records).last == "2024-01-02T21:00:00Z order low expired session_end")
    #expect(
      try await running.perform("buy AAPL 10") == "order 2; it waits: the market of AAPL is closed until 2024-01-03T14:30:00Z")
    #expect(
      try await running.perform("preview buy AAPL 10")
        == "at 100.00: value 1000.00, fee 0.00; reserves 1000.00; once filled: position 10, cash 99000.00, buying power 98000.00; it would wait: the market of AAPL is closed until 2024-01-03T14:30:00Z"
    )
    try await running.stop()
  }

  @Test func `a halt outlives a restart`() async throws {
    let folder = TemporaryFolder()
    var desk = desk
    desk.options += "\npath: \(folder.file("paper.db"))"
    let first = try desk.start()
    try await first.send([try quote(99, 101, "2024-01-02T20:00:00Z")])
    await first.delivered()
    #expect(try await first.perform("halt AAPL") == "AAPL is halted")
    try await first.stop()
    let second = try desk.start()
    try await second.send([try quote(99, 101, "2024-01-02T20:00:01Z")])
    await second.delivered()
    #expect(try await second.perform("buy AAPL 10") == "order 1; it waits: AAPL is halted")
    #expect(try await second.perform("resume AAPL") == "AAPL is traded again from the next price on")
    try await second.send([try quote(99, 101, "2024-01-02T20:00:02Z")])
    await second.delivered()
    try await second.stop()
    #expect(InstrumentDesk.summary(second.output).last == "2024-01-02T20:00:02Z fill 1 buy 10 at 101 touch")
    for name in ["paper.db", "paper.db-wal", "paper.db-shm", "paper.db-lock"] { folder.remove(name) }
  }
}
