import TestSupport
import Testing

@testable import MarketData

@Suite struct NameHashTests {
  private func hash(_ hash: borrowing NameHash, _ name: [UInt8]) -> UInt64 { name.withUnsafeBufferPointer { hash($0) } }

  private func seeded(_ seed: Int) -> NameHash {
    var random = SplitMix(seed)
    return NameHash(using: &random)
  }

  /// The same sum, byte by byte in 128 bits.
  private func plain(_ name: [UInt8], seed: Int) -> UInt64 {
    var random = SplitMix(seed)
    let secret = (0..<23).map { _ in random.next() }
    let factors = (0..<11).map { UInt128(secret[2 * $0 + 1]) << 64 | UInt128(secret[2 * $0]) }
    if name.isEmpty { return 0 }
    var sum = factors[0] &+ UInt128(name.count) &* factors[1]
    for (i, byte) in name.enumerated() {
      if i > 0, i % 64 == 0 { sum = factors[0] &+ (sum >> 64) &* factors[10] }
      sum &+= (UInt128(byte) << UInt128(i % 8 * 8)) &* factors[2 + i % 64 / 8]
    }
    let high = UInt64(truncatingIfNeeded: sum >> 64)
    let mixed = (high ^ high >> 32) &* (secret[22] | 1)
    return mixed ^ mixed >> 32
  }

  @Test func `is the sum that it says, for names of every length`() {
    var random = SplitMix(1)
    for seed in 0..<3 {
      let hash = seeded(seed)
      for count in Array(0...80) + [127, 128, 129, 200] {
        // Surrounded by other bytes, which must not count.
        let bytes = (0..<count + 16).map { _ in UInt8.random(in: 0...255, using: &random) }
        let name = Array(bytes[8..<8 + count])
        let result = bytes.withUnsafeBufferPointer { hash(UnsafeBufferPointer(rebasing: $0[8..<8 + count])) }
        #expect(result == plain(name, seed: seed))
      }
    }
  }

  @Test func `a bit, a byte more, a zero at the end make another hash`() {
    let hash = seeded(5)
    var seen: Set<UInt64> = []
    var count = 0
    for length in [1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 63, 64, 65, 70] {
      let name = [UInt8](repeating: 65, count: length)
      for other in [name, name + [0], name + [0, 0]]
        + (0..<length * 8).map({ bit in
          var changed = name
          changed[bit / 8] ^= 1 << UInt8(bit % 8)
          return changed
        })
      {
        seen.insert(self.hash(hash, other))
        count += 1
      }
    }
    #expect(seen.count == count)
  }

  /// With the secret of one process it is possible to make names that collide there; in another process these names do not collide.
  @Test(arguments: 0..<4) func `names made to collide by one secret do not by another`(seed: Int) {
    let known = seeded(2 * seed)
    let other = seeded(2 * seed + 1)
    let mask: UInt64 = 4095
    var crafted: [[UInt8]] = []
    var number = 0
    while crafted.count < 200 {
      number += 1
      let name = Array("S\(number)".utf8)
      if hash(known, name) & mask == 7 { crafted.append(name) }
    }
    #expect(Set(crafted.map { hash(known, $0) & mask }).count == 1)
    #expect(Set(crafted.map { hash(other, $0) & mask }).count > 150)
  }

  @Test func `each table has a secret of its own`() {
    let names = (0..<64).map { Array("NAME\($0)".utf8) }
    let first = NameHash()
    let second = NameHash()
    #expect(names.map { hash(first, $0) } != names.map { hash(second, $0) })
  }

  /// Linear probing is slow if neighbouring places fill up, so numbered names must not get consecutive places.
  @Test(arguments: 0..<2) func `names that count up spread over a table`(seed: Int) {
    let hash = seeded(seed)
    let slots = 1 << 13
    for form in [{ "S\($0)" }, { "ABCDEFG\($0)" }, { "\($0)/USDT-PERPETUAL" }] as [(Int) -> String] {
      var taken = [Bool](repeating: false, count: slots)
      var probes = 0
      for number in 0..<slots / 2 {
        var at = Int(truncatingIfNeeded: self.hash(hash, Array(form(number).utf8))) & (slots - 1)
        while taken[at] {
          at = (at + 1) & (slots - 1)
          probes += 1
        }
        taken[at] = true
      }
      // In a half full table, random places take half a step on average.
      #expect(probes < slots)
    }
  }

  @Test func `two names are the same where every byte is`() {
    var random = SplitMix(9)
    var wrong = 0
    for count in 0...70 {
      for _ in 0..<40 {
        let a = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
        var b = a
        if count > 0, random.oneIn(2) { b[random.upTo(count - 1)] ^= 1 << UInt8(random.upTo(7)) }
        if random.oneIn(8) { b.append(0) }
        let same = a.withUnsafeBufferPointer { a in b.withUnsafeBufferPointer { b in ByteWords.areSame(a, b) } }
        if same != (a == b) { wrong += 1 }
      }
    }
    #expect(wrong == 0)
  }
}
