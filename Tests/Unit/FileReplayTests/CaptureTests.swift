import MarketData
import StockbusDecoding
import Testing

@testable import FileReplay

/// Two messages of Binance, with what a recorder or the cryptofeed tool adds to them.
private let capture = """
  wss://stream.binance.com <-> 1618677543.367689
  wss://stream.binance.com <- 1618677543.829587: {"method":"SUBSCRIBE"}
  1618677544.5: {"result":null,"id":1}
  1618677545000000001 {"stream":"btcusdt@trade","data":{"e":"trade","s":"BTCUSDT","t":1,"p":"61685.990","q":"0.5","T":1618677544990,"m":true}}
  1618677545.25: {"e":"trade","s":"ETHUSDT","t":7,"p":"2682.51","q":"1","T":1618677545111,"m":false}

  """

private func raw(_ preset: VenuePreset, _ change: (inout ReplayOptions) -> Void = { _ in }) -> ReplayOptions {
  options {
    $0.format = .raw
    $0.decoding = preset.spec
    change(&$0)
  }
}

@Suite struct CaptureTests {
  @Test func `a capture gives the events with the venue's time and the recorder's`() {
    for limit in [1, 3, 100] {
      let outcome = run(capture, raw(.binance), limit: limit)
      #expect(
        outcome.events.map(line) == [
          "BTCUSDT 61685.990 x0.5 @2021-04-17T16:39:04.990Z sell", "ETHUSDT 2682.51 x1 @2021-04-17T16:39:05.111Z buy",
        ])
      #expect(outcome.events.map(\.received.ns) == [1_618_677_545_000_000_001, 1_618_677_545_250_000_000])
      #expect(outcome.counts == ReplayCounts(events: 2) && outcome.malformed.isEmpty)
    }
  }

  @Test func `texts that are no JSON are told once each, and not where the spec passes over them`() {
    let text = capture + "1618677546 pong\n1618677547 ping\n1618677548 pong\n1618677549 {\n"
    let outcome = run(text, raw(.binance))
    #expect(outcome.events.count == 2)
    #expect(
      outcome.malformed.map(\.reason) == [
        "'pong' is not JSON; if it is a heartbeat, write ignore: [pong] in 'decoding'",
        "'ping' is not JSON; if it is a heartbeat, write ignore: [ping] in 'decoding'", "byte 2: the message ends too early",
      ])
    #expect(outcome.counts.unknown == 1)
    let quiet = run(text, raw(.binance) { $0.decoding.ignore = ["pong", "ping"] })
    #expect(quiet.malformed.count == 1 && quiet.counts.unknown == 0)
  }

  @Test func `damaged lines are told with their number, and the others go on`() {
    let text =
      capture + """
        {"e":"trade"}
        17 {"e":
        1618677546 {"e":"trade","s":"BTCUSDT","t":2,"p":"x","q":"1","T":1,"m":true}
        1618677546.0000000001 {}
        16186775461618677546 {}
        1618677547 {"e":"news"}
        1618677547
        1618677547 {"e":"trade","s":"BTCUSDT","t":3,"p":"5","q":"1","T":1618677547000,"m":true}

        """
    let outcome = run(text, raw(.binance))
    #expect(
      outcome.reasons == [
        "6: no receive time", "7: byte 6: the message ends too early", "8: 'price' is not a number: 'x' (byte 39)",
        "9: does not begin with a receive time and a space: more than nine decimals at byte 21",
        "10: does not begin with a receive time and a space: number out of range at byte 1",
        "12: does not begin with a receive time and a space: unexpected text at byte 11",
      ])
    #expect(outcome.counts == ReplayCounts(events: 3, outside: 0, malformed: 6, unknown: 1))
    #expect(run(text, raw(.binance), policy: .stop).error?.description == "f:6: no receive time")
  }

  @Test func `receive times may be in s, ms, us or ns`() {
    for (time, ns) in [
      ("1618677547", 1_618_677_547_000_000_000), ("1618677547123", 1_618_677_547_123_000_000),
      ("1618677547123456", 1_618_677_547_123_456_000),
      ("1618677547123456789", 1_618_677_547_123_456_789), ("1618677547.5", 1_618_677_547_500_000_000), ("0.000000001", 1),
    ] {
      let outcome = run(as: RawMessage.self, "\(time) {}\n\(time): []\n", options { $0.format = .raw })
      #expect(outcome.events.map(\.received.ns) == [Int64(ns), Int64(ns)] && outcome.events.map(\.text) == ["{}", "[]"])
    }
  }

  @Test func `captures are merged, and cut, by when they were received`() {
    let one = "10 {\"e\":\"trade\",\"s\":\"A\",\"t\":1,\"p\":\"1\",\"q\":\"1\",\"T\":99000,\"m\":true}\n"
    let two = "20 {\"e\":\"trade\",\"s\":\"B\",\"t\":1,\"p\":\"2\",\"q\":\"1\",\"T\":1000,\"m\":true}\n"
    let inputs = [two, one].enumerated().map { ReplayInput(name: "f\($0)", contents: .bytes(Array($1.utf8))) }
    let events = run(as: Trade.self, inputs, raw(.binance)).events
    #expect(events.map { "\($0.symbol)" } == ["A", "B"])
    let late = run(as: Trade.self, inputs, raw(.binance) { $0.from = Timestamp(ns: 15_000_000_000) })
    #expect(late.events.map { "\($0.symbol)" } == ["B"] && late.counts.outside == 1)
  }

  @Test func `gaps are found, and a new connection begins anew`() throws {
    let lines = [1, 2, 5].map { "1 [7,\"hb\",\($0)]" } + ["x <-> 1"] + [1, 3].map { "1 [7,\"hb\",\($0)]" }
    var replay = try Replay<Trade>(
      [ReplayInput(name: "f", contents: .bytes(Array(lines.joined(separator: "\n").utf8)))], raw(.bitfinex))
    #expect(try replay.next(limit: 10, into: { _ in }, noted: { _ in .skip }) == 0)
    #expect(replay.takeGaps().map { [$0.expected, $0.got] } == [[3, 5], [2, 3]])
    #expect(replay.takeGaps().isEmpty)
  }

  @Test func `symbols come out under the configuration's names`() {
    let outcome = run(capture, raw(.binance) { $0.symbols = ["BTC/USDT"] })
    #expect(outcome.events.map { "\($0.symbol)" } == ["BTC/USDT", "ETHUSDT"])
  }
}
