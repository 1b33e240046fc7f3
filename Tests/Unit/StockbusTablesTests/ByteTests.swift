import Testing

@testable import StockbusTables

@Suite struct ByteTests {
  /// Values of the reference implementation.
  @Test(arguments: [("", 0xEF46_DB37_51D8_E999), ("a", 0xD24E_C4F1_A98C_6E5B), ("abc", 0x44BC_2CF5_AD77_0999)] as [(String, UInt64)])
  func `XXH64 has the published values`(text: String, expected: UInt64) {
    var sum = XXH64()
    Array(text.utf8).withUnsafeBytes { sum.update($0) }
    #expect(sum.value == expected)
  }

  @Test func `XXH64 does not depend on how its bytes are split, and differs after every flip`() {
    var samples = Samples(seed: 1)
    let bytes = (0..<200).map { _ in UInt8(truncatingIfNeeded: samples.next()) }
    func sum(_ parts: [ArraySlice<UInt8>]) -> UInt64 {
      var sum = XXH64()
      for part in parts { part.withUnsafeBytes { sum.update($0) } }
      return sum.value
    }
    let whole = sum([bytes[...]])
    for _ in 0..<200 {
      let (a, b) = (samples.below(200), samples.below(200))
      #expect(sum([bytes[..<min(a, b)], bytes[min(a, b)..<max(a, b)], bytes[max(a, b)...]]) == whole)
    }
    for bit in 0..<bytes.count * 8 {
      var flipped = bytes
      flipped[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(sum([flipped[...]]) != whole)
    }
  }

  @Test func `CRC-32 has the published value`() {
    #expect(Array("123456789".utf8).withUnsafeBytes { Checksum.crc32($0) } == 0xcbf4_3926)
    #expect(Checksum.crc32(UnsafeRawBufferPointer(start: nil, count: 0)) == 0)
  }

  @Test func `snappy copies literals and overlapping repetitions`() throws {
    // 11 bytes: the literal "abc", then eight bytes from three back.
    let packed: [UInt8] = [11, 2 << 2, 97, 98, 99, 1 | 4 << 2, 3]
    var out = [UInt8](repeating: 0, count: 11)
    try packed.withUnsafeBytes { packed in try out.withUnsafeMutableBytes { try Snappy.decompress(packed, into: $0) } }
    #expect(String(decoding: out, as: UTF8.self) == "abcabcabcab")
    for cut in 0..<packed.count {
      #expect(throws: TableError.self) {
        try packed[..<cut].withUnsafeBytes { packed in try out.withUnsafeMutableBytes { try Snappy.decompress(packed, into: $0) } }
      }
    }
  }

  @Test(arguments: [TableCompression.none, .gzip(level: 1), .gzip(level: 9), .zstd(level: 1), .zstd(level: 19)])
  func `what is compressed comes back`(compression: TableCompression) throws {
    guard compression.isAvailable else { return }
    var samples = Samples(seed: 5)
    let compressor = try Compressor(compression)
    for size in [0, 1, 1000, 300_000] {
      for isRandom in [false, true] {
        let bytes = (0..<size).map { isRandom ? UInt8(truncatingIfNeeded: samples.next()) : UInt8(truncatingIfNeeded: $0 / 100) }
        for stores in [false, true] {
          var packed = ByteBuffer()
          try bytes.withUnsafeBytes { stores ? try compressor.store($0, into: &packed) : try compressor.compress($0, into: &packed) }
          var out = [UInt8](repeating: 7, count: size)
          try out.withUnsafeMutableBytes { try Decompressor().decompress(packed.bytes, compression.codec.rawValue, into: $0) }
          #expect(out == bytes)
          var longer = [UInt8](repeating: 7, count: size + 1)
          #expect(throws: TableError.self) {
            try longer.withUnsafeMutableBytes { try Decompressor().decompress(packed.bytes, compression.codec.rawValue, into: $0) }
          }
        }
      }
    }
  }

  @Test func `runs are those of the specification's example`() throws {
    // The numbers 0 to 7 in three bits: 10001000 11000110 11111010.
    var out = ByteBuffer()
    (0..<8).map { UInt32($0) }.withUnsafeBufferPointer { out.putRuns($0.baseAddress!, count: 8, width: 3) }
    #expect(Array(out.bytes) == [3, 0b1000_1000, 0b1100_0110, 0b1111_1010])
    out.clear()
    [UInt32](repeating: 300, count: 100).withUnsafeBufferPointer { out.putRuns($0.baseAddress!, count: 100, width: 9) }
    #expect(Array(out.bytes) == [0xc8, 1, 44, 1])
  }

  @Test func `differences are those of the specification's example`() throws {
    // 7, 5, 3, 1, 2, 3, 4, 5: differences -2 -2 -2 1 1 1 1, smallest -2, in two bits, a part of 32 and three empty ones.
    var out = ByteBuffer()
    ([7, 5, 3, 1, 2, 3, 4, 5] as [Int64]).withUnsafeBufferPointer { out.putDeltas($0.baseAddress!, count: 8) }
    #expect(Array(out.bytes) == [0x80, 1, 4, 8, 14, 3, 2, 0, 0, 0, 0b1100_0000, 0b11_1111, 0, 0, 0, 0, 0, 0])
  }

  @Test(arguments: 0...32) func `packed numbers of every width come back`(width: Int) throws {
    var samples = Samples(seed: UInt64(width))
    for count in [1, 7, 8, 9, 63, 64, 65, 1000] {
      var numbers = (0..<count).map { _ in width == 0 ? 0 : UInt32(truncatingIfNeeded: samples.next() >> UInt64(64 - width)) }
      // Runs between others.
      if count > 500 { for i in 200..<333 { numbers[i] = numbers[200] } }
      var out = ByteBuffer()
      numbers.withUnsafeBufferPointer { out.putRuns($0.baseAddress!, count: count, width: width) }
      var reader = RunReader(out.bytes, width: width)
      var back = [UInt32](repeating: 0, count: count)
      for (start, size) in pieces(count, 37) {
        try back.withUnsafeMutableBufferPointer { try reader.read(into: $0.baseAddress! + start, count: size) }
      }
      #expect(back == numbers)
    }
  }

  @Test func `differences of every width come back, also those that wrap around`() throws {
    var samples = Samples(seed: 9)
    for shift in 0..<64 {
      for count in [1, 2, 32, 33, 128, 129, 130, 500] {
        let numbers = (0..<count).map { _ in samples.below(9) == 0 ? samples.word() : Int64(bitPattern: samples.next()) >> Int64(shift) }
        var out = ByteBuffer()
        numbers.withUnsafeBufferPointer { out.putDeltas($0.baseAddress!, count: count) }
        var reader = try DeltaReader(out.bytes)
        #expect(reader.total == count)
        var back = [Int64](repeating: 0, count: count)
        for (start, size) in pieces(count, 29) {
          try back.withUnsafeMutableBufferPointer { try reader.read(into: $0.baseAddress! + start, count: size) }
        }
        #expect(back == numbers)
        var skipped = try DeltaReader(out.bytes)
        try skipped.skipAll()
        #expect(skipped.cursor.left == 0)
      }
    }
  }

  private func pieces(_ count: Int, _ size: Int) -> [(Int, Int)] {
    stride(from: 0, to: count, by: size).map { ($0, min(size, count - $0)) }
  }

  @Test func `places of numbers are in their order until there are too many`() {
    var dictionary = NumberDictionary()
    var samples = Samples(seed: 11)
    var (model, order): ([Int64: UInt32], [Int64]) = ([:], [])
    for _ in 0..<20 {
      let numbers = (0..<5000).map { _ in Int64(bitPattern: samples.next()) >> Int64(48 + samples.below(10)) }
      for number in numbers where model[number] == nil {
        model[number] = UInt32(order.count)
        order.append(number)
      }
      var places = [UInt32](repeating: 0, count: numbers.count)
      let fits = numbers.withUnsafeBufferPointer { numbers in
        places.withUnsafeMutableBufferPointer { dictionary.places(of: numbers.baseAddress!, count: numbers.count, into: $0.baseAddress!) }
      }
      #expect(fits)
      #expect(places == numbers.map { model[$0] })
    }
    let many = (0..<Int64(NumberDictionary.limit + 1)).map { $0 << 20 + 1 }
    var places = [UInt32](repeating: 0, count: many.count)
    dictionary.removeAll()
    let fits = many.withUnsafeBufferPointer { many in
      places.withUnsafeMutableBufferPointer { dictionary.places(of: many.baseAddress!, count: many.count, into: $0.baseAddress!) }
    }
    #expect(!fits)
    #expect(dictionary.count == NumberDictionary.limit)
  }
}
