import MarketData
import StockbusDecoding
import Testing

@testable import FileReplay

/// Hints for files that do not match the configuration.
@Suite struct LookTests {
  private func message<E: ReplayEvent & Equatable>(_ text: String, as _: E.Type = Trade.self) -> String? {
    (run(as: E.self, text) as Outcome<E>).error?.description
  }
  private let missing = "no column for the price (looked for 'price', 'px', 'p'); there are"

  @Test func `columns of another event name it`() {
    #expect(
      message("symbol,date,open,high,low,close,volume\nA,2013-10-08,1,2,0.5,1,100\n")
        == "f:1: \(missing) 'symbol', 'date', 'open', 'high', 'low', 'close', 'volume'; "
        + "'open', 'high', 'low' and 'close' are a bar's: set 'event: bar'")
    #expect(
      message("Time,Symbol,Bid_Price,Ask_Price\n")
        == "f:1: \(missing) 'Time', 'Symbol', 'Bid_Price', 'Ask_Price'; 'bid_price' and 'ask_price' are a quote's: set 'event: quote'")
    #expect(message("time,symbol,px\n", as: Bar.self)?.hasSuffix("; 'px' is a trade's: set 'event: trade'") == true)
    // No hint without good reason: single letters may mean anything, and half of an event's fields are not enough.
    #expect(message("t,s,o,h,l,c\n") == "f:1: \(missing) 't', 's', 'o', 'h', 'l', 'c'; name the right one in 'columns: { price: COLUMN }'")
    #expect(
      message("time,symbol,open,close\n")
        == "f:1: \(missing) 'time', 'symbol', 'open', 'close'; set 'columns: { price: close }' if that is the right one")
    #expect(
      message("symbol,open,high,low,close,price\n")?.hasSuffix("'close', 'price'; name the right one in 'columns: { time: COLUMN }'")
        == true)
  }

  @Test func `JSON rows of another event name it`() {
    let bars = run("{\"symbol\":\"A\",\"time\":1,\"open\":1,\"high\":2,\"low\":1,\"close\":2}\n")
    #expect(
      bars.reasons == [
        "1: 'price' is missing; the object has 'symbol', 'time', 'open', 'high', 'low', 'close'; "
          + "'open', 'high', 'low' and 'close' are a bar's: set 'event: bar'"
      ])
    let renamed = run("{\"Date\":1,\"Ticker\":\"A\",\"Last\":1}\n{\"at\":1,\"id\":7}\n{\"symbol\":\"A\",\"time\":1,\"data\":{}}\n")
    #expect(
      renamed.reasons == [
        "1: 'price' is missing; the object has 'Date', 'Ticker', 'Last'; set 'columns: { price: Last }' if that is the right one",
        "2: 'symbol', 'time' and 'price' are missing; the object has 'at', 'id'; "
          + "name the right one in 'columns: { symbol: PATH, time: at, price: PATH }', or set 'symbol: NAME' if all rows are about one symbol",
        "3: 'price' is missing; the object has 'symbol', 'time', 'data'; name the right one in 'columns: { price: PATH }'",
      ])
    let elsewhere = run("{\"data\":{},\"time\":1}\n", options { $0.columns = ["symbol": "data.s"] })
    #expect(elsewhere.reasons == ["1: 'symbol' is missing: there is nothing at 'data.s'; the object has 'data', 'time'"])
  }

  @Test func `a raw capture is recognised, with its venue`() {
    let binance = """
      1618677544.5: {"result":null,"id":1}
      1618677545000000001 {"stream":"btcusdt@trade","data":{"e":"trade","s":"BTCUSDT","t":1,"p":"61685.990","q":"0.5","T":1618677544990,"m":true}}

      """
    #expect(message(binance)?.hasPrefix("f:1: this looks like a raw capture of binance: set 'preset: binance'") == true)
    #expect(message("wss://stream.binance.com <-> 1618677543.367689\n" + binance)?.contains("'preset: binance'") == true)
    let gemini =
      "1 {\"type\":\"trade\",\"symbol\":\"BTCUSD\",\"event_id\":1,\"timestamp\":1618677544990,\"price\":\"1\",\"quantity\":\"1\",\"side\":\"buy\"}\n"
    #expect(message(gemini) == "f:1: this looks like a raw capture of gemini: set 'preset: gemini'")
    #expect(
      message(gemini, as: Quote.self) == "f:1: this looks like a raw capture of gemini: set 'preset: gemini' and 'event: trade'")
    // There is no message of the wanted kind yet; the address identifies the venue.
    let kraken =
      "wss://ws.kraken.com <-> 1\n2: {\"connectionID\":1,\"event\":\"systemStatus\",\"status\":\"online\",\"version\":\"1.8.3\"}\n"
    #expect(message(kraken)?.contains("raw capture of kraken") == true)
    #expect(message("wss://api.gemini.com/v2 <-> 1\n2: {\"type\":\"l2_updates\"}\n")?.contains("'preset: gemini'") == true)
    #expect(
      message("17 {\"news\":1}\n")
        == "f:1: this looks like a raw capture, with a receive time before each message: set 'preset' to its venue, "
        + "or say in 'decoding' what the messages are")
    // A table is none, whatever is wrong with it.
    #expect(message("1 2,3\n4,5\n")?.contains("capture") == false)
    #expect(message("name,\"1 {\"\n")?.contains("capture") == false)
  }

  @Test func `a large file says the same as a small one`() async throws {
    let text = "symbol,time,open,high,low,close\n" + String(repeating: "A,1,1,1,1,1\n", count: 100)
    let capture = String(repeating: "17 {\"news\":1}\n", count: 100)
    for text in [text, capture] {
      let input = ReplayInput(name: "f", contents: .bytes(Array(text.utf8)))
      let outcome: Outcome<Trade> = run([input])
      var replay = try ParallelReplay<Trade>(input, options { $0.blockSize = 256 }, parsers: 2)
      await #expect {
        try await replay.run(limit: 10) { _, _, _ in
        } noted: { _ in
          .skip
        }
      } throws: {
        $0 as? ReplayError == outcome.error
      }
    }
  }
}
