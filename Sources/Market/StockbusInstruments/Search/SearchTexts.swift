internal import MarketData

/// The symbols, names and industries of all instruments in lower case, consecutively in one array, so that a search reads memory in order
/// and allocates nothing per instrument.
struct SearchTexts: Sendable {
  /// For each instrument, its symbol, name and industry, each followed by a line feed, which none of them contains.
  private var bytes: [UInt8] = []
  /// The beginning of each of the three texts; one more item at the end.
  private var starts: [Int32] = [0]

  init(_ instruments: [Instrument]) {
    bytes.reserveCapacity(instruments.count * 48)
    starts.reserveCapacity(instruments.count * 3 + 1)
    for instrument in instruments {
      add(instrument.symbol.description)
      add(instrument.name)
      add(instrument.industry)
    }
  }

  private mutating func add(_ text: String) {
    bytes += text.lowercased().utf8
    bytes.append(10)
    starts.append(Int32(clamping: bytes.count))
  }

  var count: Int { starts.count / 3 }

  /// How well a lower-case word matches an instrument; nil if the word does not occur in it. Lower is better.
  func rank(_ word: [UInt8], of instrument: Int) -> Int? {
    bytes.withUnsafeBufferPointer { all in
      starts.withUnsafeBufferPointer { starts in
        let place = instrument * 3
        if let found = Self.match(word, all[Int(starts[place])..<(Int(starts[place + 1]) - 1)]) {
          switch found {
          case .whole: return 0
          case .start: return 1
          case .word, .inside: return 4
          }
        }
        if let found = Self.match(word, all[Int(starts[place + 1])..<(Int(starts[place + 2]) - 1)]) { return found == .inside ? 5 : 2 }
        if let found = Self.match(word, all[Int(starts[place + 2])..<(Int(starts[place + 3]) - 1)]) { return found == .inside ? 6 : 3 }
        return nil
      }
    }
  }

  private enum Match { case whole, start, word, inside }

  /// The best place of `word` in a text: the whole text, its start, the start of a word, or anywhere.
  private static func match(_ word: [UInt8], _ text: Slice<UnsafeBufferPointer<UInt8>>) -> Match? {
    guard let first = word.first, word.count <= text.count else { return nil }
    var best: Match?
    var at = text.startIndex
    let last = text.endIndex - word.count
    while at <= last {
      if text.base[at] == first, (1..<word.count).allSatisfy({ text.base[at + $0] == word[$0] }) {
        if at == text.startIndex { return word.count == text.count ? .whole : .start }
        if !isOfWord(text.base[at - 1]) { return .word }
        best = .inside
      }
      at += 1
    }
    return best
  }

  /// True for bytes of words: letters, digits, and everything beyond ASCII.
  private static func isOfWord(_ byte: UInt8) -> Bool { (byte | 32) &- 97 < 26 || byte &- 48 < 10 || byte >= 128 }
}
