/// A hash of names that nobody can foresee who does not know the process's secret: for tables whose keys come from outside.
///
/// Names that share a place in one table are strangers in the next, so a flood of names made to collide is not to be had. It is
/// multilinear hashing (Lemire and Kaser, "Strongly universal string hashing is fast"): the length and the words of a name, each times
/// a secret number of 128 bits, added up, of which the upper half is kept. Any two different names of up to 64 bytes then have
/// any two hashes equally often, whatever the names are. The last steps spread names that count up.
///
/// Nothing may depend on the order that a table of these has: it is another one in every process.
///
/// Unsafe inside: it loads whole words, none that reaches beyond the name.
package struct NameHash: ~Copyable, @unchecked Sendable {
  /// Written in `init`, read only after that: two words for what is added first, for the length, for each of eight words and for the
  /// hash of what comes before, and one to spread with.
  private let secret: UnsafeMutablePointer<UInt64>
  private static var secretWords: Int { 23 }
  /// Bytes that are hashed in one go.
  private static var block: Int { 64 }

  /// With a secret of its own from the system's random numbers.
  package init() {
    var random = SystemRandomNumberGenerator()
    self.init(using: &random)
  }

  package init(using random: inout some RandomNumberGenerator) {
    secret = .allocate(capacity: Self.secretWords)
    for i in 0..<Self.secretWords { (secret + i).initialize(to: random.next()) }
    secret[22] |= 1  // a factor that can be divided by, so that no two hashes become one
  }

  deinit { secret.deallocate() }

  package func callAsFunction(_ name: UnsafeBufferPointer<UInt8>) -> UInt64 {
    var left = name.count
    guard var at = name.baseAddress, left > 0 else { return 0 }
    var sum = Sum(high: secret[1], low: secret[0])
    sum.add(UInt64(truncatingIfNeeded: left), times: secret + 2)
    while left > Self.block {
      Self.add(at, Self.block, to: &sum, secret + 4)
      let before = sum.high
      sum = Sum(high: secret[1], low: secret[0])
      sum.add(before, times: secret + 20)
      at += Self.block
      left &-= Self.block
    }
    Self.add(at, left, to: &sum, secret + 4)
    var hash = sum.high
    hash = (hash ^ (hash &>> 32)) &* secret[22]
    return hash ^ (hash &>> 32)
  }

  /// Adds up to 64 bytes, as words with zeros behind them.
  @inline(__always)
  private static func add(_ start: UnsafePointer<UInt8>, _ count: Int, to sum: inout Sum, _ factors: UnsafeMutablePointer<UInt64>) {
    var factor = factors
    if count < 8 { return sum.add(ByteWords.short(start, count), times: factor) }
    var i = 0
    while i &+ 8 <= count {
      sum.add(ByteWords.load(start + i), times: factor)
      factor += 2
      i &+= 8
    }
    let rest = UInt64(truncatingIfNeeded: count &- i)
    // The last eight bytes without those that were added already.
    if rest != 0 { sum.add(ByteWords.load(start + (count &- 8)) &>> (64 &- 8 &* rest), times: factor) }
  }

  /// A sum modulo 2 to the power of 128.
  private struct Sum {
    var high: UInt64
    var low: UInt64

    @inline(__always)
    mutating func add(_ word: UInt64, times factor: UnsafeMutablePointer<UInt64>) {
      let product = word.multipliedFullWidth(by: factor[0])
      let (sum, carry) = low.addingReportingOverflow(product.low)
      low = sum
      high = high &+ product.high &+ word &* factor[1] &+ (carry ? 1 : 0)
    }
  }
}
