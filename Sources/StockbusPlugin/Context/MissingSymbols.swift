internal import MarketData

/// What there is to say about symbols that were named and never came.
public enum MissingSymbols {
  /// One sentence for each of three, such as `'APPL' never came; did you mean 'AAPL'?`, and one for all others together.
  ///
  /// Those of which more is known than that they never came, such as what was meant, are told first.
  /// `symbols` are names or patterns as they were written, each of them told once. `came` are the names that were seen; what may
  /// have been meant is looked for among the first 20,000, and patterns are looked at while that takes no more than ten million
  /// comparisons. `rejected` came only in what was set aside: they are told so, and may have been meant where nothing that came was.
  public static func sentences(
    _ symbols: some Sequence<String>, cameInstead came: some Collection<String>, rejected: [String] = []
  ) -> [String] {
    var told: Set<String> = []
    let named = symbols.filter { told.insert($0).inserted }
    told.subtract(came)
    let missing = named.filter { name in
      guard told.contains(name) else { return false }
      guard Glob.isPattern(name) else { return true }
      return named.count * came.count <= 10_000_000 && !came.contains { fits($0, Array(name.utf8)) }
    }
    let candidates = Candidates(came.prefix(20_000))
    let aside = Candidates(rejected)
    // Whatever is known of a name is worth more than that there are others of which nothing is.
    var helpful: [(name: String, sentence: String)] = []
    var others: [(name: String, sentence: String)] = []
    var looked = 0
    for name in missing {
      if helpful.count == most || looked * max(1, candidates.count + aside.count) >= comparisons, looked >= most { break }
      looked += 1
      if Glob.isPattern(name) {
        others.append((name, "nothing that came fits \(shown(name))"))
      } else if rejected.contains(name) {
        helpful.append((name, "\(shown(name)) came only in what was set aside, as a dead letter"))
      } else if let meant = candidates.meant(by: name) {
        helpful.append((name, "\(shown(name)) never came; did you mean \(shown(meant))?"))
      } else if let meant = aside.meant(by: name) {
        helpful.append((name, "\(shown(name)) never came; did you mean \(shown(meant)), which came only in what was set aside?"))
      } else {
        others.append((name, "\(shown(name)) never came"))
      }
    }
    let inOrder = helpful + others
    var sentences = inOrder.prefix(most).map(\.sentence)
    let more = missing.count - sentences.count
    if more > 0 {
      let one = inOrder.count > most ? inOrder[most].name : missing[looked]
      sentences.append("\(more) more of the named symbols never came, \(shown(one)) for one")
    }
    return sentences
  }

  /// How many are told one by one.
  private static var most: Int { 3 }
  /// How many names may be compared in search of what was meant.
  private static var comparisons: Int { 60_000 }

  /// The one of `names` that was probably meant by a name that is not among them: the same but for case before a slip of the
  /// finger. Two letters are too few to tell a slip from another symbol.
  public static func meant(by name: String, among names: some Sequence<String>) -> String? { Candidates(names).meant(by: name) }

  private static func fits(_ name: String, _ pattern: [UInt8]) -> Bool {
    var name = name
    return name.withUTF8 { Glob.matches($0, pattern) }
  }

  /// Names by what they are in capitals.
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
