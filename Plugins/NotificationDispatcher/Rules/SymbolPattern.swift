internal import MarketData

/// A pattern of symbols' names: `*` stands for any text, `?` for one character.
struct SymbolPattern: Hashable, Sendable {
  private let letters: [Character]

  init(_ text: String) { letters = Array(text) }

  func matches(_ symbol: Symbol) -> Bool {
    let name = Array(symbol.description)
    var n = 0
    var p = 0
    // Where to go on when the text behind the last `*` does not fit after all.
    var star: (pattern: Int, name: Int)?
    while n < name.count {
      if p < letters.count, letters[p] == "*" {
        star = (p, n)
        p += 1
      } else if p < letters.count, letters[p] == "?" || letters[p] == name[n] {
        p += 1
        n += 1
      } else if let last = star {
        p = last.pattern + 1
        n = last.name + 1
        star = (last.pattern, n)
      } else {
        return false
      }
    }
    return letters[p...].allSatisfy { $0 == "*" }
  }

  /// Why a text can be neither a name nor a pattern; nil where it can.
  static func fault(in text: String) -> String? {
    if text.contains(where: { $0 == "*" || $0 == "?" }) { return text.utf8.count > 64 ? "a pattern has at most 64 bytes" : nil }
    do throws(TextError) { _ = try Symbol(text) } catch { return error.reason }
    return nil
  }
}

/// Names and patterns; a name is one look-up, however many there are.
struct SymbolChoice: Hashable, Sendable {
  private let names: Set<Symbol>
  private let patterns: [SymbolPattern]

  init(_ entries: [String]) {
    let isPattern = { (text: String) in text.contains { $0 == "*" || $0 == "?" } }
    // What is no name was found when the configuration was checked.
    names = Set(entries.filter { !isPattern($0) }.compactMap { try? Symbol($0) })
    patterns = entries.filter(isPattern).map { SymbolPattern($0) }
  }

  /// One symbol, whatever its name looks like.
  init(only symbol: Symbol) {
    names = [symbol]
    patterns = []
  }

  func contains(_ symbol: Symbol) -> Bool { names.contains(symbol) || patterns.contains { $0.matches(symbol) } }
}
