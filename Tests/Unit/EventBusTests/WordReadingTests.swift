import MarketData
import TestSupport
import Testing

@testable import EventBus

/// Reading eight bytes at a time gives the same result as reading byte by byte, for any text and any end.
@Suite struct WordReadingTests {
  /// Bytes in a memory block of exactly their length.
  private func reading<R>(_ bytes: [UInt8], _ body: (inout ByteReader) -> R) -> R {
    bytes.withUnsafeBufferPointer { buffer in
      var reader = ByteReader(buffer)
      return body(&reader)
    }
  }

  /// The general reader's result for a time in quotation marks, and the number of bytes it took.
  private func general(_ bytes: [UInt8]) -> (time: Int64, read: Int)? {
    reading(bytes) { reader in
      do throws(TextError) {
        try reader.skip(34)
        let time = try reader.iso8601()
        try reader.skip(34)
        return (time.ns, reader.offset)
      } catch { return nil }
    }
  }

  private func usual(_ bytes: [UInt8]) -> (time: Int64?, read: Int) {
    reading(bytes) { reader in
      let time = reader.usualTime()
      return (time, reader.offset)
    }
  }

  @Test func `usual times are the general reader's, to the byte`() {
    var random = SplitMix(1)
    var wrong: [String] = []
    for _ in 0..<5000 {
      // 1970 to 2261, in every unit.
      let unit = ([1, 1000, 1_000_000, 1_000_000_000] as [Int64]).randomElement(using: &random)!
      let time = Timestamp(ns: Int64.random(in: 0..<9_214_646_400_000_000_000, using: &random) / unit * unit)
      for form in [ByteWriter.TimeForm.shortest, .seconds, .milliseconds, .microseconds, .nanoseconds] {
        var out = ByteWriter()
        out.reserve(32)
        out.put(iso8601: time, form: form)
        for tail in ["", "}", ",\"received\":"] {
          let bytes = Array("\"\(out.string)\"\(tail)".utf8)
          let (found, read) = usual(bytes)
          // Milliseconds at the very end of a text are left to the general reader: there is no whole word.
          guard found != nil || bytes.count < 30 else {
            wrong.append("\(out.string)\(tail) is not usual")
            continue
          }
          if let found, general(bytes)! != (found, read) { wrong.append(out.string) }
          if found == nil, read != 0 { wrong.append("\(out.string) was read") }
        }
      }
    }
    #expect(wrong.prefix(3) == [])
  }

  @Test func `what is nearly a usual time is never read otherwise`() {
    var random = SplitMix(2)
    let good = [
      "\"2024-02-29T23:59:59.123456789Z\"", "\"1970-01-01T00:00:00Z\"", "\"2261-12-31T23:59:59.999Z\",  ",
      "\"2013-10-08T13:30:00.012345Z\"}",
    ]
    let bytes = Array("0123456789-:TZz.,\" /;@\0\u{7f}".utf8) + [0x80, 0xb0, 0xba, 0xff]
    var (wrong, read) = ([String](), 0)
    for _ in 0..<200_000 {
      var text = Array(good.randomElement(using: &random)!.utf8)
      for _ in 0...random.upTo(2) { text[Int(random.next() % UInt64(text.count))] = bytes.randomElement(using: &random)! }
      if random.upTo(9) == 0 { text.removeLast(Int(random.next() % UInt64(text.count))) }
      let (time, offset) = usual(text)
      guard let time else {
        if offset != 0 { wrong.append("read \(text)") }
        continue
      }
      read += 1
      if general(text).map({ $0 == (time, offset) }) != true { wrong.append(String(decoding: text, as: UTF8.self)) }
    }
    #expect(wrong.prefix(3) == [])
    #expect(read > 10_000, "too few of them are times")
  }

  @Test func `plain bytes end where the first mark, backslash or control byte stands`() {
    var random = SplitMix(3)
    var wrong = 0
    for _ in 0..<100_000 {
      var text = (0..<random.upTo(40)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      // Mostly plain characters, next to others that are not.
      for i in text.indices where text[i] % 8 != 0 {
        text[i] = [33, 35, 91, 93, 32, 127, 128, 160, 255, 65].randomElement(using: &random)!
      }
      let plain = text.firstIndex { $0 == 34 || $0 == 92 || $0 < 32 } ?? text.count
      let found = reading(text) { $0.plainBytes(from: $0.at) }
      if found != plain, !(found < plain && found == text.count / 8 * 8) { wrong += 1 }
    }
    #expect(wrong == 0)
  }

  @Test func `keys of every length are told from those that differ in one byte or are cut`() {
    var wrong: [Int] = []
    for length in 1...40 {
      let name = String(repeating: "k", count: length)
      let fields = [Field<Trade>(name, \.symbol, "A name.")]
      let codec = EventCodec(fields.map(\.raw))
      var event = Trade.schema.example
      func isRead(_ text: String) -> Bool {
        reading(Array(text.utf8)) { reader in
          withUnsafeMutablePointer(to: &event) { at in
            do throws(TextError) {
              try codec.decodeJSON(at, &reader)
              return reader.isAtEnd
            } catch { return false }
          }
        }
      }
      let text = "{\"\(name)\":\"X\"}"
      if !isRead(text) { wrong.append(length) }
      for place in 0..<name.utf8.count {
        var other = Array(text)
        other[2 + place] = "l"
        if isRead(String(other)) { wrong.append(length) }
      }
      for end in 0..<text.count where isRead(String(text.prefix(end))) { wrong.append(length) }
    }
    #expect(wrong.isEmpty)
  }

  @Test func `an enum's table says what asking each case says`() throws {
    let texts = try #require(ChoiceTexts(ConnectionStatus.State.self))
    for state in ConnectionStatus.State.allCases {
      let byte = withUnsafeBytes(of: state) { $0[0] }
      #expect(String(decoding: texts.text(of: byte), as: UTF8.self) == state.fieldName)
      let found = Array(state.fieldName.utf8).withUnsafeBufferPointer { texts.byte(of: $0) }
      #expect(found == byte)
    }
    #expect(texts.text(of: 200).isEmpty)
    for name in ["", "connecte", "connectedd", "x"] { #expect(Array(name.utf8).withUnsafeBufferPointer { texts.byte(of: $0) } == nil) }
  }
}
