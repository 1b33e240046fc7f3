internal import MarketData

/// Sentences about named symbols that did not arrive.
package enum MissingSymbols {
  /// One sentence for each of the first three symbols, such as `'APPL' never came; did you mean 'AAPL'?`, and one for all others together.
  /// Symbols with a hint, such as what was probably meant, come first.
  ///
  /// `symbols` are names or patterns as written; each is reported once. `came` are the names that arrived. The name probably meant is
  /// searched for among the first 20,000 of them, and patterns are checked only if that takes at most ten million comparisons. Names in
  /// `rejected` arrived only in rejected events: the sentence mentions it, and these names are suggested if no name in `came` is near.
  package static func sentences(
    _ symbols: some Sequence<String>, cameInstead came: some Collection<String>, rejected: [String] = []
  ) -> [String] {
    var unseen: Set<String> = []
    let named = symbols.filter { unseen.insert($0).inserted }
    unseen.subtract(came)
    let missing = named.filter { name in
      guard unseen.contains(name) else { return false }
      guard Glob.isPattern(name) else { return true }
      return named.count * came.count <= 10_000_000 && !came.contains { fits($0, Array(name.utf8)) }
    }
    let candidates = Candidates(came.prefix(20_000))
    let aside = Candidates(rejected)
    // A sentence with a hint is more useful than one without.
    var helpful: [(name: String, sentence: String)] = []
    var others: [(name: String, sentence: String)] = []
    var looked = 0
    for name in missing {
      if helpful.count == most || looked * max(1, candidates.count + aside.count) >= comparisons, looked >= most { break }
      looked += 1
      if Glob.isPattern(name) {
        others.append((name, "no symbol that came matches \(shown(name))"))
      } else if rejected.contains(name) {
        helpful.append((name, "\(shown(name)) came only in dead letters"))
      } else if let meant = candidates.meant(by: name) {
        helpful.append((name, "\(shown(name)) never came; did you mean \(shown(meant))?"))
      } else if let meant = aside.meant(by: name) {
        helpful.append((name, "\(shown(name)) never came; did you mean \(shown(meant)), which came only in dead letters?"))
      } else {
        others.append((name, "\(shown(name)) never came"))
      }
    }
    let inOrder = helpful + others
    var sentences = inOrder.prefix(most).map(\.sentence)
    let more = missing.count - sentences.count
    if more > 0 {
      let one = inOrder.count > most ? inOrder[most].name : missing[looked]
      sentences.append("\(more) more of the named symbols never came, such as \(shown(one))")
    }
    return sentences
  }

  /// The number of symbols that get a sentence of their own.
  private static var most: Int { 3 }
  /// The number of names that may be compared to find the one meant.
  private static var comparisons: Int { 60_000 }

  /// The one of `names` that was probably meant by a name that is not among them. A name that differs only in case comes before a name with
  /// a typing error. Names of one or two letters get no suggestion, because they cannot be distinguished from other symbols.
  package static func meant(by name: String, among names: some Sequence<String>) -> String? { Candidates(names).meant(by: name) }

  private static func fits(_ name: String, _ pattern: [UInt8]) -> Bool {
    var name = name
    return name.withUTF8 { Glob.matches($0, pattern) }
  }

  /// Names by their upper-case form.
  private struct Candidates {
    private let names: [String: String]

    var count: Int { names.count }

    init(_ names: some Sequence<String>) { self.names = Dictionary(names.map { ($0.uppercased(), $0) }) { first, _ in first } }

    func meant(by name: String) -> String? {
      let upper = name.uppercased()
      if let same = names[upper] { return same == name ? nil : same }
      let count = upper.count
      if count < 3 { return nil }
      let near = names.keys.filter { abs($0.count - count) <= count / 3 }
      return suggestion(for: upper, among: near).flatMap { names[$0] }
    }
  }
}
