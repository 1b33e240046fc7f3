import MarketData
import TestSupport
import StockbusPlugin
import Testing

@testable import StockbusDecoding

/// A spec for messages such as `{"s":"A","p":1,"q":2,"t":3}`.
private func plain(_ change: (inout MessageRule, inout DecodingSpec) -> Void = { _, _ in }) -> DecodingSpec {
  var spec = DecodingSpec()
  spec.time = .ms
  var rule = MessageRule.event(.trade, when: ["s": ["*"]], .trade("s", time: nil, price: "p", size: "q"))
  change(&rule, &spec)
  spec.messages = ["trade": rule]
  return spec
}

@Suite struct DecoderTests {
  private func one(_ message: String, _ spec: DecodingSpec = plain()) throws -> Result { try decode([message], spec, as: Trade.self)[0] }

  @Test(arguments: [
    ("1", "1"), ("1.10", "1.10"), ("\"1.10\"", "1.10"), ("-0.5", "-0.5"), ("1e3", "1000"), ("12.5E-1", "1.25"), ("\"1e-9\"", "0.000000001"),
    ("9123456789.123456789", "9123456789.123456789"), ("1.0000000000", "1.000000000"), ("0", "0"),
  ]) func `numbers are exact, from their text`(written: String, price: String) throws {
    #expect(try one(#"{"s":"A","p":\#(written)}"#) == Result(.events(1), ["A \(price) x0 unknown @-"]))
  }

  @Test(arguments: [
    (#"{"s":"A","p":1e99}"#, "'price' is out of range: '1e99' (byte 14)"),
    (#"{"s":"A","p":9223372036.9}"#, "'price' is out of range: '9223372036.9' (byte 14)"),
    (
      #"{"s":"A","p":0.1234567891}"#,
      "'price' has more than nine decimals: '0.1234567891' (byte 14); 'finer_prices: round' in the decoding rounds prices to nine, unless that "
        + "gives 0"
    ),
    (#"{"s":"A","p":"1.2x"}"#, "'price' is not a number: '1.2x' (byte 15)"),
    (#"{"s":"A","p":""}"#, "'price' is not a number: '' (byte 15)"),
    (#"{"s":"A","p":null}"#, "'price' is null (byte 14)"), (#"{"s":"A"}"#, "'price' is missing; the object has 's'"),
    (#"{"s":"A","a,b":1,"\u001b":2}"#, "'price' is missing; the object has 's', 'a?b', '?'"),

    (#"{"s":"A","p":[1]}"#, "'price' is an object or a list, not a value (byte 14)"),
    (#"{"s":"A","p":true}"#, "'price' is not a number: 'true' (byte 14)"),
    (#"{"s":"A","p":1,"q":-1}"#, "'size' is negative: '-1' (byte 20)"),
    (#"{"s":"","p":1}"#, "'symbol': a symbol cannot be empty: '' (byte 7)"),
    (#"{"s":"A,B","p":1}"#, "'symbol': a symbol cannot contain control characters, quotation marks, backslashes or commas: 'A,B' (byte 7)"),
    (#"{"s":{},"p":1}"#, "'symbol' is an object or a list, not a value (byte 6)"), ("{\"s\":", "byte 6: the message ends too early"),
  ]) func `what does not fit is a reason with its place`(message: String, reason: String) throws {
    #expect(try one(message) == Result(.malformed(reason: reason)))
  }

  @Test(arguments: [
    (VenueTime.s, "1534614057.321597", "2018-08-18T17:40:57.321597Z"), (.s, "\"1534614057\"", "2018-08-18T17:40:57Z"),
    (.ms, "1534614057321.5", "2018-08-18T17:40:57.321500Z"), (.us, "1534614057321597", "2018-08-18T17:40:57.321597Z"),
    (.ns, "1534614057321597001", "2018-08-18T17:40:57.321597001Z"), (.s, "-1.5", "1969-12-31T23:59:58.500Z"),
    (.s, "-0.5", "1969-12-31T23:59:59.500Z"),
    (.iso8601, "\"2018-08-18T19:40:57.5+02:00\"", "2018-08-18T17:40:57.500Z"), (.ns, "1.000", "1970-01-01T00:00:00.000000001Z"),
  ]) func `times are exact in every unit`(unit: VenueTime, written: String, time: String) throws {
    let spec = plain { rule, _ in
      rule.fields?.time = "t"
      rule.time = unit
    }
    #expect(try one(#"{"s":"A","p":1,"t":\#(written)}"#, spec) == Result(.events(1), ["A 1 x0 unknown @\(time)"]))
  }

  @Test(arguments: [
    (VenueTime.s, "1.0000000001", "'time' is finer than a nanosecond: '1.0000000001' (byte 20)"),
    (.ns, "1.5", "'time' is finer than a nanosecond: '1.5' (byte 20)"),
    (.s, "99999999999", "'time' is out of range: '99999999999' (byte 20)"),
    (.s, "1723161600170", "'time' is out of range: '1723161600170' (byte 20); write 'time: ms' in the decoding"),
    (.ms, "\"soon\"", "'time' is not a time: 'soon' (byte 21)"),
    (.ms, "1e3", "'time' is not a time: '1e3' (byte 20)"), (.iso8601, "\"2018-08-18\"", "'time' is not a time: '2018-08-18' (byte 21)"),
    (.ms, "false", "'time' is not a time: 'false' (byte 20)"),
  ]) func `what is no time is told`(unit: VenueTime, written: String, reason: String) throws {
    let spec = plain { rule, _ in
      rule.fields?.time = "t"
      rule.time = unit
    }
    #expect(try one(#"{"s":"A","p":1,"t":\#(written)}"#, spec) == Result(.malformed(reason: reason)))
    #expect(try one(#"{"s":"A","p":1}"#, spec) == Result(.malformed(reason: "'time' is missing; the object has 's', 'p'")))
  }

  @Test func `patterns match texts, numbers, containers and absence`() throws {
    let table: [(String, [ValuePattern], Bool)] = [
      ("\"trade\"", ["trade"], true), ("\"trade\"", ["t*e"], true), ("\"trade\"", ["tr*ade*"], true), ("\"trade\"", ["*x*"], false),
      ("\"trade\"", ["quote", "trade"], true), ("\"trade\"", ["!trade"], false), ("\"x\"", ["!trade"], true), ("5", ["5"], true),
      ("true", ["true"], true), ("null", ["null"], true), ("null", ["*"], true), ("{}", ["{}"], true), ("[1]", ["{}"], false),
      ("[1]", ["[]"], true), ("[1]", ["!*"], false), ("\"t\\u0072ade\"", ["trade"], true), ("\"aba\"", ["a*ba*a"], false),
      ("\"\"", [""], true),
      ("\"book-100\"", ["book-*"], true), ("\"book\"", ["book-*"], false),
    ]
    for (value, patterns, isMatch) in table {
      let spec = plain { rule, _ in rule.when = Mapping(unique: [("k", patterns)]) }
      let found = try one(#"{"s":"A","p":1,"k":\#(value)}"#, spec)
      #expect((found.verdict == .events(1)) == isMatch, "\(value) \(patterns)")
    }
    let absent = plain { rule, _ in rule.when = ["k": ["!*"]] }
    #expect(try one(#"{"s":"A","p":1}"#, absent).verdict == .events(1))
    #expect(try one(#"{"s":"A","p":1,"k":0}"#, absent).verdict == .unknown(shape: "{s,p,k}"))
  }

  @Test func `paths go through keys, positions, odd keys and escapes`() throws {
    let spec = plain { rule, spec in
      spec.unwrap = "data"
      rule.fields = .trade("$.meta[\"odd.key\"]", time: nil, price: "[-2]", size: "[1][0].q")
      rule.when = ["[0]": ["*"]]
    }
    #expect(
      try one(#"{"meta":{"odd.\u006bey":"A\/B"},"data":[0,[{"q":7}],"3.5",null]}"#, spec) == Result(.events(1), ["A/B 3.5 x7 unknown @-"]))
    for text in ["a..b", "a[", "", "$x", "@", "a.", ".a", "[x]", "$."] { #expect(ValuePath(text) == nil) }
    for text in ["a.b[0][-1].c", "$", "$.a", "$[2]", "@symbol", ".", "~", "[\"odd.key\"].x"] {
      #expect(ValuePath(text)?.description == text)
    }
  }

  @Test func `an object's values are items, each with its key`() throws {
    let spec = plain { rule, _ in
      rule.when = ["[0]": ["!*"], "x": ["!*"]]
      rule.each = ["."]
      rule.fields = .trade("~", time: nil, price: "usd", size: "n")
      rule.only = ["~": ["!NOT*"]]
    }
    #expect(
      try one(#"{"BTC":{"usd":61685.99},"E\u0054H":{"usd":2.5,"n":3},"NOTHING":{}}"#, spec)
        == Result(.events(2), ["BTC 61685.99 x0 unknown @-", "ETH 2.5 x3 unknown @-"]))
    let pairs = plain { rule, _ in
      rule.when = ["rows": ["{}"]]
      rule.each = ["rows", "."]
      rule.fields = .trade("~", time: nil, price: ".", size: "x")
    }
    #expect(try one(#"{"rows":{"A":[1,2],"B":[3]}}"#, pairs).events == ["A 1 x0 unknown @-", "A 2 x0 unknown @-", "B 3 x0 unknown @-"])
  }

  @Test func `the memory of a long message is given back`() throws {
    var tape = JSONTape(limit: 1 << 24)
    for length in [400_000, 10, 400_000, 10] {
      let text = "[" + String(repeating: "1,", count: length) + "1]"
      do throws(JSONProblem) { try Array(text.utf8).withUnsafeBufferPointer { bytes throws(JSONProblem) in try tape.read(bytes) } } catch {
        Issue.record("\(error)")
      }
      #expect(tape.nodeCount == length + 2)
    }
  }

  @Test func `gaps are found for each symbol, and told once`() throws {
    var decoder = try MessageDecoder<Trade>(plain { rule, _ in rule.sequence = SequenceRule("n") })
    var found: [SequenceGap] = []
    for (symbol, number) in [("A", 5), ("B", 9), ("A", 6), ("A", 9), ("B", 10), ("A", 9), ("A", 10), ("B", 8)] {
      _ = decoder.decode(#"{"s":"\#(symbol)","p":1,"n":\#(number)}"#, received: received) { _ in }
      found += decoder.gaps
    }
    let expected = [("A", 7, 9), ("A", 10, 9), ("B", 11, 8)].map {
      SequenceGap(stream: "trade \($0.0)", expected: Int64($0.1), got: Int64($0.2))
    }
    #expect(found == expected)
    #expect(decoder.tally.gaps == 3)
    // A symbol's sequence numbers continue after a reconnection.
    decoder.reconnected()
    _ = decoder.decode(#"{"s":"A","p":1,"n":11}"#, received: received) { _ in }
    #expect(decoder.gaps == [])
  }

  @Test func `other rules of counting: rising, resuming, of the connection`() throws {
    func gaps(_ rule: SequenceRule, _ numbers: [Int?]) throws -> [Int64] {
      var decoder = try MessageDecoder<Trade>(plain { message, _ in message.sequence = rule })
      return numbers.flatMap { number in
        if let number {
          _ = decoder.decode(#"{"s":"S\#(number % 2)","p":1,"n":"\#(number)"}"#, received: received) { _ in }
        } else {
          decoder.reconnected()
        }
        let found = decoder.gaps.map(\.got)
        return number == nil ? [] : found
      }
    }
    #expect(try gaps(SequenceRule("n", step: .rising, per: .connection), [1, 5, 5, 4, 9]) == [5, 4])
    #expect(try gaps(SequenceRule("n", step: .resume, per: .connection), [1, 1, 2, 2, 4]) == [4])
    #expect(try gaps(SequenceRule("n", per: .connection), [1, 2, nil, 7, 8, 10]) == [10])
  }

  @Test func `a broken number among items does not keep the others back`() throws {
    let spec = plain { rule, _ in
      rule.when = ["d": ["[]"]]
      rule.each = ["d"]
    }
    #expect(
      try one(#"{"d":[{"s":"A","p":1},{"s":"B","p":"x"},{"s":"C"},{"s":"D","p":2}]}"#, spec)
        == Result(
          .several([.events(2), .malformed(reason: "'price' is not a number: 'x' (byte 37); and 1 more items")]),
          ["A 1 x0 unknown @-", "D 2 x0 unknown @-"]))
    #expect(try one(#"{"d":[]}"#, spec) == Result(.events(0)))
  }

  @Test func `unknown messages are counted by shape, and shapes are bounded`() throws {
    var decoder = try MessageDecoder<Trade>(plain())
    for i in 0..<100 {
      _ = decoder.decode(#"{"k\#(i % 80)":1,"x":[]}"#, received: received) { _ in }
      _ = decoder.decode("[1,[],{\"a\":1},\"t\",null,true]", received: received) { _ in }
    }
    #expect(decoder.tally.shapes.count == 65 && decoder.tally.unknown == 200)
    #expect(
      decoder.tally.shapes[0] == (shape: "{k0,x}", count: 2)
        && decoder.tally.shapes[1] == (shape: "[number,[],{…},text,null,flag]", count: 100))
    #expect(decoder.tally.shapes.last.map { $0.shape == "…" } == true)
    let wide = "{" + (0..<20).map { "\"a\($0)\":0" }.joined(separator: ",") + "}"
    #expect(try one(wide).verdict == .unknown(shape: "{a0,a1,a2,a3,a4,a5,a6,a7,a8,a9,a10,a11,…}"))
  }

  @Test func `what is written goes over the preset, kind by kind`() throws {
    var own = DecodingSpec()
    own.silence = .seconds(5)
    var rule = MessageRule()
    rule.sides = SideWords(buy: ["true"], sell: ["false"])
    own.messages = ["trade": rule, "mine": .talk(.heartbeat, when: ["mine": ["*"]])]
    let spec = DecodingSpec.whole(.binance, own)
    #expect(spec.silence == .seconds(5) && spec.unwrap == "data")
    #expect(
      try decode([#"{"mine":1}"#, #"{"e":"trade","s":"B","t":1,"p":"1","q":"2","T":1672515782136,"m":true}"#], spec, as: Trade.self) == [
        Result(.heartbeat(kind: "mine")), Result(.events(1), ["B 1 x2 buy @2022-12-31T19:43:02.136Z"]),
      ])
  }

  @Test func `a spec that cannot work says why, all at once`() {
    var spec = DecodingSpec()
    #expect(
      spec.decodingFaults(event: .trade).map(\.message) == [
        "'messages' is needed: the kinds of messages, as in decoding: { messages: { ticks: { when: { type: trade }, event: trade, fields: { symbol: data.s, price: data.p } } } }"
      ])
    var rule = MessageRule()
    rule.event = .quote
    rule.fields = .quote("@simbol", time: nil, bid: "b", ask: "a")
    rule.fields?.ask = nil
    rule.fields?.volume = "v"
    var other = MessageRule.talk(.acknowledgement, when: ["x": ["*"]])
    other.remember = ["id": "i", "symbol": "s"]
    spec.messages = ["q": rule, "r": other]
    spec.sequence = SequenceRule("n")
    #expect(
      spec.decodingFaults(event: .trade).map(\.message) == [
        "'decoding.messages.q' needs a 'when'", "'decoding.messages.q' uses '@simbol', which no message remembers; did you mean 'symbol'?",
        "'decoding.messages.q.fields' has no 'ask', which a quote needs", "'decoding.messages.q.fields.volume' is no field of a quote",
        "'decoding.messages.r.remember' needs 'recall' beside 'messages'",
        "none of the messages becomes a trade; they become quote", "'decoding.sequence' is of all messages and needs 'per: connection'",
      ])
  }

  @Test func `seeded damage to every preset's messages never traps, and every verdict is counted`() throws {
    var random = SplitMix(7)
    let frames =
      JSONTapeTests.frames + [
        #"{"type":"match","trade_id":10,"side":"sell","size":"5.2","price":"400.23","product_id":"BTC-USD","time":"2014-11-07T08:19:27.028459Z"}"#,
        #"{"event":"subscribed","channel":"trades","chanId":19111,"symbol":"tBTCUSD"}"#,
        #"[19111,"te",[401597395,1574694478808,-0.005,7245.3],2]"#,
        #"[0,[["5541.20000","0.15850568","1534614057.321597","s","l",""]],"trade","XBT/USD"]"#,
        #"[{"T":"t","S":"AAPL","p":126.55,"s":1,"t":"2021-02-22T15:51:44.208Z"}]"#,
      ]
    for preset in VenuePreset.allCases {
      var decoder = try MessageDecoder<Trade>(preset.spec)
      var events = 0
      var counted = 0
      for round in 0..<rounds(1500) {
        var bytes = Array(frames[round % frames.count].utf8)
        for _ in 0..<Int(random.next() % 3) { bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next()) }
        let verdict = bytes.withUnsafeBufferPointer { decoder.decode($0, received: received) { _ in events += 1 } }
        if verdict == .events(0) { continue }
        counted += 1
      }
      #expect(decoder.tally.events == events)
      #expect(counted > 0)
    }
  }
}
