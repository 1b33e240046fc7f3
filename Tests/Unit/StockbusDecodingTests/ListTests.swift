import MarketData
import TestSupport
import StockbusPlugin
import Testing

@testable import StockbusDecoding

/// What items of a list share: sequence numbers checked once for each message, conditions and values of the message.
@Suite struct ListTests {
  /// `{"seq":7,"of":"A","rows":[{"s":"A","p":1,"n":3}]}`
  private func spec(_ sequence: SequenceRule?, _ change: (inout MessageRule) -> Void = { _ in }) -> DecodingSpec {
    makeSpec { spec in
      spec.messages = [
        "rows": .event(.trade, when: ["rows": ["[]"]], .trade("s", time: nil, price: "p", size: "q")) { rule in
          rule.each = ["rows"]
          rule.sequence = sequence
          change(&rule)
        }
      ]
    }
  }

  private func message(_ number: Int, _ rows: [(symbol: String, number: Int)]) -> String {
    let items = rows.map { #"{"s":"\#($0.symbol)","p":1,"n":\#($0.number)}"# }.joined(separator: ",")
    return #"{"seq":\#(number),"of":"A","rows":[\#(items)]}"#
  }

  /// The expected and the received number of each gap, by message.
  private func gaps(_ spec: DecodingSpec, _ messages: [String]) throws -> [[String]] {
    var decoder = try MessageDecoder<Trade>(spec)
    return messages.map { message in
      _ = decoder.decode(message, received: received) { _ in }
      return decoder.gaps.map { "\($0.stream): \($0.expected), \($0.got)" }
    }
  }

  @Test func `a number of the message counts once, however many rows it has`() throws {
    let spec = spec(SequenceRule("$.seq", per: .connection))
    let three = [("A", 1), ("B", 2), ("C", 3)]
    #expect(
      try gaps(spec, [message(1, three), message(2, three), message(3, []), message(5, three), message(6, [("A", 1)]), message(6, [])])
        == [[], [], [], ["rows: 4, 5"], [], ["rows: 7, 6"]])
  }

  @Test func `a number of the message counts once for each symbol in it`() throws {
    let spec = spec(SequenceRule("$.seq"))
    #expect(
      try gaps(
        spec,
        [
          message(1, [("A", 1), ("A", 2), ("B", 1)]), message(2, [("A", 3), ("A", 4)]), message(3, [("B", 2), ("A", 5), ("B", 3)]),
          message(3, [("A", 6)]),
        ]) == [[], [], ["rows B: 2, 3"], ["rows A: 4, 3"]])
  }

  @Test func `a number of the row counts for each row`() throws {
    #expect(
      try gaps(spec(SequenceRule("n", per: .connection)), [message(1, [("A", 1), ("B", 2), ("A", 4)]), message(1, [("A", 5)])])
        == [["rows: 3, 4"], []])
    #expect(
      try gaps(spec(SequenceRule("n")), [message(1, [("A", 1), ("B", 1), ("A", 2)]), message(1, [("B", 3)])]) == [[], ["rows B: 2, 3"]])
  }

  @Test func `a feed goes on behind the numbers that count the rows of each symbol one by one, and behind no others`() throws {
    func last(_ sequence: SequenceRule?) throws -> [String] {
      var reader = try MessageReader(spec(sequence), event: .trade)
      for text in [message(7, [("A", 1), ("B", 5), ("A", 2)]), message(8, [("B", 9)])] {
        _ = Array(text.utf8).withUnsafeBufferPointer { reader.read($0, received: received) { _ in } }
      }
      return reader.numbers.last.map { "\($0.series) \($0.symbol) \($0.number)" }.sorted()
    }
    #expect(try last(SequenceRule("n")) == ["rows A 2", "rows B 9"])
    #expect(try last(SequenceRule("n", step: .rising)) == [])
    #expect(try last(SequenceRule("n", per: .connection)) == [])
    #expect(try last(SequenceRule("$.seq")) == [])
    #expect(try last(nil) == [])
  }

  @Test func `rows that are left out have their numbers all the same`() throws {
    let odd: (inout MessageRule) -> Void = { $0.only = ["n": ["1", "3", "6"]] }
    #expect(try gaps(spec(SequenceRule("n", per: .connection), odd), [message(1, [("A", 1), ("A", 2), ("A", 3)])]) == [[]])
    let before: Symbol = "LISTTESTS-1"
    #expect(
      try gaps(
        spec(SequenceRule("n"), odd), [message(1, [("A", 1), ("LISTTESTS-2", 2), ("A", 2), ("A", 3)]), message(1, [("A", 5), ("A", 6)])])
        == [[], ["rows A: 4, 5"]])
    // A symbol that is left out is not added to the table.
    let after: Symbol = "LISTTESTS-3"
    #expect(
      (before.id...after.id).map { Symbol(id: $0).description }.filter { $0.hasPrefix("LISTTESTS") } == ["LISTTESTS-1", "LISTTESTS-3"])
  }

  @Test func `a message without its number is told once, and keeps its rows`() throws {
    let found = try decode(
      [#"{"rows":[{"s":"A","p":1},{"s":"B","p":2}]}"#, #"{"seq":"x","rows":[]}"#], spec(SequenceRule("$.seq", per: .connection)),
      as: Trade.self)
    #expect(
      found == [
        Result(
          .several([.events(2), .malformed(reason: "'sequence' is missing; the object has 'rows'")]),
          ["A 1 x0 unknown @-", "B 2 x0 unknown @-"]),
        Result(.malformed(reason: "'sequence' is not a number: 'x' (byte 9)")),
      ])
  }

  @Test func `conditions and values of the message hold for all its rows`() throws {
    let whole = spec(nil) { rule in
      rule.only = ["$.of": ["A*"], "n": ["!2"]]
      rule.fields?.symbol = "$.of"
      rule.fields?.time = "$.at"
      rule.time = .ms
    }
    let rows = #""rows":[{"p":1,"n":1},{"p":2,"n":2},{"p":3,"n":3}]"#
    #expect(
      try decode(
        [#"{"of":"AB","at":5,\#(rows)}"#, #"{"of":"B","at":5,\#(rows)}"#, #"{\#(rows)}"#, #"{"of":"A",\#(rows)}"#], whole, as: Trade.self)
        == [
          Result(.events(2), ["AB 1 x0 unknown @1970-01-01T00:00:00.005Z", "AB 3 x0 unknown @1970-01-01T00:00:00.005Z"]),
          Result(.events(0)), Result(.events(0)),
          Result(.malformed(reason: "'time' is missing; the object has 'of', 'rows'; and 1 more items")),
        ])
  }

  @Test func `items of lists in a list`() throws {
    let pairs = spec(nil) { rule in
      rule.when = ["d": ["[]"]]
      rule.each = ["d", "."]
      rule.fields = .trade("[0]", time: nil, price: "[1]", size: "[-1]")
    }
    #expect(
      try decode([#"{"d":[[["A",1,2],["B",3,4]],[],[["C",5,6]]]}"#], pairs, as: Trade.self)
        == [Result(.events(3), ["A 1 x2 unknown @-", "B 3 x4 unknown @-", "C 5 x6 unknown @-"])])
  }

  // MARK: - Scales

  private func scaled(_ price: String, _ scale: Int, size: Int? = nil) throws -> Result {
    let spec = makeSpec { spec in
      spec.priceScale = scale
      spec.messages = [
        "t": .event(.trade, when: ["s": ["*"]], .trade("s", time: nil, price: "p", size: "q")) { $0.sizeScale = size }
      ]
    }
    return try decode([#"{"s":"A","p":\#(price),"q":25}"#], spec, as: Trade.self)[0]
  }

  @Test(arguments: [
    ("138300", 10_000, "13.83"), ("1", 1_000_000_000, "0.000000001"), ("-5", 2, "-2.5"), ("\"12.50\"", 100, "0.125"),
    ("61685990000000", 1_000_000_000, "61685.99"), ("123456789012345678", 1_000_000_000, "123456789.012345678"), ("0", 7, "0"),
    ("21", 7, "3"), ("1e4", 10_000, "1"), ("15E-1", 10, "0.15"), ("1000.000", 1000, "1.000"),
    ("-123456789012345678", 1_000_000_000, "-123456789.012345678"),
  ]) func `a scaled price is exact`(written: String, scale: Int, price: String) throws {
    #expect(try scaled(written, scale) == Result(.events(1), ["A \(price) x25 unknown @-"]))
  }

  @Test(arguments: [("1", 3), ("1.5", 1_000_000_000), ("1e99", 10), ("99999999999999999999999999999999999999999", 10), ("1e-11", 100)])
  func `what is not exact is told with its place`(written: String, scale: Int) throws {
    let reason =
      "'price' divided by its scale is out of range or has more than nine decimals: '\(written)' (byte 14); "
      + "'finer_prices: round' in the decoding rounds prices to nine, unless that gives 0"
    #expect(try scaled(written, scale) == Result(.malformed(reason: reason)))
  }

  @Test func `sizes have a scale of their own, and what is no number is none`() throws {
    #expect(try scaled("100", 100, size: 10) == Result(.events(1), ["A 1 x2.5 unknown @-"]))
    for text in ["\"\"", "\"-\"", "\"1.\"", "\".5\"", "\"1e\"", "\"1.2.3\"", "\"x\""] {
      guard case .malformed(let reason) = try scaled(text, 10).verdict else {
        Issue.record("\(text) was taken")
        continue
      }
      #expect(reason.hasPrefix("'price' is not a number: "), "\(text)")
    }
  }

  @Test func `scaled numbers are those of a slow model`() throws {
    var random = SplitMix(11)
    for _ in 0..<3000 {
      let whole = random.next() >> UInt64(random.upTo(60))
      let places = random.upTo(6)
      let scale = [1, 2, 3, 8, 10, 100, 10_000, 1_000_000, 1_000_000_000, 999_999_937][random.upTo(9)]
      let digits = String(repeating: "0", count: max(0, places + 1 - "\(whole)".count)) + "\(whole)"
      let written = places == 0 ? digits : "\(digits.dropLast(places)).\(digits.suffix(places))"
      // value in units of 1e-9 = whole × 10^9 / (10^places × scale)
      let (top, bottom) = (Int128(whole) * 1_000_000_000, Int128(scale) * (0..<places).reduce(Int128(1)) { n, _ in n * 10 })
      let exact = top % bottom == 0 ? Int64(exactly: top / bottom) : nil
      var text = written
      let read: Int64? = text.withUTF8 { bytes in
        var reader = ByteReader(bytes)
        var decimals: UInt8 = 0
        var isFiner = false
        let raw = try? reader.scaled(by: UInt64(scale), decimals: &decimals, isFiner: &isFiner)
        #expect(raw == nil || reader.isAtEnd)
        return raw
      }
      #expect(read == exact, "\(written) / \(scale)")
    }
  }
}
