#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Reproducible random numbers: SplitMix64 (Steele, Lea and Flood, 2014).
struct Random {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }

  mutating func below(_ limit: UInt64) -> UInt64 { next().multipliedFullWidth(by: limit).high }

  /// 5.0000 to 900.0000 in units of 1/10,000.
  mutating func price() -> Int64 { 50_000 + Int64(below(8_950_001)) }

  /// Normally distributed with mean 0 and deviation 1, by Box and Muller.
  mutating func normal() -> Double {
    let u = Double(next() >> 11 | 1) * 0x1p-53
    let v = Double(next() >> 11) * 0x1p-53
    return (-2 * log(u)).squareRoot() * cos(2 * .pi * v)
  }
}
