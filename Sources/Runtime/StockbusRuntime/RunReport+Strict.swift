extension RunReport {
  /// The objections of a strict run although everything is accounted for: `3 dead letters, 1 gap`; nil if there are none.
  ///
  /// Dead letters are malformed input, refusals by a venue, alerts that could not be delivered, and events that a component could not
  /// process. Gaps are breaks in a venue's numbers. Events that an edge or a filter leaves out were meant to be left out and do not count.
  package var shortcomings: String? {
    func count(_ name: String) -> Int { ledger.counters.reduce(0) { $0 + ($1.name == name ? $1.total : 0) } }
    let found = [(count(Ledger.deadLetters), "dead letter"), (count(Ledger.gaps), "gap")].filter { $0.0 > 0 }
    if found.isEmpty { return nil }
    return found.map { "\(Ledger.grouped($0)) \($1)\($0 == 1 ? "" : "s")" }.joined(separator: ", ")
  }

  /// The exit status: `exitStatus` unless that is 0; 65 (`EX_DATAERR` in sysexits.h) if a strict run has `shortcomings`; otherwise 1 if a
  /// source gave nothing and the run is not lenient.
  package func exitStatus(isStrict: Bool, isLenient: Bool) -> Int32 {
    if exitStatus != 0 { return exitStatus }
    if isStrict, shortcomings != nil { return 65 }
    return isLenient || emptySources.isEmpty ? 0 : 1
  }
}
