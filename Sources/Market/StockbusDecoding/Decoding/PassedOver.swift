package import StockbusPlugin

/// Reports the known messages that become no event: a counter for each kind, and a note at the end about those that cancel or correct
/// trades.
package struct PassedOver: Sendable {
  private let context: Context
  /// The counts so far, by kind.
  private var counted: [String: Int] = [:]

  package init(_ context: Context) { self.context = context }

  /// Adds the messages since the last call, from the tallies of all readers together.
  ///
  /// - Parameter isKnown: true if an earlier instance has counted the messages.
  package mutating func count(_ tallies: [MessageTally], isKnown: Bool = false) {
    var sums: [String: Int] = [:]
    for tally in tallies {
      for (kind, fate) in zip(tally.kinds, tally.fates) where fate.isPassedOver && kind.count > 0 {
        sums[kind.name, default: 0] += kind.count
      }
    }
    if sums == counted { return }
    for tally in tallies {
      for (kind, fate) in zip(tally.kinds, tally.fates) where fate.isPassedOver {
        guard let sum = sums.removeValue(forKey: kind.name) else { continue }
        let new = sum - (counted[kind.name] ?? 0)
        counted[kind.name] = sum
        if !isKnown, new > 0 { counter(kind.name, fate).add(new) }
      }
    }
  }

  private func counter(_ kind: String, _ fate: MessageTally.Fate) -> Counter {
    context.counter(
      "passed over: \(kind)",
      fate == .correction
        ? "Messages by which the venue cancels or corrects a trade; the trade stays in bars, volumes and last prices."
        : "Messages of this known kind, which do not become events.")
  }

  /// Adds a line under the ledger if trades were cancelled or corrected.
  package func note(_ tallies: [MessageTally]) {
    var kinds: [String] = []
    for tally in tallies {
      for (kind, fate) in zip(tally.kinds, tally.fates) where fate == .correction && kind.count > 0 {
        let total = counter(kind.name, fate).total
        let text = "\(total) × '\(kind.name)'"
        if !kinds.contains(text) { kinds.append(text) }
      }
    }
    if kinds.isEmpty { return }
    context.note(
      "the venue has cancelled or corrected trades (\(kinds.joined(separator: ", "))); they stay in bars, volumes and last prices"
    )
  }
}
