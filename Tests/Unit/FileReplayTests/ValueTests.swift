import MarketData
import TestSupport
import Testing

@testable import FileReplay

@Suite struct ValueTests {
  /// The price in a CSV field, as it is printed, or why there is none.
  static func price(_ text: String, scale: Int64 = 1) -> String {
    let outcome = run("symbol,time,price\nA,1,\(text)\n", options { $0.priceScale = scale })
    return outcome.events.first.map { $0.price.formatted(decimals: Int($0.priceDecimals)) } ?? outcome.malformed[0].reason
  }

  @Test func `takes prices exactly as they are written`() {
    let same = [
      "167.40", "0", "0.000000001", "-37.63", "9223372036.854775806", "-9223372036.854775806", "12345678", "123456789.123456789", "1.10",
    ]
    for text in same { #expect(Self.price(text) == text) }
    #expect(Self.price("+1.5") == "1.5")
    #expect(Self.price(".5") == "0.5")
    #expect(Self.price("5.") == "5")
    #expect(Self.price("\" 5.25 \"") == "5.25")
    #expect(Self.price("1e3") == "1000")
    #expect(Self.price("1.5E-3") == "0.0015")
    #expect(Self.price("00000000000000000000000001.5") == "1.5")
    #expect(Self.price("1.1000000000000") == "1.100000000")
    #expect(Self.price("+.000000000500e1") == "0.000000005")
  }

  @Test func `refuses what is no price or does not fit`() {
    #expect(Self.price("") == "'price' is empty")
    #expect(Self.price("  ") == "'price' is empty")
    for text in ["x", "1x", "1.2.3", "--1", "-", ".", "1,5".replacing(",", with: ";"), "1 2", "NaN", "1e", "0x10"] {
      #expect(Self.price(text) == "'price' is not a number: '\(text)'")
    }
    #expect(
      Self.price("0.0000000001")
        == "'price' has more than nine decimals: '0.0000000001'; 'finer_prices: round' rounds prices to nine, unless that gives 0")
    #expect(Self.price("9223372036.9") == "'price' is out of range: '9223372036.9'")
    #expect(Self.price("12345678901234567890123") == "'price' is out of range: '12345678901234567890123'")
    #expect(Self.price("1e30") == "'price' is out of range: '1e30'")
    #expect(Self.price(String(repeating: "1", count: 2000)) == "'price' is out of range: '\(String(repeating: "1", count: 60))…'")
  }

  @Test func `divides by the price scale exactly`() {
    #expect(Self.price("138300", scale: 10_000) == "13.83")
    #expect(Self.price("-1", scale: 1_000_000_000) == "-0.000000001")
    #expect(Self.price("1", scale: 8) == "0.125")
    #expect(Self.price("9223372036854775806", scale: 1_000_000_000) == "9223372036.854775806")
    #expect(Self.price("12.5", scale: 10) == "1.25")
    #expect(Self.price("1e4", scale: 10_000) == "1")
    let inexact = "is out of range or has more than nine decimals"
    let option = "; 'finer_prices: round' rounds prices to nine, unless that gives 0"
    #expect(Self.price("1", scale: 3) == "'price' divided by the price scale \(inexact): '1'\(option)")
    #expect(Self.price("3", scale: 3) == "1")
    #expect(Self.price("1", scale: 10_000_000_000) == "'price' divided by the price scale \(inexact): '1'\(option)")
    #expect(Self.price("1234567890123456789", scale: 10) == "'price' divided by the price scale \(inexact): '1234567890123456789'\(option)")
  }

  @Test func `agrees with the exact reader of the ground floor on random numbers`() {
    var random = SplitMix(754)
    let texts = (0..<3000).map { _ in
      func digits() -> String {
        (0...Int.random(in: 0...11, using: &random)).map { _ in "\(Int.random(in: 0...9, using: &random))" }.joined()
      }
      return (Bool.random(using: &random) ? "-" : "") + digits() + (Bool.random(using: &random) ? "." + digits() : "")
    }
    let expected = texts.map { try? Price($0) }
    let csv = run("symbol,time,price\n" + texts.map { "A,1,\($0)\n" }.joined())
    let json = run(texts.map { "{\"symbol\":\"A\",\"time\":1,\"price\":\"\($0)\"}\n" }.joined())
    for (outcome, header) in [(csv, 1), (json, 0)] {
      #expect(outcome.events.map(\.price) == expected.compactMap { $0 })
      #expect(outcome.malformed.map { $0.line - 1 - header } == expected.indices.filter { expected[$0] == nil })
    }
    #expect(csv.counts.malformed > 100)
  }

  @Test func `reads sides, and amounts that are never negative`() {
    func trade(_ size: String, _ side: String) -> String {
      let outcome = run("symbol,time,price,size,side\nA,1,1,\(size),\(side)\n")
      return outcome.events.first.map { "\($0.size.formatted(decimals: Int($0.sizeDecimals))) \($0.side)" } ?? outcome.malformed[0].reason
    }
    #expect(trade("1.50", "buy") == "1.50 buy")
    #expect(trade("", "B") == "0 buy")
    #expect(trade(" ", "Sell") == "0 sell")
    #expect(trade("-0", "s") == "0 sell")
    #expect(trade("1", "") == "1 unknown")
    #expect(trade("1", "unknown") == "1 unknown")
    #expect(trade("1", "long") == "'side' is neither buy nor sell: 'long'; set 'sides: { buy: [long], sell: [short] }'")
    #expect(trade("-1", "b") == "'size' is negative: '-1'")
    #expect(trade("x", "b") == "'size' is not a number: 'x'")
  }

  @Test func `names symbols that cannot be`() {
    func symbol(_ text: String) -> String {
      let outcome = run("price;time;symbol\n1;1;\(text)\n", options { $0.csv.delimiter = .semicolon })
      return outcome.events.first.map { "\($0.symbol)" } ?? outcome.malformed[0].reason
    }
    #expect(symbol(" AIG ") == "AIG")
    #expect(symbol("BTC-USDT-PERPETUAL") == "BTC-USDT-PERPETUAL")
    #expect(symbol("") == "'symbol' is empty")
    #expect(symbol("A,B") == "'symbol': a symbol cannot contain control characters, quotation marks, backslashes or commas: 'A,B'")
    #expect(symbol(String(repeating: "A", count: 65)) == "'symbol': a symbol has at most 64 bytes: '\(String(repeating: "A", count: 60))…'")
    // Seven bytes and a zero byte are not the same name as the seven bytes.
    let zero = run("price,time,symbol\n1,1,ABCDEFG\n1,1,ABCDEFG\u{0}\n1,1,ABCDEFGH\n1,1,ABCDEFGHI\n1,1,ABCDEFG\n")
    #expect(zero.events.map { "\($0.symbol)" } == ["ABCDEFG", "ABCDEFGH", "ABCDEFGHI", "ABCDEFG"])
    #expect(zero.malformed.count == 1)
  }
}
