internal import StockbusPlugin

// A rule for a symbol that does not arrive never fires, so a misspelt symbol would go unnoticed. Similar symbols among those that have
// arrived are suggested.
extension RuleBook {
  /// Messages, for the end, about the symbols and patterns that rules name and that have not arrived.
  var missing: [String] {
    let named = absent(of: present)
    return named.isEmpty ? [] : MissingSymbols.sentences(named, cameInstead: Array(came))
  }

  /// Names in a rule that are probably misspelt, judging by the symbols so far: `'APPL' has not come so far; did you mean 'AAPL'?`
  func slips(in rule: Rule) -> [String] {
    let named = absent(of: [rule]).prefix(100)
    if named.isEmpty { return [] }
    let candidates = Array(came.prefix(20_000))
    return named.lazy.compactMap { name in
      MissingSymbols.meant(by: name, among: candidates).map { "\(shown(name)) has no price so far; did you mean \(shown($0))?" }
    }.prefix(3).map(\.self)
  }

  /// Patterns, and names that have not arrived, in the order in which they were written.
  private func absent(of rules: [Rule]) -> [String] {
    rules.flatMap { $0.symbols?.entries ?? [] }.filter { entry in
      guard !Glob.isPattern(entry), let symbol = try? Symbol(entry) else { return true }
      return !hasCome(symbol)
    }
  }

  private var came: some Sequence<String> {
    comers.lazy.map(\.description)
  }
}
