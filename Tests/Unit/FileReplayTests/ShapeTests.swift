import MarketData
import TestSupport
import Testing

@testable import FileReplay

/// Rows of a known shape are read in one pass; the general functions, which read every row, must give the same result.
@Suite struct ShapeTests {
  private static let values = [
    "1", "0", "12.5", "-3.25", "189.250", "12345678", "123456789", "0.00012345", "0.123456789", "0.1234567891", "00.5", "01", "+1", ".5",
    "5.", "1e3", "-", "", " 7 ", "x", "9223372036.854775807", "9223372037", "1.5x", "--1", "1.2.3", "99999999.99999999",
  ]
  private static let times = [
    "1719850000123456789", "1719850000123", "1719850000", "1719850000.5", "0", "7", "12345678", "00000001", "99999999999", "-5", "",
    "2013-10-08T13:30:00Z", "2013-10-08", "17198500001234567890", "9223372036854775807", "9223372036854775808", "1e9", " 5",
  ]
  private static let names = ["A", "AAPL", "BTC-USDT", "LONGERTHANEIGHT", "", " B ", "é", "A\u{1}", "ABCDEFGH", "ABCDEFGHI"]
  private static let sides = ["", "buy", "sell", "S", "Unknown", "hold", "buyer", "sel"]

  /// Rows with an unused column, in quotation marks or not.
  private static func table(_ rows: [[String]], isQuoted: Bool, end: String) -> String {
    let quote = isQuoted ? "\"" : ""
    return "note,symbol,price,time,size,side,received\(end)"
      + rows.map { "\(quote)n\(quote)," + $0.joined(separator: ",") + end }.joined()
  }

  @Test func `delimited rows say the same in one pass and in the general way`() {
    var random = SplitMix(4181)
    for round in 0..<60 {
      let rows = (0..<60).map { _ in
        func pick(_ from: [String]) -> String { from[Int.random(in: 0..<(Bool.random(using: &random) ? 3 : from.count), using: &random)] }
        return [
          pick(Self.names), pick(Self.values), pick(Self.times), pick(Self.values), pick(Self.sides), pick(["", "5", "x", "1719850000"]),
        ]
      }
      let options = options {
        $0.blockSize = [64, 300, 1 << 18][round % 3]
        $0.priceScale = round % 4 == 0 ? 100 : 1
        $0.time.format = [.auto, .nanoseconds, .seconds, .iso8601][round % 4]
      }
      let end = round % 2 == 0 ? "\n" : "\r\n"
      let quick = run(Self.table(rows, isQuoted: false, end: end), options)
      let general = run(Self.table(rows, isQuoted: true, end: end), options)
      #expect(quick.events == general.events)
      #expect(quick.reasons == general.reasons)
      #expect(quick.counts == general.counts && quick.error == general.error)
    }
  }

  @Test func `JSON rows say the same by a known shape as alone, where none is known`() {
    var random = SplitMix(8260)
    let numbers = Self.values.filter { Double($0) != nil && !$0.hasPrefix("+") && !$0.hasPrefix(".") && !$0.hasSuffix(".") }
    for round in 0..<rounds(25, cost: 100) {
      let rows = (0..<60).map { _ in
        func pick(_ from: [String]) -> String { from[Int.random(in: 0..<(Bool.random(using: &random) ? 3 : from.count), using: &random)] }
        let price = Bool.random(using: &random) ? pick(numbers) : "\"\(pick(Self.values))\""
        let size = ["1", "7.5", "null", "\"3\"", "true", "\"\""][Int.random(in: 0..<6, using: &random)]
        let time = Bool.random(using: &random) ? "\"\(pick(Self.times))\"" : pick(["1719850000123456789", "17198500001", "5", "12.5"])
        let symbol = ["\"\(pick(Self.names))\"", "\"A\\u0042\"", "12", "null"][Int.random(in: 0..<4, using: &random)]
        let note = ["1", "\"n\"", "true", "null", "\"\\\"\"", "1e5"][Int.random(in: 0..<6, using: &random)]
        return "\"symbol\":\(symbol),\"price\":\(price),\"note\":\(note),\"size\":\(size),\"time\":\(time)"
      }
      let options = options {
        $0.format = .jsonLines
        $0.blockSize = [64, 300, 1 << 18][round % 3]
        $0.columns = round % 5 == 0 ? ["received": "time", "symbol": "symbol"] : [:]
        $0.symbol = round % 7 == 0 ? "NONE" : nil
      }
      let together = run(rows.map { "{\($0)}\n" }.joined(), options)
      var alone = Outcome<Trade>()
      for (i, row) in rows.enumerated() {
        let one = run("{\(row)}\n", options)
        alone.events += one.events
        alone.malformed += one.malformed.map {
          MalformedRow(file: $0.file, line: i + 1, reason: $0.reason, text: $0.text, symbol: $0.symbol)
        }
        alone.counts += one.counts
      }
      #expect(together == alone)
    }
  }

  @Test func `one value serves several fields, and of several values the best or the last`() {
    let given = options { $0.columns = ["received": "time", "size": "price"] }
    let csv = run("symbol,price,time\nA,1.5,7\nB,2.25,8\n", given)
    let first = #"{"symbol":"A","price":1.5,"time":7}"#
    let json = run("\(first)\n\(first)\n" + #"{"symbol":"B","price":2.25,"time":8}"#, given)
    #expect(csv.events.map(line) == ["A 1.5 x1.5 @1970-01-01T00:00:07Z", "B 2.25 x2.25 @1970-01-01T00:00:08Z"])
    #expect(Array(json.events.dropFirst()) == csv.events)
    #expect(csv.events.allSatisfy { $0.received == $0.time })
    // The same line twice: the second is read by its shape.
    for row in [#"{"s":"X","symbol":"A","p":1,"p":2,"t":1,"T":2}"#, #"{"symbol":"A","s":"X","p":9,"p":2,"T":2,"t":1}"#] {
      let twice = run("\(row)\n\(row)")
      #expect(twice.events.map(line) == Array(repeating: "A 2 x0 @1970-01-01T00:00:02Z", count: 2))
    }
  }

  @Test func `what one shape has set is not taken for another's`() {
    let rows = [
      #"{"symbol":"A","price":1,"size":5,"side":"buy","time":1,"received":9}"#, #"{"symbol":"B","price":2,"time":2}"#,
      #"{"price":3.25,"time":3,"symbol":"C"}"#,
    ]
    let order = [0, 1, 2, 0, 1, 2, 2, 1, 0, 1, 0, 2]
    let events = run(order.map { rows[$0] }.joined(separator: "\n")).events
    let expected = [
      "A 1 x5 @1970-01-01T00:00:01Z buy", "B 2 x0 @1970-01-01T00:00:02Z", "C 3.25 x0 @1970-01-01T00:00:03Z",
    ]
    #expect(events.map(line) == order.map { expected[$0] })
    #expect(events.map { $0.received.ns / 1_000_000_000 } == order.map { [9, 2, 3][$0] })
  }

  @Test(arguments: [3, 31, 32, 33, 120]) func `rows of more shapes than are remembered are read all the same`(orders: Int) {
    var random = SplitMix(UInt64(orders))
    var all: [[Int]] = [[]]
    for i in 0..<5 { all = all.flatMap { order in (0...order.count).map { Array(order[..<$0]) + [i] + Array(order[$0...]) } } }
    let chosen = all.shuffled(using: &random).prefix(orders)
    let rows = (0..<2000).map { n in
      let fields = ["\"symbol\":\"S\(n % 7)\"", "\"price\":\(n).5", "\"size\":\(n % 11)", "\"time\":\(n)", "\"note\":null"]
      return "{" + chosen.randomElement(using: &random)!.map { fields[$0] }.joined(separator: ",") + "}"
    }
    let expected = (0..<2000).map { n in "S\(n % 7) \(n).5 x\(n % 11) @" }
    let found = run(rows.joined(separator: "\n"), options { $0.time.format = .seconds }).events.map(line)
    #expect(found.map { $0.prefix { $0 != "@" } + "@" } == expected.map { Substring($0) })
  }

  @Test func `long keys and many columns have shapes too`() {
    for length in [1, 7, 8, 9, 15, 16, 17, 40, 3000, 5000] {
      let key = String(repeating: "k", count: length)
      let text = (0..<3).map { "{\"\(key)\":1,\"symbol\":\"A\",\"price\":\($0),\"time\":1}\n" }.joined()
      for blockSize in [50, 1 << 18] {
        #expect(run(text, options { $0.blockSize = blockSize }).events.map(\.price) == [0, 1, 2])
        // The last row has another key of the same length, and its own price.
        let other = text + "{\"\(key.dropLast())x\":1,\"symbol\":\"A\",\"price\":7,\"time\":1}"
        #expect(run(other, options { $0.blockSize = blockSize }).events.map(\.price) == [0, 1, 2, 7])
      }
    }
    let names = (0..<200).map { "c\($0)" }.joined(separator: ",")
    let fields = (0..<200).map(String.init).joined(separator: ",")
    #expect(run("\(names),symbol,price,time\n\(fields),A,1,1\n\(fields),B,2,2\n").events.map(\.symbol) == ["A", "B"])
  }

  @Test func `rows at the limit, at the end and without their end are read as in the general way`() {
    let rows = ["A,1.5,1", "A,1.5,12", "A,1.5,123", "A,1.5,1234"]
    for limit in 1...18 {
      for end in ["\n", "\r\n"] {
        let outcome = run(
          "symbol,price,time" + end + rows.joined(separator: end),
          options {
            $0.lineLimit = limit + 10
            $0.blockSize = 16
          })
        let carriage = end.utf8.count - 1
        // The last row has no line end. A header that is too long gives no columns.
        let isHeaderFit = 17 + carriage <= limit + 10
        if isHeaderFit {
          let fitting = rows.enumerated().filter { $1.utf8.count + ($0 < 3 ? carriage : 0) <= limit + 10 }.count
          #expect(outcome.counts == ReplayCounts(events: fitting, outside: 0, malformed: 4 - fitting))
        }
      }
    }
    // A number that is cut by the end of a block is not read as a complete one.
    for blockSize in 1...40 {
      let text = "symbol,price,time\nA,1.5,12345\nA,1.5,23456\nA,1.5,34567"
      #expect(run(text, options { $0.blockSize = blockSize }).events.map { $0.time.ns / 1_000_000_000 } == [12345, 23456, 34567])
    }
  }

  @Test func `names that share a place in the cache stay apart`() {
    let names = (0..<20_000).map { "N\($0)" } + (0..<3).map { "ZZZZZZZ\($0)" }
    let text = "symbol,price,time\n" + (names + names).map { "\($0),1,1\n" }.joined()
    #expect(run(text, limit: 1000).events.map(\.symbol.description) == names + names)
  }
}
