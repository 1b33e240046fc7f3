import EventBus
import MarketData
import StockbusConfig
import StockbusPlugin
import StockbusRuntime

/// What the components of a run need of its past, and what it has.
struct PastNeeds {
  private struct Need {
    let component: String
    let inputs: [String]
    /// The sources with a past from which something comes.
    let sources: Set<String>
    /// Of its events: `bar`.
    let event: String
    let need: PastNeed
    /// How much time that is, if it is known.
    let span: Duration?

    /// `'desk' needs 50 bars of each symbol for sma(close, 50)`.
    var text: String {
      let amount =
        switch need.amount {
        case .events(let count): "\(count == 1 ? "1 \(event)" : "\(count) \(event)s") of each symbol"
        case .time(let time): time.optionText
        }
      return "\(shown(component)) needs \(amount) for \(need.part)"
    }
  }

  private let needs: [Need]
  private let sources: [String]

  /// What the components need of which some input comes from a source with a past.
  init(of topology: Topology) {
    sources = topology.nodes.filter { $0.past != nil }.map(\.id)
    // The sources behind each component.
    var behind = Dictionary(uniqueKeysWithValues: sources.map { ($0, Set([$0])) })
    var needs: [Need] = []
    for node in topology.nodes {
      let origins = node.inputs.reduce(into: Set<String>()) { $0.formUnion(behind[$1.from] ?? []) }
      if origins.isEmpty { continue }
      behind[node.id, default: []].formUnion(origins)
      let makers = node.inputs.compactMap { input in topology.nodes.first { $0.id == input.from }?.assembly.interval }
      needs += node.assembly.needs.map { need in
        var span: Duration?
        switch need.amount {
        case .events(let count): span = makers.max().map { $0 * count }
        case .time(let time): span = time
        }
        return Need(
          component: node.id, inputs: node.inputs.map(\.from), sources: origins, event: node.blueprint.inputs.first?.eventName ?? "event",
          need: need,
          span: span)
      }
    }
    // Several rules may have the same function.
    self.needs = needs.indices.filter { i in !needs[..<i].contains { $0.text == needs[i].text } }.map { needs[$0] }
  }

  // MARK: Before a run

  /// What each component needs, and what the past has, as far as that is known before it is played; and what is too little.
  func lines(in topology: Topology) -> (lines: [String], doubts: [String]) {
    let pasts = topology.nodes.compactMap { node in node.past.map { (node.id, $0) } }
    var lines = pasts.map { id, past in
      let files = past.paths.count == 1 ? visible(past.paths[0]) : "\(past.paths.count) files"
      return "past: \(id) plays \(past.last.map { "the last \($0.optionText) of " } ?? "")\(files)"
    }
    var doubts: [String] = []
    for need in needs {
      // Each source has symbols of its own, so the shortest counts.
      let have = pasts.filter { need.sources.contains($0.0) }.compactMap(\.1.last).min()
      let span = need.span.map { ": \($0.optionText)" + (have.map { " of \($0.optionText)" } ?? "") }
      lines.append("past: \(need.text)\(need.need.time != nil ? "" : span ?? ", which is known once it is played")")
      if let have, let span = need.span, span > have {
        doubts.append(
          "warning: \(need.text)\(need.need.time == nil ? " (\(span.optionText))" : ""), and the past goes back \(have.optionText)")
      }
    }
    return (lines, doubts)
  }

  // MARK: After it

  /// Counts what comes to these components, and from the sources.
  func counting(in pipeline: Pipeline) -> PastCounts {
    PastCounts(Set(needs.flatMap(\.inputs) + sources).compactMap { id in pipeline.topic(id).flatMap(Self.count).map { (id, $0) } })
  }

  private static func count(_ topic: any AnyTopic) -> Task<PastCount, Never>? {
    func open<E: Event>(_: E.Type) -> Task<PastCount, Never>? { (topic as? Topic<E>)?.folded(into: PastCount()) { $0.take($1) } }
    return open(topic.eventType)
  }

  /// Where the past was too short, with both numbers.
  func lacks(_ counts: [String: PastCount]) -> [String] {
    needs.compactMap { need in
      let found = need.inputs.compactMap { counts[$0] }
      switch need.need.amount {
      case .events(let count):
        let all = found.reduce(into: [:] as [Int: Int]) { sums, count in
          for (symbol, events) in count.bySymbol.enumerated() where events > 0 { sums[symbol, default: 0] += events }
        }
        if all.isEmpty { return "\(need.text), and the past had none" }
        let short = all.filter { $0.value < count }.map { (Symbol(id: UInt32($0)).description, $1) }.sorted { $0 < $1 }
        if short.isEmpty { return nil }
        let shown = short.prefix(4).map { "\($1) of \(visible($0))" }
        let more = short.count > 4 ? ["fewer of \(short.count - 4) more symbols"] : []
        return "\(need.text), and the past had \(listed(shown + more))"
      case .time(let time):
        guard let first = found.compactMap(\.first).min(), let last = found.compactMap(\.last).max() else {
          return "\(need.text), and the past had nothing"
        }
        let span = Duration.nanoseconds(last.ns.subtractingSaturating(first.ns))
        return span < time ? "\(need.text), and the past had \(span.roughText)" : nil
      }
    }
  }
}

extension PastNeed {
  fileprivate var time: Duration? { if case .time(let time) = amount { time } else { nil } }
}

/// Readers that count the events of topics, until these have ended.
struct PastCounts {
  private let tasks: [(id: String, task: Task<PastCount, Never>)]

  init(_ tasks: [(String, Task<PastCount, Never>)]) { self.tasks = tasks.map { (id: $0, task: $1) } }

  func values() async -> [String: PastCount] {
    var found: [String: PastCount] = [:]
    for each in tasks { found[each.id] = await each.task.value }
    return found
  }
}

/// What a topic has had.
struct PastCount: Sendable {
  private(set) var events = 0
  private(set) var first: Timestamp?
  private(set) var last: Timestamp?
  /// By symbol handle.
  private(set) var bySymbol: [Int] = []

  fileprivate mutating func take<E: Event>(_ event: E) {
    let time = E.schema.time(of: event)
    events += 1
    first = first ?? time
    last = last.map { max($0, time) } ?? time
    guard let symbol = E.schema.symbol(of: event) else { return }
    bySymbol.grow(toHold: Int(symbol.id), filling: 0)
    bySymbol[Int(symbol.id)] += 1
  }
}
