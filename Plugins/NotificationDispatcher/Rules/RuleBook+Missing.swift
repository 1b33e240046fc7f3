internal import MarketData
internal import StockbusPlugin

// A rule about a symbol that never comes is silent, whatever it asks: what the table of symbols knows anyway tells a slip of the finger.
extension RuleBook {
  /// What there is to say, at the end, of the symbols and patterns that rules name and that never came.
  var missing: [String] {
    let named = absent(of: present)
    return named.isEmpty ? [] : MissingSymbols.sentences(named, cameInstead: Array(came))
  }

  /// What a rule names and was probably meant otherwise, as things stand: `'APPL' has not come so far; did you mean 'AAPL'?`
  func slips(in rule: Rule) -> [String] {
    let named = absent(of: [rule]).prefix(100)
    if named.isEmpty { return [] }
    let candidates = Array(came.prefix(20_000))
    return named.lazy.compactMap { name in
      MissingSymbols.meant(by: name, among: candidates).map { "\(shown(name)) has not come so far; did you mean \(shown($0))?" }
    }.prefix(3).map(\.self)
  }

  /// Patterns, and names that have not come, in the order in which they were written.
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
