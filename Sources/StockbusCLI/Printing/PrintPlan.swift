import EventBus
import StockbusConfig
import StockbusExpressions
import StockbusPlugin

/// Why events cannot be printed as somebody asked for: a mistake of the command line.
struct PrintMistake: Error, CustomStringConvertible {
  let description: String
}

/// A topology that prints the output of one component and holds nothing else than what that needs.
struct PrintPlan {
  let topology: Topology
  /// The job's number, to be forgotten at the end.
  let number: Int

  init(_ job: PrintJob, from: String?, in whole: Topology) throws(PrintMistake) {
    let name = if let from { from } else { try Self.usual(whole) }
    let type = try Self.type(of: name, in: whole)
    try Self.check(job.request, type)
    number = job.enroll()
    let printer = Plugin.printer
    let mark = ConfigNode.Mark(file: "command line", line: 1, column: 1)
    let options = ConfigNode(.map([.init(key: "job", mark: mark, value: ConfigNode(.scalar("\(number)"), at: mark))]), at: mark)
    guard let blueprint = printer.blueprint(for: [type], options: options), let assembly = try? blueprint.assembly(options, at: mark) else {
      throw PrintMistake(description: "events of type \(type.eventName) cannot be printed")
    }
    let nodes = Self.upstream(of: name, in: whole)
    let node = PlannedNode(
      // No id of a configuration holds a blank.
      id: "standard output", plugin: printer, blueprint: blueprint, assembly: assembly, inputs: [PlannedEdge(from: name)],
      topic: Blueprint.TopicPlan(name: "standard output"), supervision: SupervisionPolicy())
    topology = Topology(nodes: nodes + [node], settings: whole.settings, outerFiles: whole.outerFiles)
  }

  /// What the first sink reads.
  private static func usual(_ topology: Topology) throws(PrintMistake) -> String {
    if let sink = topology.nodes.first(where: { $0.blueprint.kind == .sink }), let input = sink.inputs.first { return input.from }
    guard let last = topology.nodes.last(where: { $0.blueprint.output != nil }) else {
      throw PrintMistake(description: "no component emits anything")
    }
    return last.id
  }

  private static func type(of name: String, in topology: Topology) throws(PrintMistake) -> any Event.Type {
    if let node = topology.nodes.first(where: { $0.id == name }) {
      if let type = node.blueprint.output { return type }
      let inputs = node.inputs.map { shown($0.from) }.joined(separator: ", ")
      throw PrintMistake(description: "--from: \(shown(name)) is a sink and emits nothing; it reads \(inputs)")
    }
    if let topic = RunTopic(rawValue: name) { return topic.eventType }
    let names = topology.nodes.filter { $0.blueprint.output != nil }.map(\.id) + RunTopic.allCases.map(\.rawValue)
    let near = didYouMean(name, among: names)
    throw PrintMistake(
      description: "--from: no component \(shown(name))" + (near.isEmpty ? "; there are \(names.joined(separator: ", "))" : near))
  }

  private static func check(_ request: PrintJob.Request, _ type: any Event.Type) throws(PrintMistake) {
    if let condition = request.condition {
      do throws(ExpressionError) { _ = try AnyExpression(condition, for: type) } catch {
        throw PrintMistake(description: "--where\n\(error.marked)")
      }
    }
    guard let fields = request.fields else { return }
    let known = names(type)
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

  /// The component and all that it needs; for a topic of the whole run everything that is no sink, as any may post there.
  private static func upstream(of name: String, in topology: Topology) -> [PlannedNode] {
    if RunTopic(rawValue: name) != nil { return topology.nodes.filter { $0.blueprint.output != nil } }
    var needed: Set<String> = [name]
    // Upstream stands before downstream, so that one walk backwards meets everything.
    for node in topology.nodes.reversed() where needed.contains(node.id) { needed.formUnion(node.inputs.map(\.from)) }
    // Who feeds from a topic of the whole run may be told something by anybody.
    let readsAll = topology.nodes.contains { node in
      needed.contains(node.id) && node.inputs.contains { RunTopic(rawValue: $0.from) != nil }
    }
    return readsAll ? topology.nodes.filter { $0.blueprint.output != nil } : topology.nodes.filter { needed.contains($0.id) }
  }
}
