internal import MarketData

/// The rule that orders equal keys before the number of the entry. Each rule is a type, so that the loop over a batch is compiled for it,
/// and the usual rule costs nothing.
protocol TieRule {
  static func tie(of entry: UInt32, _ ties: borrowing Ties) -> UInt32
}

/// No tie: entries are numbered in the order of their first appearance.
enum ByAppearance: TieRule {
  @inline(__always)
  static func tie(of entry: UInt32, _ ties: borrowing Ties) -> UInt32 { 0 }
}

/// The hashes of the symbols' names, so that all processes order equal keys in the same way, whatever events they have seen before.
enum ByName: TieRule {
  @inline(__always)
  static func tie(of entry: UInt32, _ ties: borrowing Ties) -> UInt32 { ties[entry] }
}

/// The ties of all entries, by number.
struct Ties: ~Copyable {
  private var hashes = Slab<UInt32>()
  /// The entries with the same hash, in ascending order; only where there are several.
  private var groups: [UInt32: [UInt32]] = [:]
  private var first: [UInt32: UInt32] = [:]

  @inline(__always)
  subscript(entry: UInt32) -> UInt32 { hashes[Int(entry)] }

  /// The upper 31 bits of the 64-bit FNV-1a hash of the name.
  static func hash(_ symbol: Symbol) -> UInt32 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in symbol.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    return UInt32(truncatingIfNeeded: hash >> 33)
  }

  /// Adds the next entry; returns all entries with its hash, itself as the last, or nothing if it is the only one.
  mutating func add(_ symbol: Symbol) -> [UInt32] {
    let entry = UInt32(hashes.count)
    let hash = Self.hash(symbol)
    hashes.extend(to: hashes.count + 1, filling: hash)
    guard let other = first[hash] else {
      first[hash] = entry
      return []
    }
    groups[hash, default: [other]].append(entry)
    return groups[hash] ?? []
  }
}
