/// An entry's place in the order: by key, among equal keys by tie, and then by entry, the lower one first.
///
/// All are held in one 128-bit integer, the whole key above the other two, because that compares in two instructions without a branch. Each
/// pair of key and entry has its own place, and the order of places is exact for all of `Int64`. An entry always has the same tie.
struct Place: Comparable, BitwiseCopyable {
  private let bits: Int128

  @inline(__always)
  init(key: Int64, _ member: RankedMember) {
    bits = Int128(key) << 64 | Int128(member.bits)
  }

  @inline(__always)
  private init(bits: Int128) {
    self.bits = bits
  }

  /// At or below every place of an entry.
  static var lowest: Place { Place(bits: .min) }
  /// Above every place of an entry, because tie and entry fill only 63 of the lower 64 bits. Fills unused slots.
  static var beyond: Place { Place(bits: .max) }

  @inline(__always)
  var key: Int64 { Int64(truncatingIfNeeded: bits >> 64) }

  @inline(__always)
  var entry: UInt32 { UInt32(truncatingIfNeeded: bits) }

  /// Tie and entry; of no use for an unused slot.
  @inline(__always)
  var member: RankedMember { RankedMember(bits: UInt64(truncatingIfNeeded: bits)) }

  /// True if this is a place of the entry; false for an unused slot.
  @inline(__always)
  func isPlace(of member: RankedMember) -> Bool { UInt64(truncatingIfNeeded: bits) == member.bits }

  /// True if this is the place of no entry: only there the lower half has its highest bit set.
  var isBeyond: Bool {
    @inline(__always) get { Int64(truncatingIfNeeded: bits) < 0 }
  }

  @inline(__always)
  static func < (left: Place, right: Place) -> Bool { left.bits < right.bits }

  @inline(__always)
  static func == (left: Place, right: Place) -> Bool { left.bits == right.bits }
}

/// An entry with the tie that decides among equal keys before its number.
struct RankedMember: BitwiseCopyable {
  fileprivate let bits: UInt64

  fileprivate init(bits: UInt64) { self.bits = bits }

  /// - Parameter tie: below 2³¹.
  @inline(__always)
  init(_ entry: UInt32, tie: UInt32 = 0) { bits = UInt64(tie) << 32 | UInt64(entry) }

  @inline(__always)
  var entry: UInt32 { UInt32(truncatingIfNeeded: bits) }
}

extension Slab where Element == Place {
  /// The last of the `width` slots from `start` on whose place is at or below `place`. `width` is a power of eight, the places ascend,
  /// unused slots at the end contain `.beyond`, and the first slot is assumed to be at or below `place`.
  @inline(__always)
  func last(atOrBefore place: Place, from start: Int, width: Int) -> Int {
    var found = start
    var stride = width
    while stride > 1 {
      stride /= 8
      // Seven independent comparisons without a branch: two rounds over 64 slots take as long as two cache misses, while a binary search
      // would have six, one after the other.
      var steps = 0
      for step in 1..<8 { steps &+= self[found &+ step &* stride] <= place ? 1 : 0 }
      found &+= steps &* stride
    }
    return found
  }
}
