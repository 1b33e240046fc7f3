import MarketData
import StockbusInstruments
import Testing

/// The sessions of windows in conditions.
@Suite struct InstrumentSessionTests {
  private func session(
    of symbol: Symbol = "ACME", at time: String, _ sessions: CountedSessions = .all, zone: String? = nil
  ) throws -> String {
    var builder = InstrumentsBuilder()
    builder.add(csv: Array("symbol,calendar\nACME,us_equities\n".utf8), file: "instruments.csv")
    var instruments = builder.finish()
    instruments.zone = try zone.map { try ExchangeClock(zone: $0) }
    let range = InstrumentSessions(instruments, sessions).session(of: symbol, at: try Timestamp(iso8601: time))
    return "\(range.lowerBound) \(range.upperBound)"
  }

  @Test func `a session is the trading date, or its regular hours`() throws {
    // 07:00, 12:00 and 19:00 in New York.
    for time in ["2024-01-02T12:00:00Z", "2024-01-02T17:00:00Z", "2024-01-03T00:00:00Z"] {
      #expect(try session(at: time) == "2024-01-02T09:00:00Z 2024-01-03T01:00:00Z")
    }
    #expect(try session(at: "2024-01-02T17:00:00Z", .regular) == "2024-01-02T14:30:00Z 2024-01-02T21:00:00Z")
    // An early close.
    #expect(try session(at: "2024-07-03T14:00:00Z", .regular) == "2024-07-03T13:30:00Z 2024-07-03T17:00:00Z")
  }

  @Test func `between two sessions it is the next one`() throws {
    #expect(try session(at: "2024-01-02T12:00:00Z", .regular) == "2024-01-02T14:30:00Z 2024-01-02T21:00:00Z")
    #expect(try session(at: "2024-01-02T21:00:00Z", .regular) == "2024-01-03T14:30:00Z 2024-01-03T21:00:00Z")
    // Friday evening before a holiday.
    #expect(try session(at: "2024-01-13T02:00:00Z") == "2024-01-16T09:00:00Z 2024-01-17T01:00:00Z")
  }

  @Test func `without a calendar it is a day in the zone of the run`() throws {
    #expect(try session(of: "BTC-USD", at: "2024-01-02T17:00:00Z") == "2024-01-02T00:00:00Z 2024-01-03T00:00:00Z")
    #expect(
      try session(of: "BTC-USD", at: "2024-01-02T17:00:00Z", zone: "Asia/Shanghai") == "2024-01-02T16:00:00Z 2024-01-03T16:00:00Z")
    // The day on which the clocks are set forward has 23 hours.
    #expect(
      try session(of: "BTC-USD", at: "2024-03-31T12:00:00Z", zone: "Europe/Zurich") == "2024-03-30T23:00:00Z 2024-03-31T22:00:00Z")
  }

  @Test func `any time has a session, which ends after it`() throws {
    let sessions = InstrumentSessions(Instruments(), .all)
    for ns: Int64 in [Int64.min, Int64.min + 1, -1, 0, Int64.max - 1] {
      let range = sessions.session(of: "X", at: Timestamp(ns: ns))
      #expect(range.lowerBound.ns <= ns && ns < range.upperBound.ns, "\(ns) \(range)")
    }
  }
}
