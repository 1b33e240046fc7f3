internal import MarketData

/// A cache of symbols by name, for names of up to eight bytes, compared as one word. Most look-ups need one comparison.
///
/// Unsafe inside: it loads a name as a whole word; the bytes after a name in a row are readable.
struct SymbolCache: ~Copyable {
  private struct Entry {
    /// The name's bytes, padded with zeros.
    var name: UInt64
    var id: UInt32
    /// 0 for an empty entry.
    var count: Int32
  }
  private static let bits = 12
  private let entries: UnsafeMutablePointer<Entry>

  init() {
    entries = .allocate(capacity: 1 << Self.bits)
    entries.initialize(repeating: Entry(name: 0, id: 0, count: 0), count: 1 << Self.bits)
  }

  deinit { entries.deallocate() }

  @inline(always)
  private func place(_ name: UInt64) -> UnsafeMutablePointer<Entry> {
    entries + Int(truncatingIfNeeded: (name &* 0x9e37_79b9_7f4a_7c15) &>> UInt64(64 - Self.bits))
  }

  /// The handle of the symbol whose name has these 1 to 8 bytes, padded with zeros; 0 if it is not in the cache.
  @inline(always)
  func find(_ name: UInt64, _ count: Int) -> UInt32 {
    let entry = place(name)
    if entry.pointee.name == name, Int(entry.pointee.count) == count { return entry.pointee.id }
    let other = neighbour(entry)
    return other.pointee.name == name && Int(other.pointee.count) == count ? other.pointee.id : 0
  }

  /// If two names have the same place, the older one moves to the next place.
  @inline(always)
  private func neighbour(_ entry: UnsafeMutablePointer<Entry>) -> UnsafeMutablePointer<Entry> { entries + ((entry - entries) ^ 1) }

  /// Adds a name of up to eight bytes; if three names share two places, one is dropped.
  func add(_ start: UnsafePointer<UInt8>, _ count: Int, _ symbol: Symbol) {
    if count > 8 || count == 0 { return }
    let name = ByteWords.load(start) & ByteWords.mask(count)
    let entry = place(name)
    neighbour(entry).pointee = entry.pointee
    entry.pointee = Entry(name: name, id: symbol.id, count: Int32(count))
  }
}
