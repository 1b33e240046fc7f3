internal import MarketData

/// The symbols by the bytes of the venue's names.
///
/// Unsafe inside: names are compared in place. An open-addressing table that is never more than half full.
struct SymbolNames: ~Copyable {
  /// The most different names of a connection, so that a venue cannot fill the process's symbol table.
  static let limit = 200_000

  private struct Entry: BitwiseCopyable {
    var name: UnsafeBufferPointer<UInt8>
    var hash: UInt64
    var symbol: Symbol
  }
  private var entries: [Entry] = []
  /// Indices in `entries`, counted from 1; 0 for an empty slot.
  private var places: [Int32]
  private let intake: SymbolIntake
  private let prefix: [UInt8]
  private let suffix: [UInt8]
  /// Seeded with a secret, because names come from outside.
  private let hash = NameHash()

  /// `listed` are the symbols of the configuration; others are created through `intake`.
  init(_ form: SymbolTemplate, listed: [Symbol], intake: SymbolIntake) {
    self.intake = intake
    places = Array(repeating: 0, count: 256)
    prefix = Array(form.frame.prefix.utf8)
    suffix = Array(form.frame.suffix.utf8)
    for symbol in listed {
      guard var name = form.venueName(symbol.description) else { continue }
      name.withUTF8 { bytes in
        let hash = hash(bytes)
        if find(bytes, hash) < 0 { add(bytes, hash, symbol) }
      }
    }
  }

  deinit { for entry in entries { entry.name.deallocate() } }

  /// The place of the symbol with this name: dense, counted from 0, and constant. The literal beginning and end of the template are removed
  /// from names that are not listed.
  @inline(__always)
  mutating func place(_ name: UnsafeBufferPointer<UInt8>) throws(TextError) -> Int {
    let hash = hash(name)
    let found = find(name, hash)
    return found >= 0 ? found : try learn(name, hash)
  }

  /// The place of a known name; -1 for any other.
  func known(_ name: UnsafeBufferPointer<UInt8>) -> Int { find(name, hash(name)) }

  func symbol(at place: Int) -> Symbol { entries[place].symbol }

  @inline(never)
  private mutating func learn(_ name: UnsafeBufferPointer<UInt8>, _ hash: UInt64) throws(TextError) -> Int {
    if entries.count >= Self.limit { throw TextError(.tooManySymbols, at: 0) }
    var inner = name
    if !prefix.isEmpty, inner.count > prefix.count, inner.starts(with: prefix) { inner = .init(rebasing: inner.dropFirst(prefix.count)) }
    if !suffix.isEmpty, inner.count > suffix.count, inner.suffix(suffix.count).elementsEqual(suffix) {
      inner = .init(rebasing: inner.dropLast(suffix.count))
    }
    // The only place where a venue's name becomes a symbol.
    let symbol = try intake.symbol(utf8: inner)
    add(name, hash, symbol)
    return entries.count - 1
  }

  private mutating func add(_ name: UnsafeBufferPointer<UInt8>, _ hash: UInt64, _ symbol: Symbol) {
    let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: name.count)
    _ = copy.initialize(from: name)
    entries.append(Entry(name: UnsafeBufferPointer(copy), hash: hash, symbol: symbol))
    if entries.count * 2 > places.count {
      places = Array(repeating: 0, count: places.count * 2)
      for i in entries.indices { put(i) }
    } else {
      put(entries.count - 1)
    }
  }

  private mutating func put(_ index: Int) {
    var at = Int(truncatingIfNeeded: entries[index].hash) & (places.count - 1)
    while places[at] != 0 { at = (at + 1) & (places.count - 1) }
    places[at] = Int32(index + 1)
  }

  @inline(__always)
  private func find(_ name: UnsafeBufferPointer<UInt8>, _ hash: UInt64) -> Int {
    var at = Int(truncatingIfNeeded: hash) & (places.count &- 1)
    while places[at] != 0 {
      let index = Int(places[at] &- 1)
      if entries[index].hash == hash, ByteWords.areSame(entries[index].name, name) { return index }
      at = (at &+ 1) & (places.count &- 1)
    }
    return -1
  }
}
