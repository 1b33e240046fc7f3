internal import MarketData

/// The symbols of names up to eight bytes, by the name as one word: most look-ups end at their first comparison.
///
/// Unsafe inside: it loads a name as a whole word, and what lies behind the name is readable where names come from rows.
struct SymbolCache: ~Copyable {
  private struct Entry {
    /// The name's bytes, with zeros behind them.
    var name: UInt64
    var id: UInt32
    /// 0 where there is no name.
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

  /// The handle of the symbol whose name has these bytes, 1 to 8, with zeros behind them; 0 where it is not known here.
  @inline(always)
  func find(_ name: UInt64, _ count: Int) -> UInt32 {
    let entry = place(name)
    if entry.pointee.name == name, Int(entry.pointee.count) == count { return entry.pointee.id }
    let other = neighbour(entry)
    return other.pointee.name == name && Int(other.pointee.count) == count ? other.pointee.id : 0
  }

  /// Two names may have the same place: the one that was there before moves on to the next.
  @inline(always)
  private func neighbour(_ entry: UnsafeMutablePointer<Entry>) -> UnsafeMutablePointer<Entry> { entries + ((entry - entries) ^ 1) }

  /// Remembers a name of up to eight bytes; of three that share their places one is forgotten.
  func add(_ start: UnsafePointer<UInt8>, _ count: Int, _ symbol: Symbol) {
    if count > 8 || count == 0 { return }
    let name = ByteWords.load(start) & ByteWords.mask(count)
    let entry = place(name)
    neighbour(entry).pointee = entry.pointee
    entry.pointee = Entry(name: name, id: symbol.id, count: Int32(count))
  }
}
