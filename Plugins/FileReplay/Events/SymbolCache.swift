internal import MarketData

/// The symbols of names up to eight bytes, by the name as one word: most look-ups end at their first comparison.
///
/// Unsafe inside: it loads a name as a whole word, and what lies behind the name is readable where names come from rows.
struct SymbolCache: ~Copyable {
  private struct Entry {
    var name: UInt64
    var count: UInt32
    var id: UInt32
  }
  private static let bits = 12
  private let entries: UnsafeMutablePointer<Entry>

  init() {
    entries = .allocate(capacity: 1 << Self.bits)
    entries.initialize(repeating: Entry(name: 0, count: 0, id: 0), count: 1 << Self.bits)
  }

  deinit { entries.deallocate() }

  @inline(always)
  private func place(_ name: UInt64) -> UnsafeMutablePointer<Entry> {
    entries + Int(truncatingIfNeeded: (name &* 0x9e37_79b9_7f4a_7c15) >> UInt64(64 - Self.bits))
  }

  @inline(always)
  func find(_ start: UnsafePointer<UInt8>, _ count: Int) -> Symbol? {
    if count > 8 || count == 0 { return nil }
    let name = Words.load(start) & Words.mask(count)
    let entry = place(name)
    return entry.pointee.name == name && Int(entry.pointee.count) == count ? Symbol(id: entry.pointee.id) : nil
  }

  /// Remembers a name; another that shares its place is forgotten.
  func add(_ start: UnsafePointer<UInt8>, _ count: Int, _ symbol: Symbol) {
    if count > 8 || count == 0 { return }
    let name = Words.load(start) & Words.mask(count)
    place(name).pointee = Entry(name: name, count: UInt32(count), id: symbol.id)
  }
}
