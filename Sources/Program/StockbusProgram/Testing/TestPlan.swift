import MarketData
import StockbusConfig
import StockbusPlugin
import StockbusRuntime
import StockbusTerminal

/// What a test runs: its configuration over the inputs, with what goes wrong.
struct TestPlan {
  let topology: Topology
  let script: TestScript
  /// The components whose screens the test looks at.
  let screens: Set<String>
  /// The components whose events can be followed, upstream first.
  let traceable: [String]
  private let sinks: [String: [String]]

  /// The end of the name of a source's recording. It cannot clash with a name of a configuration, which contains no blank.
  private static let recorded = " recorded"

  /// Of a recording the name of its source.
  static func source(_ component: String) -> String {
    for end in [recorded, PlannedNode.recorded] where component.hasSuffix(end) { return String(component.dropLast(end.count)) }
    return component
  }

  /// Longer than any test, in the run's time: a century.
  static let longest = Duration.seconds(100 * 365 * 86_400)

  /// - Throws: a `RehearsalMistake`, or the `Problems` of the configuration or of the test.
  init(_ test: ConfigurationTest, of file: TestFile, recordings: [Recording], folder: String) throws {
    let config = ConfigLoader().load(paths: [file.configuration])
    let folder = TestFolder(path: folder)
    let looks = test.checks.flatMap(\.screens)
    screens = Set(looks.map(\.component))
    let plan = try RehearsalPlan(
      config, over: recordings, for: .test,
      sink: { [screens] sink, node in
        node.assembly.component is any BlockComponent.Type ? screens.contains(sink.id) ? sink : nil : folder.sink(sink, node)
      }, Program.current)
    var problems = Problems()
    let blocks = plan.topology.nodes.filter { $0.assembly.component is any BlockComponent.Type }.map(\.id)
    for look in looks where !blocks.contains(look.component) {
      problems.add("\(shown(look.component)) shows nothing here; a console_viewer does", at: look.mark)
    }
    if !problems.isEmpty { throw problems }
    // The time of a child program is real, and cannot be moved.
    let outside = plan.topology.nodes.first { $0.assembly.files.contains(where: \.use.isRun) }?.id
    let components = plan.topology.nodes.map(\.id).filter { Self.source($0) == $0 }
    try Self.checkFields(of: test.inputs, plan)
    try Self.check(test, sources: plan.sources, components: components, outside: outside)
    var nodes = plan.topology.nodes
    if outside == nil { nodes = try nodes.flatMap { plan.sources.contains($0.id) ? try Self.timed($0) : [$0] } }
    nodes = nodes.map { Self.crashing($0, test.faults) }
    var settings = plan.topology.settings
    settings.wait = .park
    // Behind the recordings, which are read at once, the run takes as long as they are.
    if outside == nil { settings.drainDeadline = Self.longest }
    topology = plan.topology.with(nodes, settings)
    script = TestScript(start: test.start, faults: test.faults, end: test.end, isTimed: outside == nil)
    sinks = plan.sinks
    traceable = plan.topology.nodes.filter { $0.blueprint.output != nil && components.contains($0.id) }.map(\.id)
  }

  /// The fields of rows are those of the source's events, and their symbols those of the source.
  private static func checkFields(of inputs: [(source: String, input: TestInput)], _ plan: RehearsalPlan) throws(Problems) {
    func names<E: Event>(_: E.Type) -> [String] { E.schema.fields.map(\.name) }
    var problems = Problems()
    for (source, input) in inputs {
      guard case .rows(let rows) = input,
        let node = plan.topology.nodes.first(where: { $0.id == source }), let type = node.blueprint.output
      else { continue }
      let known = names(type) + node.topic.columns.names
      for field in rows.flatMap(\.fields) where !known.contains(field.name) {
        let hint = didYouMean(field.name, among: known, otherwise: "; there are \(known.joined(separator: ", "))")
        problems.add("a \(type.eventName) has no field \(shown(field.name))\(hint)", at: field.mark)
      }
      guard let symbols = plan.symbols[source] else { continue }
      var passed = Set(symbols)
      for symbol in rows.compactMap(\.symbol) where passed.insert(symbol.name).inserted {
        let hint = didYouMean(symbol.name, among: symbols, otherwise: "; it has \(listed(symbols.prefix(20).map { visible($0) }))")
        problems.add("source \(shown(source)) has no symbol \(shown(symbol.name))\(hint)", at: symbol.mark)
      }
    }
    if !problems.isEmpty { throw problems }
  }

  private static func check(_ test: ConfigurationTest, sources: [String], components: [String], outside: String?) throws(Problems) {
    var problems = Problems()
    for fault in test.faults {
      let known = fault.kind.isOfSource ? sources : components
      if let outside {
        problems.add("there can be no faults here: \(shown(outside)) is a program, whose time is its own", at: fault.mark)
      } else if let component = fault.component, !known.contains(component) {
        let what = fault.kind.isOfSource ? "no source" : "no component"
        let hint = didYouMean(component, among: known, otherwise: "; there are \(known.joined(separator: ", "))")
        problems.add("\(what) \(shown(component)) runs in the test\(hint)", at: fault.mark)
      }
    }
    if let outside, let check = test.checks.first(where: { $0.at != nil }) {
      problems.add("there is no 'at' here: \(shown(outside)) is a program, whose time is its own", at: check.mark)
    }
    if !problems.isEmpty { throw problems }
  }

  /// A recording, and behind it a source of its name that sends its events at their times.
  private static func timed(_ node: PlannedNode) throws -> [PlannedNode] {
    guard let type = node.blueprint.output, let blueprint = Plugin.testFeed.blueprint(for: [type], options: nil) else {
      return [node]
    }
    var topic = Blueprint.TopicPlan(name: node.id)
    topic.columns = node.topic.columns
    let recording = PlannedNode(
      id: node.id + recorded, plugin: node.plugin, blueprint: node.blueprint, assembly: node.assembly, inputs: node.inputs, topic: topic,
      supervision: node.supervision)
    let feed = PlannedNode(
      id: node.id, plugin: .testFeed, blueprint: blueprint,
      assembly: try blueprint.assembly(nil, at: ConfigNode.Mark(file: "test", line: 1, column: 1), reading: topic.columns),
      inputs: [PlannedEdge(from: recording.id)], topic: node.topic, supervision: node.supervision, description: node.description,
      place: node.place)
    return [recording, feed]
  }

  /// The component, whose instances fail at the times of the test.
  private static func crashing(_ node: PlannedNode, _ faults: [TestFault]) -> PlannedNode {
    let moments = faults.filter { $0.kind == .crash && $0.component == node.id }.map(\.from).sorted()
    if moments.isEmpty { return node }
    return node.with(
      // No event is its cause.
      node.assembly.failing(EnvironmentFailure("it crashed, as the test wants", isPermanent: false)) { context in
        // Before the events of that time.
        let now = context.clock.uptime
        guard let next = moments.map({ $0 + TestScript.lead - .nanoseconds(1) }).first(where: { $0 > now }) else {
          return await Latch().wait()
        }
        try await context.clock.sleep(until: next)
      })
  }

  /// Readers of what a component publishes, or, if it publishes nothing, of what it reads.
  func readers(for expectation: Expectation, _ simulation: Simulation) throws(Problem) -> [TestReader] {
    let component = expectation.component
    let readers = (sinks[component] ?? [component]).compactMap { id in
      simulation.pipeline.topic(id).flatMap { TestReader(of: $0, id, simulation) }
    }
    if readers.isEmpty {
      let names = traceable + sinks.keys.sorted()
      throw Problem(
        "the configuration has no component \(shown(component))"
          + didYouMean(component, among: names, otherwise: "; there are \(names.joined(separator: ", "))"), at: expectation.mark)
    }
    let names = readers.flatMap(\.names)
    for field in expectation.fields where !names.contains(field.key) {
      throw Problem(
        "events of \(shown(component)) have no field \(shown(field.key))"
          + didYouMean(field.key, among: names, otherwise: "; there are \(names.joined(separator: ", "))"), at: field.mark)
    }
    return readers
  }
}
