import MarketData
import TestSupport
import Testing

@Suite struct DigitsTests {
  /// The words of a text, followed by bytes as in a reader.
  static func with<Result>(_ text: String, filler: UInt8 = 10, _ body: (UnsafePointer<UInt8>) -> Result) -> Result {
    let bytes = Array(text.utf8) + [UInt8](repeating: filler, count: 16)
    return bytes.withUnsafeBufferPointer { body($0.baseAddress!) }
  }

  @Test func `reads the digits at the front of eight bytes`() {
    for (text, count, value, padded) in [
      ("0", 1, 0, 0), ("7", 1, 7, 70_000_000), ("42.5", 2, 42, 42_000_000), ("1234567", 7, 1_234_567, 12_345_670),
      ("12345678", 8, 12_345_678, 12_345_678), ("123456789", 8, 12_345_678, 12_345_678), ("00100", 5, 100, 100_000),
      ("9/9", 1, 9, 90_000_000), ("9:9", 1, 9, 90_000_000), ("98é", 2, 98, 98_000_000),
    ] {
      for filler: UInt8 in [0, 10, 47, 58, 255] {
        Self.with(text, filler: filler) { p in
          let group = Digits.Group(p)
          #expect(group.count == count && group.value == UInt64(value) && group.padded == UInt64(padded), "\(text)")
          #expect(group.beginsWithZero == text.hasPrefix("0"))
          var sum: UInt64 = 5
          #expect(Digits.read(p, &sum) == count)
          #expect(sum == 5 * Digits.power(count) + UInt64(value))
        }
      }
    }
    for text in ["", ".", "x1", "é", "-1", "/", ":"] {
      Self.with(text) { p in
        var sum: UInt64 = 5
        #expect(Digits.Group(p).count == 0 && Digits.read(p, &sum) == 0 && sum == 5)
      }
    }
  }

  @Test func `agrees with a loop over the bytes, whatever they are`() {
    var random = SplitMix(8)
    for _ in 0..<20_000 {
      let bytes = (0..<24).map { _ in UInt8.random(in: Bool.random(using: &random) ? 48...57 : 0...255, using: &random) }
      let digits = bytes.prefix(8).prefix { (48...57).contains($0) }
      bytes.withUnsafeBufferPointer { buffer in
        var value: UInt64 = 3
        #expect(Digits.read(buffer.baseAddress!, &value) == digits.count)
        #expect(value == digits.reduce(3) { $0 * 10 + UInt64($1 - 48) })
      }
    }
  }

  @Test func `has the powers of ten`() {
    var power: UInt64 = 1
    for n in 0...19 {
      #expect(Digits.power(n) == power)
      if n < 19 { power *= 10 }
    }
  }
}

@Suite struct ByteWordsTests {
  @Test func `loads, masks and repeats bytes`() {
    DigitsTests.with("abcdefgh") { p in
      #expect(ByteWords.load(p) == 0x6867_6665_6463_6261)
      #expect(ByteWords.load(p) & ByteWords.mask(3) == 0x63_6261)
    }
    #expect((0...9).map { ByteWords.mask($0).nonzeroBitCount } == [0, 8, 16, 24, 32, 40, 48, 56, 64, 64])
    #expect(ByteWords.all(0x2c) == 0x2c2c_2c2c_2c2c_2c2c)
  }

  @Test func `finds the first mark among any bytes`() {
    var random = SplitMix(34)
    for _ in 0..<20_000 {
      var bytes = (0..<40).map { _ in UInt8.random(in: 0...255, using: &random) }
      bytes[30] = 10
      bytes.withUnsafeBufferPointer { buffer in
        let p = buffer.baseAddress!
        func place(_ marks: UInt64) -> Int? { marks == 0 ? nil : marks.trailingZeroBitCount / 8 }
        #expect(place(ByteWords.zeros(ByteWords.load(p))) == buffer.prefix(8).firstIndex(of: 0))
        #expect(place(ByteWords.endsOfText(ByteWords.load(p))) == buffer.prefix(8).firstIndex { $0 < 32 || $0 == 34 || $0 == 92 })
        #expect(ByteWords.fieldEnd(p, ByteWords.all(59)) - p == buffer.firstIndex { $0 == 59 || $0 == 34 || $0 == 10 })
      }
    }
  }
}
