internal import MarketData

/// The symbols of a venue's names, by the names' bytes.
///
/// Unsafe inside: names are compared in place. An open-addressing table, never more than half full.
struct SymbolNames: ~Copyable {
  /// How many different names one connection may bring up: what a venue sends must not fill the process's table.
  static let limit = 200_000

  private struct Entry: BitwiseCopyable {
    var name: UnsafeBufferPointer<UInt8>
    var hash: UInt64
    var symbol: Symbol
  }
  private var entries: [Entry] = []
  /// Places in `entries`, counted from 1; 0 where there is none.
  private var places: [Int32]
  private let intake: SymbolIntake
  private let prefix: [UInt8]
  private let suffix: [UInt8]
  /// Secret, because names come from outside.
  private let hash = NameHash()

  /// `listed` are those of the configuration; others come through `intake`.
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

  /// The symbol's place, counted from 0, dense and steady; names that nobody listed are taken without the template's frame.
  @inline(__always)
  mutating func place(_ name: UnsafeBufferPointer<UInt8>) throws(TextError) -> Int {
    let hash = hash(name)
    let found = find(name, hash)
    return found >= 0 ? found : try learn(name, hash)
  }

  /// The place of a name that is known; -1 of any other.
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
