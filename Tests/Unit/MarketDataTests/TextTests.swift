import MarketData
import TestSupport
import Testing

@Suite struct TextTests {
  private func written(_ body: (inout ByteWriter) -> Void) -> String {
    var out = ByteWriter()
    body(&out)
    return out.string
  }

  @Test func `writes whole numbers to their edges`() throws {
    var numbers: [Int64] = [0, .min, .max, .min + 1, .max - 1]
    var power: Int64 = 1
    for _ in 0..<18 {
      numbers += [power, power - 1, power + 1, -power]
      power *= 10
    }
    for number in numbers + [power, power - 1, power + 1, -power] {
      let text = written { out in
        out.reserve(20)
        out.put(integer: number)
      }
      #expect(text == String(number))
      #expect(try reading(text) { r throws(TextError) in try r.integer() } == number)
    }
    for number in [0, 9, 10, .max, 10_000_000_000_000_000_000, 9_999_999_999_999_999_999] as [UInt64] {
      #expect(
        written { out in
          out.reserve(20)
          out.put(digits: number)
        } == String(number))
    }
  }

  @Test(arguments: [
    ("", TextError.Code.unexpected), ("-", .unexpected), ("+1", .unexpected), ("x", .unexpected), ("9223372036854775808", .outOfRange),
    ("-9223372036854775809", .outOfRange), ("18446744073709551616", .outOfRange),
    ("99999999999999999999999999999999999999999", .outOfRange),
  ])
  func `refuses what is no whole number of 64 bits`(text: String, code: TextError.Code) {
    #expect(throws: TextError(code, at: 0)) { try reading(text) { r throws(TextError) in try r.integer() } }
  }

  @Test func `reads a number and stops behind it`() throws {
    try reading("-007,12") { reader throws(TextError) in
      #expect(try reader.integer() == -7)
      #expect(reader.offset == 4)
      try reader.skip(44)
      #expect(try reader.integer() == 12)
      #expect(reader.isAtEnd && reader.peek == 0)
      do throws(TextError) {
        try reader.skip(44)
        Issue.record("skipped what is not there")
      } catch { #expect(error == TextError(.unexpected, at: 7)) }
    }
  }

  @Test func `matches whole texts or stays`() throws {
    try reading("abcdef") { reader throws(TextError) in
      func matches(_ text: String, from: Int = 0) -> Bool { Array(text.utf8).withUnsafeBufferPointer { reader.matches($0, from: from) } }
      #expect(!matches("abd") && reader.offset == 0)
      #expect(!matches("abcdefg") && reader.offset == 0)
      #expect(matches("") && reader.offset == 0)
      #expect(matches("xxabc", from: 2) && reader.offset == 3)
      #expect(matches("def") && reader.isAtEnd)
      #expect(!matches("x"))
    }
  }

  @Test func `grows, forgets, and never goes below nothing`() {
    var out = ByteWriter(capacity: 0)
    let piece = String(repeating: "abc", count: 50)
    for _ in 0..<100 { out.append(piece) }
    #expect(out.string == String(repeating: piece, count: 100))
    out.truncate(to: 4)
    #expect(out.string == "abca")
    out.truncate(to: 9)
    #expect(out.count == 4)
    out.truncate(to: -1)
    #expect(out.count == 0)
    out.append("x")
    out.clear()
    #expect(out.string == "")
  }

  // MARK: JSON and CSV

  private func json(_ text: String) -> String { written { out in Array(text.utf8).withUnsafeBufferPointer { out.append(json: $0) } } }
  private func csv(_ text: String) -> String { written { out in Array(text.utf8).withUnsafeBufferPointer { out.append(csv: $0) } } }

  @Test func `escapes what JSON asks for and what terminals obey, and nothing else`() {
    #expect(json("") == #""""#)
    #expect(json(#"a "b" \ /"#) == #""a \"b\" \\ /""#)
    #expect(json("\n\r\t\u{0}\u{1f}\u{8}\u{7f}") == #""\n\r\t\u0000\u001f\u0008\u007f""#)
    #expect(json("é東🚀\u{2028}") == "\"é東🚀\u{2028}\"")
  }

  @Test func `quotes in CSV only where it must`() {
    #expect(csv("") == "")
    #expect(csv("plain text") == "plain text")
    #expect(csv("a,b") == "\"a,b\"")
    #expect(csv("say \"x\"") == "\"say \"\"x\"\"\"")
    #expect(csv("a\nb") == "\"a\nb\"")
    #expect(csv("a\r") == "\"a\r\"")
  }

  /// Random texts with control characters and all escaped characters: after unescaping with the model they are the same.
  @Test func `what is escaped can be undone`() {
    var random = SplitMix(11)
    for _ in 0..<500 {
      var text = ""
      for _ in 0..<Int.random(in: 0...20, using: &random) {
        text.unicodeScalars.append(Unicode.Scalar(UInt32.random(in: 0..<(Bool.random(using: &random) ? 0x80 : 0x2000), using: &random))!)
      }
      let escaped = json(text)
      #expect(!escaped.utf8.contains { $0 < 0x20 })
      #expect(TextModel.unescaped(json: escaped) == Array(text.unicodeScalars))
      #expect(TextModel.unquoted(csv: csv(text)) == Array(text.unicodeScalars))
    }
  }

  @Test func `an error says what and where`() {
    #expect(TextError(.outOfRange, at: 4, field: "price").description == "'price': number out of range at byte 5")
    #expect(TextError(.badTime, at: 0).description == "not a time at byte 1")
  }
}

/// A model that unescapes character by character.
enum TextModel {
  /// RFC 8259, section 7.
  static func unescaped(json: String) -> [Unicode.Scalar]? {
    var rest = json.unicodeScalars[...]
    guard rest.popFirst() == "\"", rest.popLast() == "\"" else { return nil }
    var out: [Unicode.Scalar] = []
    while let scalar = rest.popFirst() {
      if scalar == "\"" { return nil }
      guard scalar == "\\" else {
        out.append(scalar)
        continue
      }
      switch rest.popFirst() {
      case "n": out.append("\n")
      case "r": out.append("\r")
      case "t": out.append("\t")
      case "\"": out.append("\"")
      case "\\": out.append("\\")
      case "u":
        guard let value = UInt32(String(String.UnicodeScalarView(rest.prefix(4))), radix: 16), let scalar = Unicode.Scalar(value) else {
          return nil
        }
        out.append(scalar)
        rest = rest.dropFirst(4)
      default: return nil
      }
    }
    return out
  }

  /// RFC 4180, section 2.
  static func unquoted(csv: String) -> [Unicode.Scalar]? {
    let scalars = Array(csv.unicodeScalars)
    guard scalars.first == "\"" else { return scalars.contains { "\",\r\n".unicodeScalars.contains($0) } ? nil : scalars }
    var out: [Unicode.Scalar] = []
    var at = 1
    while at < scalars.count - 1 {
      if scalars[at] == "\"" {
        guard scalars[at + 1] == "\"", at + 1 < scalars.count - 1 else { return nil }
        at += 1
      }
      out.append(scalars[at])
      at += 1
    }
    return scalars.last == "\"" ? out : nil
  }
}
