/// A seeded generator (Steele, Lea, Flood, "Fast splittable pseudorandom number generators"): the same numbers on every machine.
struct SplitMix: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: Int) { state = UInt64(truncatingIfNeeded: seed) }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }

  /// True once in `n` times.
  mutating func oneIn(_ n: Int) -> Bool { Int.random(in: 0..<n, using: &self) == 0 }

  mutating func upTo(_ n: Int) -> Int { Int.random(in: 0...n, using: &self) }
}
