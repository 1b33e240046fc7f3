/// Decimal digits, eight at a time, and the powers of ten.
///
/// Unsafe inside: it loads whole words, so eight bytes from the pointer on must be readable.
public enum Digits {
  /// The first digits of the eight bytes at a pointer, first byte lowest, with 0...9 for `0`...`9`.
  public struct Group {
    /// The bytes; those behind the digits are anything.
    @usableFromInline let word: UInt64
    /// How many bits the digits take: 0, 8, … 64.
    @usableFromInline let bits: UInt64

    /// Looks at the eight bytes at `p`.
    @inlinable @inline(__always)
    public init(_ p: UnsafePointer<UInt8>) {
      word = ByteWords.load(p) ^ 0x3030_3030_3030_3030
      let others = ((word &+ 0x7676_7676_7676_7676) | word) & 0x8080_8080_8080_8080
      bits = UInt64(truncatingIfNeeded: others.trailingZeroBitCount & ~7)
    }

    /// How many digits there are, at most eight.
    @inlinable @inline(__always) public var count: Int { Int(truncatingIfNeeded: bits &>> 3) }
    /// True where the first byte is `0`.
    @inlinable @inline(__always) public var beginsWithZero: Bool { word & 0xff == 0 }
    /// What the digits write; there must be one.
    @inlinable @inline(__always) public var value: UInt64 { Digits.eight(word &<< (64 &- bits)) }
    /// What the digits write in front of as many zeros as make them eight; there must be one.
    @inlinable @inline(__always) public var padded: UInt64 { Digits.eight(word & (~0 &>> (64 &- bits))) }
  }

  /// Reads up to eight digits: adds them to `value` and answers how many there were.
  @inlinable @inline(__always)
  public static func read(_ p: UnsafePointer<UInt8>, _ value: inout UInt64) -> Int {
    let group = Group(p)
    if group.count == 8 {
      value = value &* 100_000_000 &+ eight(group.word)
      return 8
    }
    if group.count == 0 { return 0 }
    value = value &* power(group.count) &+ group.value
    return group.count
  }

  /// Daniel Lemire, "Quickly parsing eight digits": eight bytes of 0...9, the first lowest, as a number.
  @inlinable @inline(__always)
  public static func eight(_ digits: UInt64) -> UInt64 {
    let pairs = (digits &* 10) &+ (digits &>> 8)
    let even = (pairs & 0x0000_00ff_0000_00ff) &* 0x000f_4240_0000_0064
    let odd = ((pairs &>> 16) & 0x0000_00ff_0000_00ff) &* 0x0000_2710_0000_0001
    return (even &+ odd) &>> 32
  }

  /// 10 to the power of `n`, for 0...19.
  @inlinable @inline(__always)
  public static func power(_ n: Int) -> UInt64 {
    switch n {
    case 0: 1
    case 1: 10
    case 2: 100
    case 3: 1000
    case 4: 10_000
    case 5: 100_000
    case 6: 1_000_000
    case 7: 10_000_000
    case 8: 100_000_000
    case 9: 1_000_000_000
    case 10: 10_000_000_000
    case 11: 100_000_000_000
    case 12: 1_000_000_000_000
    case 13: 10_000_000_000_000
    case 14: 100_000_000_000_000
    case 15: 1_000_000_000_000_000
    case 16: 10_000_000_000_000_000
    case 17: 100_000_000_000_000_000
    case 18: 1_000_000_000_000_000_000
    default: 10_000_000_000_000_000_000
    }
  }
}
