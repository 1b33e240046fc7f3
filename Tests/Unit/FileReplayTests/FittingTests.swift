import MarketData
import StockbusDecoding
import Testing

@testable import FileReplay

/// Values that do not fit, and values that stand for none.
@Suite struct FittingTests {
  private static func trades(_ rows: String, _ change: (inout ReplayOptions) -> Void = { _ in }) -> (lines: [String], said: [String]) {
    var said: [String] = []
    let outcome = run("symbol,time,price,size\n" + rows, options(change)) {
      if $0.kind != .guessedTime("'time' is read as seconds since 1970") { said.append("\($0.line): \($0.text)") }
    }
    return (outcome.events.map { "\($0.price) x\($0.size)" } + outcome.reasons, said)
  }

  @Test func `a size that is too fine is cut, and the trade is kept`() {
    let result = Self.trades("A,1,3500.10,0.000000000000000001\nA,2,2,1.9999999999999\nA,3,3,-1e-18\nA,4,4,1e-400\n")
    #expect(result.lines == ["3500.1 x0", "2 x1.999999999", "3 x0", "4 x0"])
    #expect(
      result.said == ["2: 'size' '0.000000000000000001' has more than nine decimals: it is cut after the ninth"])
  }

  @Test func `a size that is too large is 0, and the option is named`() {
    let result = Self.trades("A,1,2,12000000000\nA,2,3,1e400\nA,3,4,9223372036\nA,4,5,-12000000000\n")
    #expect(result.lines == ["2 x0", "3 x0", "4 x9223372036", "5: 'size' is out of range: '-12000000000'"])
    #expect(
      result.said == [
        "2: 'size' '12000000000' is out of range (at most 9,223,372,036): it is 0 in the event, and the rest is kept; "
          + "'size_scale: 1000' reads sizes in units of 1000"
      ])
    var counts = ReplayCounts()
    counts = run("symbol,time,price,size\nA,1,2,12000000000\nA,2,3,1e400\nA,3,4,0.00000000001\n", options()).counts
    #expect(counts.kept.unfit == 2 && counts.kept.cut == 1 && counts.events == 3)
  }

  @Test func `sizes are divided by their scale exactly`() {
    let result = Self.trades("A,1,2,23640926208\nA,2,2,5\nA,3,2,17431876543210.5\n") { $0.sizeScale = 1000 }
    #expect(result.lines == ["2 x23640926.208", "2 x0.005", "2 x17431876543.2105"].prefix(2) + ["2 x0"])
    #expect(result.said.last?.hasSuffix("'size_scale: 1000000' reads sizes in units of 1000000") == true)
    let quotes = run(as: Quote.self, "symbol,time,bid,ask,bid_size,ask_size\nA,1,1,2,3000,4000\n", options { $0.sizeScale = 1000 })
    #expect(quotes.events.map { "\($0.bid) \($0.bidSize) \($0.askSize)" } == ["1 3 4"])
    let bars = run(
      as: Bar.self, "symbol,time,open,high,low,close,volume,count,turnover\nA,1,1,2,1,2,30000000000,7,45000000000\n",
      options { $0.sizeScale = 1000 })
    #expect(bars.events.map { "\($0.volume) \($0.count) \($0.turnover)" } == ["30000000 7 45000000"])
  }

  @Test func `a price that is too fine is refused, or rounded unless that leaves nothing`() {
    let rows = "A,1,0.000000001139,1\nA,2,1.78425773559708e-09,1\nA,3,1.1000000000000001,1\nA,4,0.0000000004,1\nA,5,0.0000000005,1\n"
    let refused = "has more than nine decimals: '0.000000001139'; 'finer_prices: round' rounds prices to nine, unless that gives 0"
    #expect(Self.trades(rows).lines.first == "2: 'price' \(refused)" && Self.trades(rows).lines.count == 5)
    let result = Self.trades(rows) { $0.finerPrices = .round }
    #expect(result.lines.prefix(4) == ["0.000000001 x1", "0.000000002 x1", "1.1 x1", "0.000000001 x1"])
    #expect(result.lines.last?.hasPrefix("5: 'price' has more than nine decimals") == true)
    #expect(result.said == ["2: 'price' '0.000000001139' has more than nine decimals: it is rounded to nine decimals"])
    #expect(Self.trades("A,1,1234567,1\n") { ($0.finerPrices, $0.priceScale) = (.round, 999_999_937) }.lines == ["0.001234567 x1"])
  }

  @Test(arguments: [
    "9223372036854775807", "-9223372036854775808", "9223372036.854775807", "9223372036.854776", "18446744073709551615",
    "9.223372036854776e18", "1.7976931348623157e308",
  ])
  func `the largest and smallest numbers are no prices, and sizes of 0`(_ text: String) {
    for scale: Int64 in [1, 1_000_000_000] {
      let result = Self.trades("A,1,\(text),1\nA,2,\(scale),\(text)\n") { $0.priceScale = scale }
      let isNegative = text.first == "-"
      #expect(result.lines.first == (isNegative ? result.lines.first : "1 x0"))
      #expect(result.lines.contains("2: 'price' is undefined: '\(text)' stands for no number"), "\(result.lines)")
    }
  }

  @Test func `the largest whole number of 32 bits is no size`() {
    #expect(Self.trades("A,1,2,4294967295\nA,2,2,4294967294\n").lines == ["2 x0", "2 x4294967294"])
  }

  @Test func `a word for no number is a size of 0, and no price`() {
    #expect(Self.trades("A,1,2,NaN\nA,2,2,null\nA,3,2,-\nA,4,2,N/A\nA,5,2,\n").lines == Array(repeating: "2 x0", count: 5))
    #expect(Self.trades("A,1,NaN,2\n").lines == ["2: 'price' is not a number: 'NaN'"])
    let json = run(#"{"symbol":"A","time":1,"price":2,"size":null}"# + "\n" + #"{"symbol":"A","time":1,"price":NaN}"# + "\n", options())
    #expect(json.events.map(\.size) == [0] && json.malformed.count == 1)
  }
}

/// Quotes of which nobody quotes a side.
@Suite struct OneSidedTests {
  private static func quotes(_ text: String, _ change: (inout ReplayOptions) -> Void = { _ in }) -> [String] {
    let outcome = run(as: Quote.self, text, options(change))
    return outcome.events.map { "\($0.bid) x\($0.bidSize) / \($0.ask) x\($0.askSize)" } + outcome.reasons
  }

  @Test func `an empty side, a word for none and the largest number are a side that nobody quotes`() {
    let rows = [
      "A,1,,1.2,7,10", "A,2,NaN,1.2,7,10", "A,3,9223372036.854775807,1.2,7,10", "A,4,1.1,,5,9", "A,5,0,1.2,0,10", "A,6,1.1,1.2,5,10",
    ]
    #expect(
      Self.quotes("symbol,time,bid,ask,bid_size,ask_size\n" + rows.joined(separator: "\n"))
        == ["0 x0 / 1.2 x10", "0 x0 / 1.2 x10", "0 x0 / 1.2 x10", "1.1 x5 / 0 x0", "0 x0 / 1.2 x10", "1.1 x5 / 1.2 x10"])
    #expect(
      Self.quotes("symbol,time,bid,ask,bid_size,ask_size\nA,1,9223372036854775807,1200000000,0,10\n") { $0.priceScale = 1_000_000_000 }
        == ["0 x0 / 1.2 x10"])
  }

  @Test func `a quote has a side at least, or says that it has none`() {
    #expect(Self.quotes("symbol,time,bid,ask\nA,1,,\n") == ["2: 'bid' is empty"])
    #expect(Self.quotes("symbol,time,bid,ask\nA,1,9223372036854775807,9223372036854775807\n") == ["0 x0 / 0 x0"])
  }

  @Test func `null is such a side in JSON, and a key that is missing is not`() {
    #expect(Self.quotes(#"{"symbol":"A","time":1,"bid":null,"ask":2,"bid_size":3}"# + "\n") == ["0 x0 / 2 x0"])
    #expect(Self.quotes(#"{"symbol":"A","time":1,"ask":2}"# + "\n").first?.hasPrefix("1: 'bid' is missing") == true)
  }
}

/// Numbers in other notations.
@Suite struct NumberFormTests {
  private static func trades(_ rows: String, _ numbers: NumberForm) -> [String] {
    let outcome = run(
      "symbol;time;price;size\n" + rows,
      options {
        $0.csv.delimiter = .semicolon
        $0.numbers = numbers
      })
    return outcome.events.map { "\($0.price) x\($0.size)" } + outcome.reasons
  }

  @Test func `numbers with a decimal comma`() {
    #expect(
      Self.trades("A;1;105,2;50\nA;2;1.234,50;1.000\nA;3;1.000;0,5\nA;4;0,001;1 234,5\nA;5;1'234'567,8;7\nA;6;-1,5e1;7\n", .comma)
        == ["105.2 x50", "1234.5 x1000", "1000 x0.5", "0.001 x1234.5", "1234567.8 x7", "-15 x7"])
    #expect(
      Self.trades("A;1;1.5;1\nA;2;1,234.5;1\nA;3;12.34,5;1\nA;4;0.500;1\n", .comma).allSatisfy { $0.contains("'price' is not a number") })
  }

  @Test func `numbers with marks between thousands`() {
    #expect(
      Self.trades(
        "A;1;12'345.60;1\nA;2;1,234.50;10,000\nA;3;1 234.50;3\nA;4;1,00,000.5;1\nA;5;1234.5;1,234,567\nA;6;1\u{a0}234;1\n", .grouped)
        == ["12345.6 x1", "1234.5 x10000", "1234.5 x3", "100000.5 x1", "1234.5 x1234567", "1234 x1"])
    #expect(Self.trades("A;1;12,34.5;1\nA;2;1,2345;1\nA;3;1,234'567;1\n", .grouped).allSatisfy { $0.contains("is not a number") })
  }

  @Test func `behind a number with a decimal comma, a point that may stand between thousands is refused`() {
    #expect(
      Self.trades("A;1;1.000;1\nA;2;105,2;1\nA;3;1.000;1\nA;4;1.25;1\nA;5;2;3.000\nA;6;0.500;1\nA;7;7;1\n", .plain)
        == [
          "1 x1", "1.25 x1", "0.5 x1", "7 x1",
          "3: 'price' is not a number: '105,2'; write 105.2, with a decimal point, or set 'numbers: comma'",
          "4: 'price' is '1.000': its point may separate thousands, because other numbers in this file have decimal commas; 'numbers: comma' reads them",
          "6: 'size' is '3.000': its point may separate thousands, because other numbers in this file have decimal commas; 'numbers: comma' reads them",
        ])
  }
}

/// Words for the side of a trade.
@Suite struct SideWordTests {
  private static func sides(_ words: [String], _ change: (inout ReplayOptions) -> Void = { _ in }) -> [String] {
    let outcome = run("symbol,time,price,side\n" + words.map { "A,1,1,\($0)\n" }.joined(), options(change))
    return outcome.events.map { "\($0.side)" } + outcome.reasons
  }

  @Test func `the usual words and those of Databento`() {
    #expect(
      Self.sides(["buy", "SELL", "B", "A", "N", "s", "", "unknown"]) == [
        "buy", "sell", "buy", "sell", "unknown", "sell", "unknown", "unknown",
      ])
    #expect(Self.sides(["X"]) == ["2: 'side' is neither buy nor sell: 'X'; 'sides' can say what it means"])
  }

  @Test func `words of the options`() {
    var words = SideWords()
    (words.buy, words.sell, words.unknown) = (["A", "up"], ["1"], ["?"])
    #expect(
      Self.sides(["A", "up", "1", "?", "", "buy"]) { $0.sides = words }
        == ["buy", "buy", "sell", "unknown", "unknown", "7: 'side' is neither buy nor sell: 'buy'; 'sides' can say what it means"])
  }
}
