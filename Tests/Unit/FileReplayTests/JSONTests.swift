import MarketData
import TestSupport
import Testing

@testable import FileReplay

@Suite struct JSONTests {
  @Test func `reads objects whatever the order, the blanks, the escapes and the unknown keys`() {
    let outcome = run(
      #"""
      {"symbol":"AAPL","price":189.250,"size":100,"ts":1719850000123456789}
      {"symbol":"MSFT","price":1.5,"size":7,"ts":1719850000123456790}
      { "ts" : "1719850000123456791" , "price" : "189.25" ,	"symbol" : "NVDA", "side": "buy" }

      {"x":{"price":1,"y":[1,{"z":"}"}]},"symbol":"\u0041\u00e9\ud83d\ude00","e":"\"\\\/\b\f\n\r\t","price":-1e1,"time":1.5}
      {"price":2,"n":null,"t":true,"f":false,"a":[],"o":{},"symbol":"B","size":null,"time":"2024-01-02T03:04:05Z"}
      """#)
    #expect(outcome.malformed == [])
    #expect(
      outcome.events.map(line) == [
        "AAPL 189.250 x100 @2024-07-01T16:06:40.123456789Z", "MSFT 1.5 x7 @2024-07-01T16:06:40.123456790Z",
        "NVDA 189.25 x0 @2024-07-01T16:06:40.123456791Z buy", "Aé😀 -10 x0 @1970-01-01T00:00:01.500Z",
        "B 2 x0 @2024-01-02T03:04:05Z",
      ])
  }

  @Test func `follows paths through objects, arrays and odd keys`() {
    let text = #"""
      {"type":"tick","data":{"s":"A","p":1.25,"odd.key":5},"tick":[{"px":9},{"px":2}],"at":[[7]]}
      {"type":"tick","data":{"s":"B","p":2.25,"odd.key":6},"tick":[{"px":9},{"px":3}],"at":[[8]]}
      {"tick":[],"at":[[9]],"data":{"odd.key":7,"p":3.25,"s":"C"}}
      """#
    let outcome = run(
      text,
      options {
        $0.columns = ["symbol": "data.s", "price": "data.p", "size": "tick[1].px", "time": "at[0][0]", "received": "data[\"odd.key\"]"]
      })
    #expect(outcome.malformed == [])
    #expect(
      outcome.events.map(line) == ["A 1.25 x2 @1970-01-01T00:00:07Z", "B 2.25 x3 @1970-01-01T00:00:08Z", "C 3.25 x0 @1970-01-01T00:00:09Z"])
    #expect(outcome.events.map { $0.received.ns } == [5_000_000_000, 6_000_000_000, 7_000_000_000])
    let arrays = run(
      "[1,[2.5],\"A\"]\n[3,[4.5],\"B\"]",
      options {
        $0.format = .jsonLines
        $0.columns = ["symbol": "[2]", "price": "[1][0]", "time": "[0]"]
      })
    #expect(arrays.events.map(line) == ["A 2.5 x0 @1970-01-01T00:00:01Z", "B 4.5 x0 @1970-01-01T00:00:03Z"])
  }

  @Test func `reads paths and refuses what is none`() {
    #expect(JSONPath("price")?.steps == [.key("price")])
    #expect(JSONPath("data.p")?.steps == [.key("data"), .key("p")])
    #expect(JSONPath("tick[0].px")?.steps == [.key("tick"), .index(0), .key("px")])
    #expect(JSONPath("a[\"b.c\"][12]")?.steps == [.key("a"), .key("b.c"), .index(12)])
    for bad in ["", ".", "a.", ".a", "a..b", "a[", "a[x]", "a[-1]", "a[1", "a]", "a[0]b", "[\"x\"", "a[99999999]"] {
      #expect(JSONPath(bad) == nil)
    }
  }

  @Test func `prefers the better of two names, in any order, and the last of a doubled key`() {
    let outcome = run(
      #"""
      {"s":"X","symbol":"A","T":1000000000001,"t":77,"p":1,"q":2}
      {"t":77,"T":1000000000002,"q":2,"p":1,"symbol":"B","s":"X"}
      {"symbol":"C","p":1,"p":2,"T":1000000000003}
      {"Symbol":"D","Price":4,"Time":1000000000004}
      """#)
    #expect(
      outcome.events.map(line) == [
        "A 1 x2 @2001-09-09T01:46:40.001Z", "B 1 x2 @2001-09-09T01:46:40.002Z", "C 2 x0 @2001-09-09T01:46:40.003Z",
        "D 4 x0 @2001-09-09T01:46:40.004Z",
      ])
  }

  @Test func `reads quotes and bars`() {
    let quotes = run(as: Quote.self, #"{"s":"A","b":"1.10","a":"1.2","B":3,"A":"4.5","T":1719850000123}"#)
    #expect(
      quotes.events == [
        Quote(
          symbol: "A", bid: .init(raw: 1_100_000_000), ask: .init(raw: 1_200_000_000), bidSize: 3, askSize: .init(raw: 4_500_000_000),
          time: .init(ns: 1_719_850_000_123_000_000), received: .init(ns: 1_719_850_000_123_000_000), priceDecimals: 2, sizeDecimals: 1)
      ])
    let bars = run(as: Bar.self, #"{"symbol":"A","o":1,"h":3.5,"l":0.25,"c":2,"v":10,"date":"2008-01-02"}"#)
    #expect(
      bars.events == [
        Bar(
          symbol: "A", open: 1, high: .init(raw: 3_500_000_000), low: .init(raw: 250_000_000), close: 2, volume: 10,
          time: .init(ns: 1_199_232_000_000_000_000), received: .init(ns: 1_199_232_000_000_000_000), priceDecimals: 2)
      ])
  }

  @Test(arguments: ["NaN", "-Infinity", "None", "nan", "INF", "undefined"])
  func `what JSON has no form for costs only a row that needs it`(word: String) {
    // The same three times, so that the row's shape is learnt.
    let text =
      (1...3).map { #"{"time":"2024-01-02T00:00:00Z","symbol":"A","price":\#($0),"other":\#(word),"size":1}"# }.joined(separator: "\n")
      + "\n"
    let outcome = run(text, options { $0.format = .jsonLines })
    #expect(outcome.events.map(\.price.description) == ["1", "2", "3"], "\(outcome.malformed)")
    let needed =
      (0..<3).map { #"{"time":"2024-01-02T00:00:00Z","symbol":"A","price":\#($0 == 1 ? word : "5"),"size":1}"# }.joined(separator: "\n")
      + "\n"
    let other = run(needed, options { $0.format = .jsonLines })
    #expect(other.events.count == 2 && other.malformed.count == 1, "\(other.malformed)")
  }

  @Test func `says where a line is no JSON`() {
    let lines = [
      "x", "{", "{]", "{\"a\"}", "{\"a\":}", "{\"a\":1", "{\"a\":1,}", "{\"a\":1 \"b\":2}", "{\"a\":[1 2]}", "{\"a\":[1,]}", "{\"a\":01}",
      "{\"a\":1.}",
      "{\"a\":.5}", "{\"a\":+1}", "{\"a\":-}", "{\"a\":1e}", "{\"a\":tru}", "{\"a\":nul", "{\"a\":\"x}", "{\"a\":\"\\x\"}",
      "{\"a\":\"\\u12g4\"}",
      "{\"a\":\"\\ud800\"}", "{\"a\":\"\\udc00\"}", "{\"a\":\"\u{1}\"}", "{\"a\":1}}", "{\"a\":1} x", "7",
      "{\"a\":" + String(repeating: "[", count: 64) + String(repeating: "]", count: 64) + "}",
    ]
    let outcome = run(lines.joined(separator: "\n"), options { $0.format = .jsonLines })
    #expect(outcome.events == [])
    #expect(
      outcome.malformed.map(\.reason) == [
        "byte 1: an object is expected",
        "byte 2: a key in quotation marks is expected; each object must be on one line: jq -c . < OLD > NEW converts them",
        "byte 2: a key in quotation marks is expected",
        "byte 5: ':' is expected", "byte 6: a value is expected", "byte 7: ',' or '}' is expected",
        "byte 8: a key in quotation marks is expected", "byte 8: ',' or '}' is expected", "byte 9: ',' or ']' is expected",
        "byte 9: a value is expected", "byte 6: not a number", "byte 8: not a number", "byte 6: a value is expected",
        "byte 6: a value is expected", "byte 7: not a number", "byte 8: not a number", "byte 6: a value is expected",
        "byte 6: a value is expected", "byte 9: text without a closing quotation mark", "byte 7: bad escape sequence",
        "byte 7: bad escape sequence", "byte 7: half of a surrogate pair", "byte 7: half of a surrogate pair",
        "byte 7: control character in text", "byte 8: text after the end of the object", "byte 9: text after the end of the object",
        "byte 1: an object is expected", "byte 69: nested more than 64 deep",
      ])
    #expect(outcome.malformed.map(\.line) == Array(1...lines.count))
  }

  @Test func `nests 64 deep and says what is missing and what is there`() {
    let deep = "{\"a\":" + String(repeating: "[", count: 63) + String(repeating: "]", count: 63) + ",\"symbol\":\"A\",\"price\":1,\"ts\":1}"
    let outcome = run(
      deep
        + "\n{\"sym\":\"A\",\"prize\":1,\"ts\":1}\n{\"sym\":\"A\",\"price\":{\"x\":1},\"ts\":1}\n{\"sym\":\"A\",\"price\":true,\"ts\":1}\n{}"
    )
    #expect(outcome.events.count == 1)
    #expect(
      outcome.reasons == [
        "2: 'price' is missing; the object has 'sym', 'prize', 'ts'; set 'columns: { price: prize }' if that is the right one",
        "3: 'price' is an object or a list, not a value", "4: 'price' is not a number: 'true'",
        "5: 'symbol', 'time' and 'price' are missing",
      ])
  }

  @Test func `reads a shape it has learnt exactly as it reads it the first time`() {
    // Every line alone, without stored shapes, compared with all lines one after the other.
    var random = SplitMix(8259)
    func blanks(_ random: inout SplitMix) -> String { [" ", "", "", "\t", "  "].randomElement(using: &random)! }
    func value(_ depth: Int, _ random: inout SplitMix) -> String {
      switch Int.random(in: 0...(depth > 2 ? 6 : 8), using: &random) {
      case 0: "\(Int.random(in: -5000...5000, using: &random))"
      case 1: "\(Int.random(in: 0...99, using: &random)).\(Int.random(in: 0...9999, using: &random))"
      case 2: ["true", "false", "null"].randomElement(using: &random)!
      case 3: "\"\(Int.random(in: 0...99999, using: &random))\""
      case 4: ["\"a\\nb\"", "\"\\u0041B\"", "\"long text without an end in sight\"", "\"\"", "\"q\\\"q\""].randomElement(using: &random)!
      case 5: "1e\(Int.random(in: 0...5, using: &random))"
      case 6: ["01", "\"x", "}", "nul", "1.x"].randomElement(using: &random)!
      case 7: "[" + (0..<Int.random(in: 0...3, using: &random)).map { _ in value(depth + 1, &random) }.joined(separator: ",") + "]"
      default: object(["symbol", "p", "k", "nested key"], depth + 1, &random)
      }
    }
    func object(_ keys: [String], _ depth: Int, _ random: inout SplitMix) -> String {
      let members = keys.map { "\(blanks(&random))\"\($0)\"\(blanks(&random)):\(blanks(&random))\(value(depth, &random))" }
      return "{" + members.joined(separator: ",") + "}"
    }
    var lines: [String] = []
    let keys = ["symbol", "price", "size", "time", "d", "side", "p", "s"]
    for _ in 0..<rounds(400, cost: 4) {
      let line = object(
        Array((Bool.random(using: &random) ? keys : keys.shuffled(using: &random)).prefix(Int.random(in: 3...8, using: &random))), 0,
        &random)
      for _ in 0..<Int.random(in: 1...3, using: &random) { lines.append(line) }
      lines.append("{\"symbol\":\"S\(Int.random(in: 0...9, using: &random))\",\"price\":\(value(3, &random)),\"size\":5,\"time\":1}")
    }
    let given = options {
      $0.format = .jsonLines
      $0.columns = ["received": "d.p"]
    }
    let together = run(lines.joined(separator: "\n"), given)
    var alone = Outcome<Trade>()
    for (i, line) in lines.enumerated() {
      let one = run(line, given)
      alone.events += one.events
      alone.malformed += one.malformed.map { MalformedRow(file: $0.file, line: i + 1, reason: $0.reason, text: $0.text, symbol: $0.symbol) }
      alone.counts += one.counts
    }
    #expect(together == alone)
    #expect(together.counts.events > 200 && together.counts.malformed > 200)
  }
}
