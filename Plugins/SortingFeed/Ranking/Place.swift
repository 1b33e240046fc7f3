/// Where an entry stands: ordered by key, and among equal keys by entry, the lower one first.
///
/// Both are held in one 128-bit integer, the whole key above the entry, because that compares in two instructions without
/// a branch. Every key and every entry has a place of its own, and the order of places is exact over all of `Int64`.
struct Place: Comparable, BitwiseCopyable {
  private let bits: Int128

  @inline(__always)
  init(key: Int64, entry: UInt32) {
    bits = Int128(key) << 64 | Int128(entry)
  }

  @inline(__always)
  private init(bits: Int128) {
    self.bits = bits
  }

  /// Before every place of an entry, or at it.
  static var lowest: Place { Place(bits: .min) }
  /// After every place of an entry: an entry fills 32 of the lower 64 bits, never all of them. Fills unused slots.
  static var beyond: Place { Place(bits: .max) }

  @inline(__always)
  var key: Int64 { Int64(truncatingIfNeeded: bits >> 64) }

  @inline(__always)
  var entry: UInt32 { UInt32(truncatingIfNeeded: bits) }

  /// Whether this is a place of the entry; none of an unused slot is.
  @inline(__always)
  func isPlace(of entry: UInt32) -> Bool { UInt64(truncatingIfNeeded: bits) == UInt64(entry) }

  /// Whether this is where no entry can be: alone there the lower half has its highest bit.
  var isBeyond: Bool {
    @inline(__always) get { Int64(truncatingIfNeeded: bits) < 0 }
  }

  @inline(__always)
  static func < (left: Place, right: Place) -> Bool { left.bits < right.bits }

  @inline(__always)
  static func == (left: Place, right: Place) -> Bool { left.bits == right.bits }
}

extension Slab where Element == Place {
  /// The last of the `width` slots from `start` on whose place is `place` or before it. `width` is a power of eight, the
  /// places rise, unused slots at the end hold `.beyond`, and the first slot is taken to be at or before `place`.
  @inline(__always)
  func last(atOrBefore place: Place, from start: Int, width: Int) -> Int {
    var found = start
    var stride = width
    while stride > 1 {
      stride /= 8
      // Seven comparisons that do not wait for one another, no branch: two rounds over 64 slots are as long as two cache
      // misses, where a binary search would line up six.
      var steps = 0
      for step in 1..<8 { steps &+= self[found &+ step &* stride] <= place ? 1 : 0 }
      found &+= steps &* stride
    }
    return found
  }
}
