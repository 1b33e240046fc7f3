package import StockbusExpressions
package import StockbusPlugin

/// What a component keeps of its functions over earlier events from one instance to the next.
package enum FunctionMemory {
  static var snapshot: MemoryKey<MemorySnapshot?> { MemoryKey("functions", whenOptionsChange: .drop) }
  /// True if an earlier instance has had events.
  static var hasHadEvents: MemoryKey<Bool> { MemoryKey("had events", whenOptionsChange: .keep) }

  /// Keeps it over a change of the options; for a component's `carryOver`.
  package static func carryOver(_ old: Memory, into memory: Memory) { memory[snapshot] = old[snapshot] }
}

extension Context {
  /// What functions of this component's expressions need.
  package func functionSettings<E: Event>(_ sessions: CountedSessions, for _: E.Type) -> ExpressionRunner<E>.Settings {
    ExpressionRunner<E>.Settings(
      sessions: InstrumentSessions(instruments, sessions), completeSince: completeSince,
      hasMissedEvents: recall(FunctionMemory.hasHadEvents) ?? false, columns: columns.layout.isEmpty ? nil : columns)
  }

  /// What an earlier instance has left; once.
  package func takeFunctions() -> MemorySnapshot? {
    defer { remember(nil, FunctionMemory.snapshot) }
    return recall(FunctionMemory.snapshot) ?? nil
  }

  /// Leaves what functions remember to the next instance.
  package func leaveFunctions(_ snapshot: MemorySnapshot?, hasHadEvents: Bool) {
    remember(snapshot, FunctionMemory.snapshot)
    if hasHadEvents { remember(true, FunctionMemory.hasHadEvents) }
  }

  /// The events for which a condition was undecided because a function was not ready.
  package var notReady: Counter {
    counter("not ready", "Events on which nothing was decided because a function over earlier events had no result yet.")
  }

  /// Counts what functions had to leave out; once for each runner.
  package func count(_ use: MemoryUse) {
    let counts: [(Int, String, String)] = [
      (use.outside, "outside of windows", "Events that were too late for a function's window, or before its session."),
      (use.revisedTooLate, "revised too late", "Revised or late bars that a function could not take any more."),
      (use.unkept, "beyond the memory", "Events of symbols for which the functions have no memory left."),
      (use.shortened, "shortened windows", "Values that left a window early because the functions have no memory left."),
    ]
    for (count, name, doc) in counts where count > 0 { counter(name, doc).add(count) }
  }
}
