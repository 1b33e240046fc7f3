import EventBus
import MarketData
import TestSupport
import StockbusTestKit
import Testing

@testable import FileReplay

/// Files of bars, as stockbus writes them and as others do.
@Suite struct BarFileTests {
  private let head = "symbol,length,open,high,low,close,volume,vwap,turnover,count,session,status,revision,time,received\n"

  private func text(_ bars: [Bar], _ encode: (Bar, inout ByteWriter) -> Void) -> String {
    var out = ByteWriter(capacity: 1 << 12)
    for bar in bars {
      encode(bar, &out)
      out.put(10)
    }
    return out.string
  }

  @Test func `a volume that has stayed at the most that fits is read back from CSV and JSON as it was`() {
    let bar = Bar(
      symbol: "A", open: 1, high: 2, low: 1, close: 2, volume: .most, time: Timestamp(ns: 1_000_000_000),
      received: Timestamp(ns: 2_000_000_000), length: .day, turnover: Amount(2, times: .most), vwap: 2)
    for text in [head + text([bar]) { Bar.schema.encodeCSV($0, to: &$1) }, text([bar]) { Bar.schema.encodeJSON($0, to: &$1) }] {
      let outcome = run(as: Bar.self, text)
      #expect(outcome.events == [bar] && outcome.counts == ReplayCounts(events: 1))
    }
  }

  @Test func `bars that were written are read back as they were`() throws {
    var random = SplitMix(7)
    let lengths = try ["", "1s", "1m", "1d", "1w", "100t", "5000v", "0.5v"].map { try #require(BarLength($0)) }
    for round in 0..<rounds(50, cost: 5) {
      let bars = try (0..<40).map { i in
        let prices = (0..<4).map { _ in Price(raw: Int64(random.upTo(2_000_000_000_000)) - 1_000_000_000_000) }
        let turnover =
          Int128(Int64(random.upTo(.max - 1))) * Int128(random.oneIn(2) ? 1 : -4_000_000_000_000_000_000) / (random.oneIn(3) ? 1 : 1 << 64)
        return Bar(
          symbol: try Symbol("BF\(random.upTo(5))"), open: prices[0], high: prices[1], low: prices[2], close: prices[3],
          volume: Quantity(raw: Int64(random.upTo(9_000_000_000_000_000_000))),
          // A time of 0 is one of a row without any.
          time: Timestamp(ns: Int64(round * 40 + i + 1) * 1_000_000_000 + Int64(random.upTo(999_999_999))),
          received: Timestamp(ns: Int64(round * 40 + i + 2) * 1_000_000_000), priceDecimals: 9, sizeDecimals: 9,
          length: lengths[random.upTo(lengths.count - 1)], turnover: Amount(raw: turnover),
          vwap: Price(raw: Int64(random.upTo(1_000_000_000_000))), count: UInt32(random.upTo(Int(UInt32.max))),
          revision: UInt32(random.upTo(3)), session: MarketSession.allCases[random.upTo(3)], status: BarStatus.allCases[random.upTo(1)])
      }
      let csv = run(as: Bar.self, head + text(bars) { Bar.schema.encodeCSV($0, to: &$1) })
      #expect(csv.events == bars && csv.reasons == [], "\(csv.reasons.first ?? "")")
      let json = run(as: Bar.self, text(bars) { Bar.schema.encodeJSON($0, to: &$1) })
      #expect(json.events == bars && json.reasons == [], "\(json.reasons.first ?? "")")
    }
  }

  @Test func `what a file of bars does not say is unknown, and the average price is the close`() {
    let bars = run(as: Bar.self, "date,symbol,open,high,low,close,volume\n2008-01-02,AAPL,1,4,1,3,5\n").events
    #expect(bars.map(\.length) == [.unknown] && bars.map(\.vwap) == [3] && bars.map(\.turnover) == [0])
    #expect(bars.map(\.count) == [0] && bars.map(\.session) == [.unknown] && bars.map(\.status) == [.complete])
  }

  @Test func `the option gives the length of bars that say none`() {
    let daily = options { $0.length = .day }
    let rows = "date,symbol,open,high,low,close\n2008-01-02,AAPL,1,4,1,3\n"
    #expect(run(as: Bar.self, rows, daily).events.map(\.length) == [.day])
    let some = "time,symbol,open,high,low,close,length\n1,A,1,4,1,3,\n2,A,1,4,1,3,1m\n"
    #expect(run(as: Bar.self, some, daily).events.map(\.length) == [.day, .time(60_000_000_000)])
    let json =
      #"{"symbol":"A","o":1,"h":3,"l":1,"c":2,"time":1}"# + "\n" + #"{"symbol":"A","length":"1h","o":1,"h":3,"l":1,"c":2,"time":2}"#
    let mixed = run(as: Bar.self, json + "\n" + json + "\n", daily).events.map(\.length)
    #expect(mixed == [.day, .time(3_600_000_000_000), .day, .time(3_600_000_000_000)])
  }

  @Test func `a day that begins at a midnight of the zone, however it is written, is that of the date`() {
    func times(_ zone: String?, _ rows: [String], _ length: BarLength = .day, _ format: TimeFormat = .auto) -> [String] {
      let text = "time,symbol,open,high,low,close\n" + rows.map { "\($0),A,1,1,1,1\n" }.joined()
      let bars = run(
        as: Bar.self, text,
        options {
          ($0.zone, $0.length, $0.time.format) = (zone, length, format)
        }
      ).events
      #expect(bars.allSatisfy { $0.received == $0.time })
      return bars.map(\.time.description)
    }
    // Monday, 4 March 2024, as a date, in milliseconds, with an offset and by the clock of Berlin.
    let monday = ["2024-03-04", "1709506800000", "2024-03-04T00:00:00+01:00", "2024-03-04T00:00:00"]
    #expect(times("Europe/Berlin", monday) == Array(repeating: "2024-03-04T00:00:00Z", count: 4))
    #expect(times("Europe/Berlin", ["2024-04-01", "2024-04-02T00:00:00"]) == ["2024-04-01T00:00:00Z", "2024-04-02T00:00:00Z"])
    #expect(times("Asia/Shanghai", ["1783872000000"], .week) == ["2026-07-13T00:00:00Z"])
    #expect(times("Pacific/Auckland", ["2024-01-15", "2024-07-15"]) == ["2024-01-15T00:00:00Z", "2024-07-15T00:00:00Z"])
    #expect(times("America/New_York", ["2024-03-04", "1709528400000"]) == ["2024-03-04T00:00:00Z", "2024-03-04T00:00:00Z"])
    // Clocks skip the midnight with which 4 November 2018 would have begun in Brazil: it begins at 03:00 UTC.
    #expect(times("America/Sao_Paulo", ["2018-11-04", "2018-11-04T03:00:00Z"]) == Array(repeating: "2018-11-04T00:00:00Z", count: 2))
    // 29 February, and midnight UTC as it is.
    #expect(times("Asia/Tokyo", ["2024-02-29", "2024-02-29T00:00:00Z"]) == Array(repeating: "2024-02-29T00:00:00Z", count: 2))
    // Other times, shorter bars, and files without a zone stay.
    #expect(times("Asia/Tokyo", ["2024-03-04T09:00:01"]) == ["2024-03-04T00:00:01Z"])
    #expect(times("Asia/Tokyo", ["2024-03-04T00:00:00"], .time(60_000_000_000)) == ["2024-03-03T15:00:00Z"])
    #expect(times(nil, ["1709506800000"]) == ["2024-03-03T23:00:00Z"])
    // Where every time is a date, the length need not be known.
    #expect(times("Asia/Tokyo", ["2024-03-04"], .unknown, .date) == ["2024-03-04T00:00:00Z"])
  }

  @Test func `from and until are about the moments at which days begin in the zone`() {
    let rows = "date,symbol,open,high,low,close\n" + (3...6).map { "2024-03-0\($0),A,1,1,1,1\n" }.joined()
    for (zone, offset) in [("America/New_York", "-05:00"), ("Asia/Tokyo", "+09:00")] {
      let outcome = run(
        as: Bar.self, rows,
        options {
          ($0.zone, $0.length) = (zone, .day)
          $0.from = try? Timestamp(iso8601: "2024-03-04T00:00:00" + offset)
          $0.until = try? Timestamp(iso8601: "2024-03-06T00:00:00" + offset)
        })
      #expect(outcome.events.map(\.time.description) == ["2024-03-04T00:00:00Z", "2024-03-05T00:00:00Z"])
      #expect(outcome.counts.outside == 2)
    }
  }

  @Test func `a recorded receipt stays when a day gets its date`() {
    let bars = run(
      as: Bar.self, head + "A,1d,1,1,1,1,5,1,5,3,,,0,2026-07-12T16:00:00Z,2026-07-13T07:00:00Z\n", options { $0.zone = "Asia/Shanghai" })
    #expect(bars.events.map { "\($0.time) \($0.received)" } == ["2026-07-13T00:00:00Z 2026-07-13T07:00:00Z"])
  }

  @Test func `words of others count as unknown, wrong values are malformed`() {
    func row(_ values: String) -> Outcome<Bar> { run(as: Bar.self, head + "A," + values + ",1,\n") }
    #expect(row("1m,1,1,1,1,5,1,5,3,RTH,final,0").events.map(\.session) == [.unknown])
    #expect(row("1m,1,1,1,1,5,1,5,3,post,partial,2").events.map { "\($0.session) \($0.status) \($0.revision)" } == ["post partial 2"])
    #expect(row("60,1,1,1,1,5,1,5,3,,,").reasons == ["2: 'length' is not a bar length such as 1m, 100t or 5000v: '60'"])
    #expect(row("1m,1,1,1,1,5,x,5,3,,,").reasons == ["2: 'vwap' is not a number: 'x'"])
    #expect(row("1m,1,1,1,1,5,1,5e3,3,,,").reasons == ["2: 'turnover' is not a number: '5e3'"])
    #expect(row("1m,1,1,1,1,5,1,170141183460469231732,3,,,").reasons == ["2: 'turnover' is out of range: '170141183460469231732'"])
    #expect(row("1m,1,1,1,1,5,1,5,2.5,,,").reasons == ["2: 'count' is not a whole number: '2.5'"])
    #expect(row("1m,1,1,1,1,5,1,5,4294967296,,,").reasons == ["2: 'count' is out of range: '4294967296'"])
    #expect(row("1m,1,1,1,1,5,1,5,4294967295,,,").events.map(\.count) == [.max])
  }

  @Test func `average price and turnover are divided by the scale as prices are`() {
    let scaled = options { $0.priceScale = 100 }
    let bars = run(as: Bar.self, head + "A,1m,100,400,100,300,5,250,1250,2,,,,1,\n", scaled).events
    #expect(bars.map(\.close) == [3] && bars.map(\.vwap.raw) == [2_500_000_000])
    #expect(bars.map { "\($0.turnover)" } == ["12.5"])
  }

  @Test func `the option is for bars`() async {
    await #expect(throws: Problems.self) {
      let _: [Trade] = try await PluginHarness().first(1, of: Plugin.fileReplay, options: "{ path: x.csv, length: 1d }")
    }
  }
}
