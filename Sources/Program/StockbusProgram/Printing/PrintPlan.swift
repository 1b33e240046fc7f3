import StockbusConfig
import StockbusExpressions
import StockbusPlugin

/// Why the requested events cannot be printed: a mistake on the command line.
struct PrintMistake: Error, CustomStringConvertible {
  let description: String
}

/// A topology that prints the output of one component and contains only the components needed for that.
struct PrintPlan {
  let topology: Topology
  /// The job's number, to be forgotten at the end.
  let number: Int
  /// Remarks about the output, one line each.
  private(set) var remarks: [String] = []

  init(_ job: PrintJob, from: String?, in whole: Topology) throws(PrintMistake) {
    let name: String
    if let from {
      name = from
    } else {
      let (usual, remark) = try Self.usual(whole)
      name = usual
      if let remark { remarks.append(remark) }
    }
    let whole = Self.adding(partNamed: name, to: whole)
    let type = try Self.type(of: name, in: whole)
    let columns = whole.nodes.first { $0.id == name }?.topic.columns ?? ColumnLayout()
    try Self.check(job.request, type, columns)
    number = job.enroll()
    let printer = Plugin.printer
    let mark = ConfigNode.Mark(file: "command line", line: 1, column: 1)
    let ranks = RankSource(of: name, in: whole)
    if job.request.once, type == Ranked.self, let warning = RankSource.warning(ranks, printing: name) { remarks.append(warning) }
    let values = ["job": "\(number)", "follows_ranks": "\(ranks?.isWhole ?? false)"]
    let options = ConfigNode(.map(values.map { .init(key: $0, mark: mark, value: ConfigNode(.scalar($1), at: mark)) }), at: mark)
    guard let blueprint = printer.blueprint(for: [type], options: options),
      let assembly = try? blueprint.assembly(options, at: mark, reading: columns)
    else {
      throw PrintMistake(description: "events of type \(type.eventName) cannot be printed")
    }
    let nodes = Self.upstream(of: name, in: whole)
    let node = PlannedNode(
      // This id cannot clash with an id of a configuration, which contains no blank.
      id: Self.printerID, plugin: printer, blueprint: blueprint, assembly: assembly, inputs: [PlannedEdge(from: name)],
      topic: Blueprint.TopicPlan(name: "standard output"), supervision: SupervisionPolicy())
    topology = Topology(
      nodes: nodes + [node], settings: whole.settings, outerFiles: whole.outerFiles, instruments: whole.instruments, past: whole.past)
  }

  /// The id of the sink that prints.
  static var printerID: String { "standard output" }

  /// The first input of the first sink in the written order; and a remark that names it, if the sinks have several inputs.
  private static func usual(_ topology: Topology) throws(PrintMistake) -> (name: String, remark: String?) {
    let sinks = topology.nodes.filter { $0.blueprint.kind == .sink && !$0.inputs.isEmpty }.sorted { $0.place < $1.place }
    guard let first = sinks.first, let any = first.inputs.first else {
      guard let last = topology.nodes.last(where: { $0.blueprint.output != nil }) else {
        throw PrintMistake(description: "no component emits anything")
      }
      return (last.id, nil)
    }
    // Topics of the run are not the main input of a sink.
    let name = first.inputs.first { RunTopic(rawValue: $0.from) == nil }?.from ?? any.from
    var others: [String] = []
    for input in sinks.flatMap(\.inputs) where input.from != name && RunTopic(rawValue: input.from) == nil && !others.contains(input.from) {
      others.append(input.from)
    }
    if others.isEmpty { return (name, nil) }
    let list = others.prefix(5).map { shown($0) }.joined(separator: ", ") + (others.count > 5 ? ", …" : "")
    return (name, "printing \(shown(name)), which the first sink, \(shown(first.id)), reads; --from prints another: \(list)")
  }

  /// The topology with the component that passes a part of an output on, such as `broker.fills`, if nothing has read that part so far.
  private static func adding(partNamed name: String, to topology: Topology) -> Topology {
    let words = name.split(separator: ".", maxSplits: 1).map(String.init)
    guard words.count == 2, !topology.nodes.contains(where: { $0.id == name }),
      let source = topology.nodes.first(where: { $0.id == words[0] }), let type = source.blueprint.output,
      let part = source.plugin.parts.first(where: { $0.name == "\(source.plugin.name).\(words[1])" })
    else { return topology }
    let mark = ConfigNode.Mark(file: "command line", line: 1, column: 1)
    let standsBeside = part.standsBeside
    let options = (standsBeside ? source.description?.options : nil) ?? ConfigNode(.map([]), at: mark)
    let types = standsBeside ? source.blueprint.inputs : [type]
    guard let blueprint = part.blueprint(for: types, options: options),
      let assembly = try? blueprint.assembly(options, at: source.description?.idMark ?? mark)
    else { return topology }
    let node = PlannedNode(
      id: name, plugin: part, blueprint: blueprint, assembly: assembly,
      inputs: standsBeside ? source.inputs : [PlannedEdge(from: source.id)],
      topic: Blueprint.TopicPlan(name: name), supervision: SupervisionPolicy(), merge: standsBeside ? source.merge : .arrival)
    return Topology(
      nodes: topology.nodes + [node], settings: topology.settings, outerFiles: topology.outerFiles, instruments: topology.instruments)
  }

  private static func type(of name: String, in topology: Topology) throws(PrintMistake) -> any Event.Type {
    if let node = topology.nodes.first(where: { $0.id == name }) {
      if let type = node.blueprint.output { return type }
      let inputs = node.inputs.map { shown($0.from) }.joined(separator: ", ")
      throw PrintMistake(description: "--from: \(shown(name)) is a sink and emits nothing; it reads \(inputs)")
    }
    if let topic = RunTopic(rawValue: name) { return topic.eventType }
    let parts = topology.nodes.flatMap { node in node.plugin.parts.map { node.id + $0.name.dropFirst(node.plugin.name.count) } }
    let emitting = topology.nodes.filter { $0.blueprint.output != nil }.map(\.id)
    let names = emitting + parts.filter { !emitting.contains($0) } + RunTopic.allCases.map(\.rawValue)
    let near = didYouMean(name, among: names)
    throw PrintMistake(
      description: "--from: no component \(shown(name))" + (near.isEmpty ? "; there are \(names.joined(separator: ", "))" : near))
  }

  private static var withoutMemory: String { "print sees each event by itself; a filter in the configuration remembers them" }

  private static func check(_ request: PrintJob.Request, _ type: any Event.Type, _ columns: ColumnLayout) throws(PrintMistake) {
    if let condition = request.condition {
      do throws(ExpressionError) {
        _ = try AnyExpression(condition, for: type, in: .withoutMemory(Self.withoutMemory), reading: columns)
      } catch {
        throw PrintMistake(description: "--where\n\(error.marked)")
      }
    }
    guard let fields = request.fields else { return }
    let known = names(type) + columns.names
    if fields.isEmpty { throw PrintMistake(description: "--fields names no field; there are \(known.joined(separator: ", "))") }
    var seen: Set<String> = []
    for name in fields where known.contains(name) && !seen.insert(name).inserted {
      throw PrintMistake(description: "--fields names '\(name)' twice")
    }
    for name in fields where !known.contains(name) {
      let near = didYouMean(name, among: known)
      throw PrintMistake(
        description: "--fields: \(type.eventName) has no field \(shown(name))"
          + (near.isEmpty ? "; there are \(known.joined(separator: ", "))" : near))
    }
  }

  private static func names<E: Event>(_: E.Type) -> [String] { E.schema.fields.map(\.name) }

  /// The component and everything upstream of it; for a topic of the run all components except sinks, because any may post there.
  private static func upstream(of name: String, in topology: Topology) -> [PlannedNode] {
    if RunTopic(rawValue: name) != nil { return topology.nodes.filter { $0.blueprint.output != nil } }
    var needed: Set<String> = [name]
    // Nodes are in upstream order, so one backward pass finds everything.
    for node in topology.nodes.reversed() where needed.contains(node.id) { needed.formUnion(node.inputs.map(\.from)) }
    // A component that reads a topic of the run may depend on any component.
    let readsAll = topology.nodes.contains { node in
      needed.contains(node.id) && node.inputs.contains { RunTopic(rawValue: $0.from) != nil }
    }
    return readsAll ? topology.nodes.filter { $0.blueprint.output != nil } : topology.nodes.filter { needed.contains($0.id) }
  }
}
