internal import StockbusConfig
internal import StockbusPlugin
internal import StockbusRuntime

/// Finds out how the run treats the events of one symbol: watches all topics for a while, and then asks the components.
///
/// The run never waits for it, and keeps nothing of it afterwards.
struct SymbolInquiry: Sendable {
  /// How long a component may take to answer.
  private static let patience = Duration.seconds(2)

  let pipeline: Pipeline
  let symbol: Symbol
  let duration: Duration

  func report() async throws(CancellationError) -> SymbolReport {
    let nodes = pipeline.topology.nodes
    var watches: [String: SymbolWatch] = [:]
    for node in nodes { watches[node.id] = pipeline.topic(node.id).flatMap { SymbolWatch($0, symbol) } }
    let before = leftOut
    try await pipeline.clock.sleep(for: duration)
    for watch in watches.values { await watch.end() }
    let after = leftOut
    let health = pipeline.health
    var components: [SymbolReport.Component] = []
    for node in nodes {
      let inputs = node.inputs.compactMap { watches[$0.from] }
      let output = watches[node.id]
      components.append(
        SymbolReport.Component(
          id: node.id, kind: node.blueprint.kind.rawValue, plugin: node.plugin.name, place: node.description?.idMark.place,
          state: (health.first { $0.id == node.id }?.state ?? .ended).fieldName,
          in: inputs.isEmpty ? nil : inputs.reduce(0) { $0 + $1.seen.count }, out: output?.seen.count, last: output?.text,
          leftOut: max(0, after[node.id, default: 0] - before[node.id, default: 0]),
          reasons: await reasons(node, last: inputs.compactMap(\.seen.last).last)))
    }
    let watched = Int(duration / .milliseconds(1))
    return SymbolReport(
      symbol: symbol.description, watched: watched, verdict: SymbolReport.verdict(symbol.description, watched: watched, components),
      missed: watches.values.reduce(0) { $0 + $1.missed }, components: components)
  }

  /// Events that the edges into each component have dropped or conflated.
  private var leftOut: [String: Int] {
    pipeline.ledger.edges.reduce(into: [:]) { sums, edge in sums[edge.to, default: 0] += edge.counts.dropped + edge.counts.conflated }
  }

  private func reasons(_ node: PlannedNode, last: (any Event)?) async -> [SymbolReport.Reason] {
    let answer = Guarded([Explanation]?.none)
    let hasAnswered = Latch()
    let (pipeline, symbol) = (pipeline, symbol)
    // Unstructured, because the task group would wait for a component that hangs.
    let asking = Task {
      let explanations = await pipeline.explain(symbol, last: last, by: node.id)
      answer.withLock { $0 = explanations }
      hasAnswered.fire()
    }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await hasAnswered.wait() }
      group.addTask { try? await pipeline.clock.sleep(for: Self.patience) }
      await group.next()
      group.cancelAll()
    }
    asking.cancel()
    guard let explanations = answer.withLock({ $0 }) else {
      return [SymbolReport.Reason(verdict: Explanation.Verdict.waits.rawValue, reason: "it does not reply")]
    }
    return explanations.map { explanation in
      let place = explanation.setting.flatMap { setting in
        node.description.map { setting.find(in: $0.options, else: $0.idMark).mark.place }
      }
      return SymbolReport.Reason(
        verdict: explanation.verdict.rawValue, reason: explanation.reason, setting: explanation.setting?.description, place: place,
        time: explanation.time?.description)
    }
  }
}

/// Counts the events of one symbol on one topic.
private final class SymbolWatch: Sendable {
  struct Seen: Sendable {
    var count = 0
    var last: (any Event)?
  }

  private let state: Guarded<Seen>
  private let subscription: Subscription
  private let missedEvents = Counter()

  /// Nil if the topic's events are about no symbol.
  convenience init?(_ topic: any AnyTopic, _ symbol: Symbol) {
    guard let type = topic.eventType as? any SymbolEvent.Type else { return nil }
    func follow<E: SymbolEvent>(_: E.Type) -> (Guarded<Seen>, Subscription) {
      guard let topic = topic as? Topic<E> else { preconditionFailure("the topic has another event type than declared") }
      let state = Guarded(Seen())
      let options = SubscriptionOptions(overflow: .dropOldest, capacity: 1 << 16)
      let subscription = topic.subscribe(options: options) { event in
        guard event.symbol == symbol else { return }
        state.withLock { seen in
          seen.count += 1
          seen.last = event
        }
      }
      return (state, subscription)
    }
    self.init(follow(type))
  }

  private init(_ parts: (Guarded<Seen>, Subscription)) { (state, subscription) = parts }

  /// Reads the events published so far, and no later ones.
  func end() async {
    let published = subscription.counts.published
    while case let counts = subscription.counts, counts.delivered + counts.dropped < published { await Task.yield() }
    missedEvents.add(subscription.counts.dropped)
    subscription.cancel()
  }

  var missed: Int { missedEvents.total }

  var seen: Seen { state.withLock { $0 } }

  /// The last event as JSON; nil if there was none.
  var text: String? {
    func json<E: Event>(_ event: E) -> String { E.schema.json(event) }
    return seen.last.map { json($0) }
  }
}
