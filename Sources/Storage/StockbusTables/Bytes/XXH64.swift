/// A 64-bit checksum that is computed at memory speed; a changed bit changes it.
///
/// Source: xxHash fast digest algorithm, version 0.1.1, "XXH64", with seed 0. Unsafe, because it reads words from memory by pointer.
struct XXH64 {
  private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
  private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
  private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
  private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
  private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

  private var lanes = SIMD4<UInt64>(prime1 &+ prime2, prime2, 0, 0 &- prime1)
  /// The bytes of an unfinished step.
  private var rest: [UInt8] = []
  private var total: UInt64 = 0

  @inline(__always)
  private static func rotated(_ word: UInt64, _ bits: UInt64) -> UInt64 { word &<< bits | word &>> (64 - bits) }

  @inline(__always)
  private static func round(_ lane: UInt64, _ word: UInt64) -> UInt64 { rotated(lane &+ word &* prime2, 31) &* prime1 }

  mutating func update(_ bytes: UnsafeRawBufferPointer) {
    total += UInt64(bytes.count)
    var at = 0
    if !rest.isEmpty {
      at = min(32 - rest.count, bytes.count)
      rest.append(contentsOf: bytes[..<at])
      if rest.count < 32 { return }
      let full = rest
      rest.removeAll(keepingCapacity: true)
      full.withUnsafeBytes { steps($0) }
    }
    let whole = (bytes.count - at) / 32 * 32
    steps(UnsafeRawBufferPointer(rebasing: bytes[at..<at + whole]))
    rest.append(contentsOf: bytes[(at + whole)...])
  }

  /// Steps of 32 bytes: four lanes that do not wait for each other.
  private mutating func steps(_ bytes: UnsafeRawBufferPointer) {
    var (a, b, c, d) = (lanes[0], lanes[1], lanes[2], lanes[3])
    var at = 0
    while at < bytes.count {
      a = Self.round(a, UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self)))
      b = Self.round(b, UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: at &+ 8, as: UInt64.self)))
      c = Self.round(c, UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: at &+ 16, as: UInt64.self)))
      d = Self.round(d, UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: at &+ 24, as: UInt64.self)))
      at &+= 32
    }
    lanes = SIMD4(a, b, c, d)
  }

  /// The checksum of all bytes so far.
  var value: UInt64 {
    var hash = Self.prime5
    if total >= 32 {
      hash = 0
      for (lane, bits) in zip(0..<4, [1, 7, 12, 18] as [UInt64]) { hash &+= Self.rotated(lanes[lane], bits) }
      for lane in 0..<4 { hash = (hash ^ Self.round(0, lanes[lane])) &* Self.prime1 &+ Self.prime4 }
    }
    hash &+= total
    var left = rest[...]
    func take(_ size: Int) -> UInt64 {
      defer { left = left.dropFirst(size) }
      return left.prefix(size).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
    while left.count >= 8 { hash = Self.rotated(hash ^ Self.round(0, take(8)), 27) &* Self.prime1 &+ Self.prime4 }
    if left.count >= 4 { hash = Self.rotated(hash ^ take(4) &* Self.prime1, 23) &* Self.prime2 &+ Self.prime3 }
    while !left.isEmpty { hash = Self.rotated(hash ^ take(1) &* Self.prime5, 11) &* Self.prime1 }
    hash = (hash ^ hash >> 33) &* Self.prime2
    hash = (hash ^ hash >> 29) &* Self.prime3
    return hash ^ hash >> 32
  }
}
