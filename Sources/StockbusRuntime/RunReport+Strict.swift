extension RunReport {
  /// What a strict run does not let pass though everything is accounted for: `3 dead letters, 1 gap`; nil where there is nothing.
  ///
  /// Dead letters are malformed input, what a venue refuses, alerts that could not be delivered, and events that no component could take.
  /// Gaps are breaks in a venue's numbers. What an edge or a filter leaves out was asked for, and does not count.
  public var shortcomings: String? {
    func count(_ name: String) -> Int { ledger.counters.reduce(0) { $0 + ($1.name == name ? $1.total : 0) } }
    let found = [(count(Ledger.deadLetters), "dead letter"), (count(Ledger.gaps), "gap")].filter { $0.0 > 0 }
    if found.isEmpty { return nil }
    return found.map { "\(Ledger.grouped($0)) \($1)\($0 == 1 ? "" : "s")" }.joined(separator: ", ")
  }

  /// `exitStatus`; where that is 0 and a strict run has `shortcomings`, 65, which is `EX_DATAERR` in sysexits.h.
  public func exitStatus(isStrict: Bool) -> Int32 { exitStatus == 0 && isStrict && shortcomings != nil ? 65 : exitStatus }
}
