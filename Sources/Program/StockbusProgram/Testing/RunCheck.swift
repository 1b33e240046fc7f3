import StockbusConfig
import StockbusPlugin
import StockbusRuntime
import StockbusTerminal

/// What a run should look like at a time, or at its end: its ledger, the states of its components, its log, its screen.
struct RunCheck: Sendable {
  /// What a run looks like.
  struct Snapshot: Sendable {
    let ledger: Ledger
    let health: [ComponentHealth]
    let log: [RunLogLine]
    /// By component, the lines that it shows.
    var shown: [String: [String]] = [:]

    init(_ pipeline: Pipeline, _ terminal: Terminal, showing components: Set<String>) async {
      (ledger, health, log) = (pipeline.ledger, pipeline.health, pipeline.log(after: 0))
      for component in components { shown[component] = await terminal.block(of: component).map(\.text) }
    }
  }

  /// Just after everything that happens at a time: what time brings about happens a nanosecond after it.
  static func end(of moment: Duration) -> Duration { moment + .microseconds(1) }

  enum Subject: String, CaseIterable { case ledger, states, log }

  private enum Wanted: Sendable {
    /// The total of a component's events, or of the run's; and what it should be.
    case count(component: String?, name: String, Int)
    case state(component: String, String)
    /// A text that is in a line of the log.
    case line(String)
    /// A text that is in a line of what a component shows.
    case shown(component: String, String)
  }

  /// Since the start of the test; nil for the end.
  let at: Duration?
  let mark: ConfigNode.Mark
  private var wanted: [(what: Wanted, mark: ConfigNode.Mark, value: ConfigNode)] = []

  /// Reads `ledger: { lost: 0, kept: { delivered: 5 } }`, `states: { kept: degraded }` or `log: [the disk is full]`.
  init(_ subject: Subject, _ node: ConfigNode, at: Duration?, _ problems: inout Problems) {
    self.at = at
    mark = node.mark
    switch (subject, node.value) {
    case (.ledger, .map(let entries)):
      for entry in entries {
        if case .map(let inner) = entry.value.value {
          for entry2 in inner { count(entry2, of: entry.key, &problems) }
        } else {
          count(entry, of: nil, &problems)
        }
      }
    case (.states, .map(let entries)):
      let known = Health.State.allCases.map(\.fieldName)
      for entry in entries {
        let word = entry.value.word ?? ""
        if known.contains(word) {
          wanted.append((.state(component: entry.key, word), entry.value.mark, entry.value))
        } else {
          let hint = didYouMean(word, among: known, otherwise: "; there are \(known.joined(separator: ", "))")
          problems.add("there is no state \(entry.value.kind)\(hint)", at: entry.value.mark)
        }
      }
    case (.log, .list(let items)):
      for item in items {
        if let text = item.word {
          wanted.append((.line(text), item.mark, item))
        } else {
          problems.add("a line of the log is a text", at: item.mark)
        }
      }
    case (.ledger, _): problems.add("'ledger' is a mapping such as { lost: 0, kept: { delivered: 5 } }, got \(node.kind)", at: node.mark)
    case (.states, _): problems.add("'states' is a mapping such as { kept: degraded }, got \(node.kind)", at: node.mark)
    case (.log, _): problems.add("'log' is a list of texts that are in its lines, got \(node.kind)", at: node.mark)
    }
  }

  /// Reads `screen: { shows: [AAPL 103.20] }`; nil if the entry is something else.
  init?(shownBy entry: ConfigNode.Entry, at: Duration?, _ problems: inout Problems) {
    guard case .map(let entries) = entry.value.value, entries.count == 1, let shows = entries.first, shows.key == "shows" else {
      return nil
    }
    self.at = at
    mark = entry.mark
    guard case .list(let items) = shows.value.value, !items.isEmpty, items.allSatisfy({ $0.word != nil }) else {
      problems.add("'shows' is a list of texts that are in the lines of the screen, got \(shows.value.kind)", at: shows.value.mark)
      return
    }
    wanted = items.map { (.shown(component: entry.key, $0.word ?? ""), $0.mark, $0) }
  }

  /// The components of which it looks at the screen, and where that is written.
  var screens: [(component: String, mark: ConfigNode.Mark)] {
    wanted.compactMap { wanted in if case .shown(let component, _) = wanted.what { (component, mark) } else { nil } }
  }

  private mutating func count(_ entry: ConfigNode.Entry, of component: String?, _ problems: inout Problems) {
    if let count = entry.value.word.flatMap({ Int($0) }), count >= 0 {
      wanted.append((.count(component: component, name: entry.key, count), entry.mark, entry.value))
    } else {
      problems.add("\(shown(entry.key)) must be a whole number, got \(entry.value.kind)", at: entry.value.mark)
    }
  }

  // MARK: Comparing

  func faults(of snapshot: Snapshot) -> [Problem] { wanted.flatMap { faults(of: snapshot, $0.what, at: $0.mark) } }

  /// What came, to be written in place of what was expected. Lines of the log stay.
  func updates(from snapshot: Snapshot) -> [TestUpdate] {
    wanted.compactMap { what, _, value in
      switch what {
      case .count(let component, let name, let count):
        guard let found = counts(snapshot.ledger, of: component).first(where: { $0.name == name }), found.count != count else { return nil }
        return TestUpdate(old: .scalar(value), new: ["\(found.count)"])
      case .state(let component, let state):
        guard let found = snapshot.health.first(where: { $0.id == component })?.state.fieldName, found != state else { return nil }
        return TestUpdate(old: .scalar(value), new: [found])
      case .line, .shown: return nil
      }
    }
  }

  private var moment: String { at.map { "at \($0.optionText) " } ?? "" }

  private func faults(of snapshot: Snapshot, _ wanted: Wanted, at mark: ConfigNode.Mark) -> [Problem] {
    switch wanted {
    case .count(let component, let name, let count):
      let counts = counts(snapshot.ledger, of: component)
      let names = counts.map(\.name)
      guard let found = counts.first(where: { $0.name == name }) else {
        let what = component.map { "the ledger of \(shown($0)) has" } ?? "the ledger has"
        let hint = didYouMean(name, among: names, otherwise: "; it has \(names.joined(separator: ", "))")
        return [Problem("\(what) no \(shown(name))\(hint)", at: mark)]
      }
      if found.count == count { return [] }
      return [Problem("\(moment)\(component.map { "\($0)'s " } ?? "")\(name) is \(found.count), not \(count)", at: mark)]
    case .state(let component, let state):
      guard let health = snapshot.health.first(where: { $0.id == component }) else {
        let names = snapshot.health.map(\.id)
        let hint = didYouMean(component, among: names, otherwise: "; there are \(names.joined(separator: ", "))")
        return [Problem("the run has no component \(shown(component))\(hint)", at: mark)]
      }
      if health.state.fieldName == state { return [] }
      let why = health.lastError.map { ": \(visible($0, limit: 200))" } ?? ""
      return [Problem("\(moment)\(component) is \(health.state.fieldName)\(why), not \(state)", at: mark)]
    case .line(let text):
      if snapshot.log.contains(where: { $0.message.contains(text) }) { return [] }
      let last = snapshot.log.suffix(3).map { "\($0.component.map { "\($0): " } ?? "")\(visible($0.message, limit: 200))" }
      let said = last.isEmpty ? "; the log is empty" : "; the last lines are: \(last.joined(separator: " | "))"
      return [Problem("\(moment)no line of the log has \(shown(text))\(said)", at: mark)]
    case .shown(let component, let text):
      // How wide columns are does not matter.
      let lines = (snapshot.shown[component] ?? []).map { $0.split(separator: " ").joined(separator: " ") }.filter { !$0.isEmpty }
      let text = text.split(separator: " ").joined(separator: " ")
      if lines.contains(where: { $0.contains(text) }) { return [] }
      let said = lines.isEmpty ? "; it shows nothing" : "; it shows: \(lines.map { visible($0, limit: 200) }.joined(separator: " | "))"
      return [Problem("\(moment)no line of \(component) has \(shown(text))\(said)", at: mark)]
    }
  }

  /// The counts of the edges into a component, or of all; then its own counters. Names as in a test: `dead_letters`.
  private func counts(_ ledger: Ledger, of component: String?) -> [(name: String, count: Int)] {
    // What a test gives a source is no edge of the configuration.
    let given = ledger.edges.filter { TestPlan.source($0.from) == $0.from }
    let edges = given.filter { component == nil || $0.to == component }.reduce(into: EdgeCounts()) { $0 += $1.counts }
    var own: [String: Int] = [:]
    for entry in ledger.counters where component == nil || TestPlan.source(entry.component) == component {
      own[Self.name(entry.name), default: 0] += entry.total
    }
    let fixed = [
      ("published", edges.published), ("delivered", edges.delivered), ("filtered", edges.filtered), ("dropped", edges.dropped),
      ("conflated", edges.conflated), ("lost", own["lost"] ?? 0), ("dead_letters", own["dead_letters"] ?? 0), ("gaps", own["gaps"] ?? 0),
    ]
    return fixed + own.sorted { $0.key < $1.key }.filter { entry in !fixed.contains { $0.0 == entry.key } }.map { ($0.key, $0.value) }
  }

  private static func name(_ counter: String) -> String { counter.lowercased().replacing(" ", with: "_") }
}
