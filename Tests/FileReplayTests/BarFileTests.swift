import EventBus
import MarketData
import SeededRandom
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

  @Test func `words of others count as unknown, wrong values are malformed`() {
    func row(_ values: String) -> Outcome<Bar> { run(as: Bar.self, head + "A," + values + ",1,\n") }
    #expect(row("1m,1,1,1,1,5,1,5,3,RTH,final,0").events.map(\.session) == [.unknown])
    #expect(row("1m,1,1,1,1,5,1,5,3,post,partial,2").events.map { "\($0.session) \($0.status) \($0.revision)" } == ["post partial 2"])
    #expect(row("60,1,1,1,1,5,1,5,3,,,").reasons == ["2: 'length' is no length of a bar such as 1m, 100t or 5000v: '60'"])
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
