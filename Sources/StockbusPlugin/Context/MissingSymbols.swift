internal import MarketData

/// What there is to say about symbols that were named and never came.
public enum MissingSymbols {
  /// One sentence for each of the first three, such as `'APPL' never came; did you mean 'AAPL'?`, and one for all others together.
  ///
  /// `symbols` are names or patterns as they were written, each of them told once. `came` are the names that were seen; what may
  /// have been meant is looked for among the first 20,000, and patterns are looked at while that takes no more than ten million
  /// comparisons. `setAside` came only in what was set aside: they are told so, and may have been meant where nothing that came was.
  public static func sentences(
    _ symbols: some Sequence<String>, cameInstead came: some Collection<String>, setAside: [String] = []
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
    let aside = Candidates(setAside)
    var sentences = missing.prefix(3).map { name in
      if Glob.isPattern(name) { return "nothing that came fits \(shown(name))" }
      if setAside.contains(name) { return "\(shown(name)) came only in what was set aside, as a dead letter" }
      if let meant = candidates.meant(by: name) { return "\(shown(name)) never came; did you mean \(shown(meant))?" }
      let meant = aside.meant(by: name).map { "; did you mean \(shown($0)), which came only in what was set aside?" }
      return "\(shown(name)) never came" + (meant ?? "")
    }
    let more = missing.count - sentences.count
    if more > 0 { sentences.append("\(more) more of the named symbols never came, \(shown(missing[3])) for one") }
    return sentences
  }

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
