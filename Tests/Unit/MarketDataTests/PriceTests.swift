import MarketData
import TestSupport
import Testing

@Suite struct PriceTests {
  @Test(arguments: [
    ("0", 0), ("-0", 0), ("189.250", 189_250_000_000), ("-12.50", -12_500_000_000), ("0.000000001", 1), ("-0.000000001", -1),
    ("9223372036.854775807", Int64.max), ("-9223372036.854775807", -Int64.max), ("-9223372036.854775808", Int64.min),
    ("007.5", 7_500_000_000), ("000000000000000000000000000001.5", 1_500_000_000), ("1.0000000000000000000000", 1_000_000_000),
    ("0.1234567890000", 123_456_789), ("1e3", 1_000_000_000_000), ("1E+3", 1_000_000_000_000), ("12.5e-1", 1_250_000_000), ("1e-9", 1),
    ("1000000000000000000e-27", 1), ("0e400", 0), ("0e-400", 0), ("0.0000000000000000", 0),
    ("123456789.123456789", 123_456_789_123_456_789),
    ("1.5e0", 1_500_000_000), ("0.000000000000000001e18", 1_000_000_000), ("9.223372036854775807e9", Int64.max),
    ("-9223372036854775808e-9", Int64.min),
  ])
  func `reads the literal digits`(text: String, raw: Int64) throws {
    #expect(try Price(text).raw == raw)
    #expect(try Quantity(text).raw == raw)
    #expect(try Percent(text).raw == raw)
  }

  @Test(arguments: [
    ("", TextError.Code.unexpected, 0), ("-", .unexpected, 1), (".5", .unexpected, 0), ("5.", .unexpected, 2), ("-.5", .unexpected, 1),
    (" 5", .unexpected, 0), ("5 ", .unexpected, 1), ("+5", .unexpected, 0), ("--5", .unexpected, 1), ("1,000", .unexpected, 1),
    ("1.5.5", .unexpected, 3), ("1e", .unexpected, 2), ("1e+", .unexpected, 3), ("1e5.5", .unexpected, 3), ("0x10", .unexpected, 1),
    ("NaN", .unexpected, 0), ("inf", .unexpected, 0), ("１", .unexpected, 0), ("1\0", .unexpected, 1), ("1.e5", .unexpected, 2),
    ("9223372036.854775808", .outOfRange, 0), ("-9223372036.854775809", .outOfRange, 0), ("9223372037", .outOfRange, 0),
    ("99999999999999999999999999", .outOfRange, 0), ("18446744073709551617", .outOfRange, 0), ("1e400", .outOfRange, 0),
    ("1e99999999999999999999", .outOfRange, 0), ("-1e10", .outOfRange, 0), ("0.0000000001", .tooManyDecimals, 0),
    ("1.2345678901", .tooManyDecimals, 0), ("1e-10", .tooManyDecimals, 0), ("1e-99999999999999999999", .tooManyDecimals, 0),
  ])
  func `refuses what is no exact price, naming the place`(text: String, code: TextError.Code, offset: Int) {
    #expect(throws: TextError(code, at: offset)) { try Price(text) }
  }

  @Test func `refuses numbers of absurd length instead of working on them`() {
    let nines = String(repeating: "9", count: 1_000_000)
    #expect(throws: TextError(.outOfRange, at: 0)) { try Price(nines) }
    #expect(throws: TextError(.outOfRange, at: 0)) { try Price("0." + nines) }
    #expect(throws: TextError(.outOfRange, at: 0)) { try Price("1e" + nines) }
  }

  @Test(arguments: [
    (0, 0, "0"), (0, 2, "0.00"), (189_250_000_000, 0, "189.25"), (189_250_000_000, 3, "189.250"), (1, 2, "0.000000001"),
    (-1, 0, "-0.000000001"),
    (-12_500_000_000, 1, "-12.5"), (5_000_000_000, 0, "5"), (5_000_000_000, 9, "5.000000000"), (5_000_000_000, 99, "5.000000000"),
    (5_000_000_000, -3, "5"), (Int64.max, 0, "9223372036.854775807"), (Int64.min, 0, "-9223372036.854775808"), (10, 0, "0.00000001"),
  ])
  func `prints at least the wanted decimals and never rounds`(raw: Int64, decimals: Int, text: String) {
    #expect(Price(raw: raw).formatted(decimals: decimals) == text)
  }

  @Test func `is a whole number where it is written as one`() {
    let price: Price = 12
    #expect(price.raw == 12_000_000_000)
    #expect(price.description == "12")
    #expect(Price(raw: 1) < Price(raw: 2))
  }

  // MARK: Against the model

  @Test(arguments: 0..<20) func `whatever it prints it reads again, and prints like the model`(seed: UInt64) throws {
    var random = SplitMix(seed)
    for _ in 0..<1000 {
      let raw = Int64(truncatingIfNeeded: random.next()) >> Int64.random(in: 0...63, using: &random)
      let decimals = Int.random(in: 0...9, using: &random)
      let text = Price(raw: raw).formatted(decimals: decimals)
      #expect(text == DecimalModel.text(raw, decimals))
      #expect(try Price(text).raw == raw)
    }
  }

  @Test(arguments: 0..<20) func `reads like the model, right and wrong texts alike`(seed: UInt64) {
    var random = SplitMix(seed &+ 77)
    for _ in 0..<1500 {
      let text = DecimalModel.randomText(&random)
      let wanted = DecimalModel.parse(text)
      let found = (try? Price(text))?.raw
      #expect(found == wanted, "\(text)")
    }
  }

  @Test func `counts the decimals a number was written with`() throws {
    for (text, wanted) in [("1", 0), ("1.50", 2), ("1.123456789", 9), ("1.1234567890000", 9), ("1e3", 0), ("1.50e1", 2), ("-0.0", 1)] {
      var decimals: UInt8 = 77
      _ = try reading(text) { reader throws(TextError) in try reader.fixedPoint(decimals: &decimals) }
      #expect(decimals == wanted)
    }
  }
}

/// Decimal numbers as strings of digits: slow and obvious.
enum DecimalModel {
  static func text(_ raw: Int64, _ decimals: Int) -> String {
    var digits = String(raw.magnitude)
    while digits.count < 10 { digits = "0" + digits }
    let whole = digits.dropLast(9)
    var rest = digits.suffix(9)
    while rest.count > decimals, rest.last == "0" { rest.removeLast() }
    return (raw < 0 ? "-" : "") + whole + (rest.isEmpty ? "" : "." + rest)
  }

  static func parse(_ text: String) -> Int64? {
    guard let match = text.wholeMatch(of: /(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?/) else { return nil }
    let fraction = String(match.3 ?? "")
    var digits = String(match.2) + fraction
    var shift = 9 - fraction.count + Int(match.4.map { $0.hasPrefix("+") ? String($0.dropFirst()) : String($0) } ?? "0")!
    digits = String(digits.drop { $0 == "0" })
    if digits.isEmpty { return 0 }
    while shift > 0, digits.count < 30 {
      digits += "0"
      shift -= 1
    }
    while shift < 0 {
      guard digits.last == "0" else { return nil }
      digits.removeLast()
      shift += 1
    }
    return shift > 0 ? nil : Int64(match.1 + digits)
  }

  static func randomText(_ random: inout SplitMix) -> String {
    func digits(_ most: Int, _ random: inout SplitMix) -> String {
      let zeros = Int.random(in: 0..<4, using: &random) == 0
      return (0..<Int.random(in: 1...most, using: &random)).map { _ in zeros ? "0" : String(Int.random(in: 0...9, using: &random)) }
        .joined()
    }
    var text = Bool.random(using: &random) ? "-" : ""
    text += digits(Int.random(in: 1...22, using: &random), &random)
    if Bool.random(using: &random) { text += "." + digits(12, &random) + (Bool.random(using: &random) ? "" : digits(8, &random)) }
    if Int.random(in: 0..<3, using: &random) == 0 {
      text += ["e", "E"].randomElement(using: &random)! + ["", "+", "-"].randomElement(using: &random)! + digits(2, &random)
    }
    if Int.random(in: 0..<8, using: &random) == 0 {
      let at = text.index(text.startIndex, offsetBy: Int.random(in: 0...text.count, using: &random))
      text.insert(["-", ".", "e", " ", "+", "x"].randomElement(using: &random)!, at: at)
    }
    return text
  }
}

/// Reads `text` with a `ByteReader`.
func reading<T>(_ text: String, _ body: (inout ByteReader) throws(TextError) -> T) throws(TextError) -> T {
  let bytes = Array(text.utf8)
  let result: Result<T, TextError> = bytes.withUnsafeBufferPointer { bytes in
    var reader = ByteReader(bytes)
    do throws(TextError) { return .success(try body(&reader)) } catch { return .failure(error) }
  }
  return try result.get()
}
