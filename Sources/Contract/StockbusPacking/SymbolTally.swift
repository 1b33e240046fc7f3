package import EventBus
internal import MarketData

/// Counts the different symbols in one sender's events of one type, so that no sender can use up the symbol table. A symbol counts even if
/// another source brought it first.
package struct SymbolTally {
  /// How many symbols the sender may bring.
  package let limit: Int
  package private(set) var count = 0
  /// One bit by symbol handle: whether the symbol was seen.
  private var seen: [UInt64] = []
  /// The offsets of the symbols in an event; nil before the first event.
  private var offsets: [Int]?

  package init(limit: Int) { self.limit = limit }

  /// Counts the symbols of an event; returns false if there are too many.
  ///
  /// Unsafe, because it reads fields at their offsets, which come from the event's declaration.
  package mutating func takes<E: Event>(_ event: E) -> Bool {
    let offsets = offsets ?? offsets(of: E.self)
    return withUnsafeBytes(of: event) { bytes in
      for offset in offsets where !takes(bytes.load(fromByteOffset: offset, as: Symbol.self)) { return false }
      return true
    }
  }

  private mutating func offsets<E: Event>(of _: E.Type) -> [Int] {
    let found = E.schema.fields.filter { $0.layout == .symbol }.map(\.offset)
    offsets = found
    return found
  }

  private mutating func takes(_ symbol: Symbol) -> Bool {
    let (word, bit) = (Int(symbol.id >> 6), UInt64(1) << UInt64(symbol.id & 63))
    if word >= seen.count { seen += [UInt64](repeating: 0, count: max(word + 1, 2 * seen.count) - seen.count) }
    if seen[word] & bit != 0 { return true }
    seen[word] |= bit
    count += 1
    return count <= limit
  }
}
