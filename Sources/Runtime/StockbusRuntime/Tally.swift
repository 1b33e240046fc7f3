internal import StockbusConfig
internal import StockbusPlugin

/// The totals of the ledger and the report for components, by their names.
///
/// A tally is all that is kept of components that have left a run and ended. So the memory of a run grows with the number of names and
/// edges that it has ever had, not with the number of changes. The ledger adds the other components to the tally in the same way: it reads
/// the same before and after a component is reduced to its tally.
struct Tally: Sendable {
  /// The edges, former ones first.
  private(set) var edges: [RunEdge] = []
  /// The counters that components have defined.
  private(set) var counters: [Ledger.Entry] = []
  /// The events that components took but could not keep.
  private(set) var lost: [Ledger.Entry] = []
  /// For each name at most one of each kind of outcome.
  private(set) var fates: [RunReport.Fate] = []
  /// How many events the sources have published.
  private(set) var events = 0
  private var lastNotes: [Ledger.Note] = []
  /// How many earlier notes were left out, by component.
  private var omitted: [String: Int] = [:]

  /// The last notes of each name, as many as one component may have, then the number of older ones.
  var notes: [Ledger.Note] {
    lastNotes
      + omitted.sorted { $0.key < $1.key }.map { name, count in
        Ledger.Note(component: name, text: "\(Ledger.grouped(count)) earlier \(count == 1 ? "note" : "notes") omitted")
      }
  }

  mutating func add(_ member: Member) {
    for edge in member.slot.edges { edges.add(edge) }
    for entry in member.counters.entries { Self.add(entry.counter.total, as: entry.name, of: member.id, to: &counters) }
    if member.counters.lost.total > 0 { Self.add(member.counters.lost.total, as: Ledger.lost, of: member.id, to: &lost) }
    for text in member.counters.notes { add(Ledger.Note(component: member.id, text: text)) }
    if let fate = member.fate { add(fate) }
    if member.plan.blueprint.kind == .source, member.isPureSource { events += member.slot.output?.published ?? 0 }
  }

  private static func add(_ count: Int, as name: String, of component: String, to entries: inout [Ledger.Entry]) {
    if let place = entries.firstIndex(where: { $0.component == component && $0.name == name }) {
      entries[place].total += count
    } else {
      entries.append(Ledger.Entry(component: component, name: name, total: count))
    }
  }

  /// Adds a note; the same note counts once.
  private mutating func add(_ note: Ledger.Note) {
    lastNotes.removeAll { $0 == note }
    lastNotes.append(note)
    let own = lastNotes.indices.filter { lastNotes[$0].component == note.component }
    if own.count <= CounterRegistry.noteLimit { return }
    lastNotes.remove(at: own[0])
    omitted[note.component, default: 0] += 1
  }

  private mutating func add(_ fate: RunReport.Fate) {
    guard let place = fates.firstIndex(where: { $0.id == fate.id && $0.outcome.isLike(fate.outcome) }) else { return fates.append(fate) }
    fates[place].lives += fate.lives
    fates[place].components += fate.components
    fates[place].outcome = fate.outcome
  }
}
