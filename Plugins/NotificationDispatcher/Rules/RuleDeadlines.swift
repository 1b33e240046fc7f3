/// Moments at which a rule has to do something for a symbol, the earliest first, of equal ones in the order of the symbols' arrival and of
/// the rules: a binary heap.
///
/// A moment may turn out to be too early, because events have come meanwhile; whoever takes it adds the later one. So a rule has one entry
/// for each symbol, however many events come.
struct RuleDeadlines: Sendable {
  struct Entry: BitwiseCopyable, Comparable, Sendable, Codable {
    /// Receipts, in nanoseconds.
    var moment: Int64
    /// The symbol's place in the book; -1 for the end of the rule itself.
    var place: Int32
    var rule: Int32

    static func < (a: Entry, b: Entry) -> Bool {
      if a.moment != b.moment { return a.moment < b.moment }
      return a.place != b.place ? a.place < b.place : a.rule < b.rule
    }
  }

  private(set) var entries: ContiguousArray<Entry> = []

  /// The earliest moment; nil without any.
  var first: Int64? { entries.first?.moment }

  mutating func add(_ entry: Entry) {
    entries.append(entry)
    var at = entries.count - 1
    while at > 0, entries[at] < entries[(at - 1) / 2] {
      entries.swapAt(at, (at - 1) / 2)
      at = (at - 1) / 2
    }
  }

  /// Removes the first entry if its moment is not after `time`.
  mutating func popFirst(upTo time: Int64) -> Entry? {
    guard let first = entries.first, first.moment <= time else { return nil }
    entries.swapAt(0, entries.count - 1)
    entries.removeLast()
    var at = 0
    while true {
      var least = at
      for child in 2 * at + 1...2 * at + 2 where child < entries.count && entries[child] < entries[least] { least = child }
      if least == at { return first }
      entries.swapAt(at, least)
      at = least
    }
  }

  mutating func removeAll(of rule: Int) {
    let rest = entries.filter { $0.rule != rule }
    if rest.count == entries.count { return }
    entries = []
    for entry in rest { add(entry) }
  }
}
