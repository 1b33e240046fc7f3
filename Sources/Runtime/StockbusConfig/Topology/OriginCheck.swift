package import StockbusPlugin

/// Checks components against the origins of their events: in one configuration, or in several that are given together, where events also
/// arrive over channels.
package struct OriginCheck {
  struct Place: Hashable {
    let run: Int
    let node: Int
  }

  /// One of the ends of a channel.
  struct End {
    let node: PlannedNode
    let place: Place
    let use: ChannelUse
    /// The type of the channel's events.
    let type: (any Event.Type)?

    /// Replaces values that are from variables.
    func redacted(_ text: String) -> String { node.description?.options.redacted(text) ?? text }
  }

  private let runs: [[PlannedNode]]
  let writers: [End]
  let readers: [End]

  package init(_ topologies: [Topology]) { self.init(topologies.map(\.nodes)) }

  init(_ runs: [[PlannedNode]]) {
    self.runs = runs
    var ends: [End] = []
    for (run, nodes) in runs.enumerated() {
      let emitted = Dictionary(nodes.map { ($0.id, $0.blueprint.output) }) { first, _ in first }
      for (number, node) in nodes.enumerated() {
        for use in node.assembly.channels {
          let type = use.direction == .reads ? node.blueprint.output : node.inputs.first.flatMap { emitted[$0.from] ?? nil }
          ends.append(End(node: node, place: Place(run: run, node: number), use: use, type: type))
        }
      }
    }
    writers = ends.filter { $0.use.direction == .writes }
    readers = ends.filter { $0.use.direction == .reads }
  }

  /// All problems, each at its place.
  package var problems: Problems {
    var problems = channelProblems
    // All components are numbered, run after run; these are the numbers of the first ones.
    let first = runs.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1.count) }
    func number(_ place: Place) -> Int { first[place.run] + place.node }
    let places = runs.indices.flatMap { run in runs[run].indices.map { Place(run: run, node: $0) } }
    // The origins of each component, by number: its inputs, with nil for unknown ones, and the writers of the channels that it reads.
    let ids = runs.map { nodes in Dictionary(nodes.enumerated().map { ($1.id, $0) }) { first, _ in first } }
    let inputs = places.map { place in runs[place.run][place.node].inputs.map { ids[place.run][$0.from].map { first[place.run] + $0 } } }
    var sources = [[Int]](repeating: [], count: places.count)
    for reader in readers {
      for writer in writers where writer.use.isOfSame(reader.use) && writer.type.map({ $0 == reader.type }) == true {
        sources[number(reader.place)].append(number(writer.place))
      }
    }
    var origins = [InputOrigin?](repeating: nil, count: places.count)
    for place in UpstreamOrder(zip(inputs, sources).map { $0.compactMap(\.self) + $1 }).order {
      let node = runs[places[place].run][places[place].node]
      let behind = zip(node.inputs, inputs[place]).map { edge, input in
        (input.flatMap { origins[$0] })?.over(isWhole: edge.options.overflow == .block)
      }
      // A component whose output has another type, or none, transforms its input; a writer passes it on.
      let passesOn = node.blueprint.output.map { output in node.blueprint.inputs.contains { $0 == output } } ?? true
      origins[place] = InputOrigin(
        number: place, title: Self.title(node), settings: node.assembly.declaredSettings, isProcessor: node.plugin.kind == .processor,
        inputs: (passesOn ? behind.compactMap(\.self) : []) + sources[place].compactMap { origins[$0] })
      guard !behind.isEmpty, behind.allSatisfy({ $0 != nil }), let description = node.description else { continue }
      for fault in node.assembly.faults(behind: behind.compactMap(\.self)) {
        let input = description.inputs[fault.input]
        let option = fault.option.flatMap { description.options[$0]?.mark }
        problems.add("\(description.title): its input \(input.shownID) \(fault.message)", at: option ?? input.mark)
      }
    }
    return problems
  }

  static func title(_ node: PlannedNode) -> String {
    guard let description = node.description else { return node.id }
    return "\(description.title) (\(description.idMark.place))"
  }
}

extension OriginCheck {
  private func shownChannel(_ end: End) -> String {
    let node = end.use.place.find(in: end.node.description?.options, else: Self.nowhere).node
    return "\(end.use.kind) \(node?.shownText ?? MarketData.shown(end.use.name))"
  }

  private static var nowhere: ConfigNode.Mark { ConfigNode.Mark(line: 1, column: 1) }

  private func mark(_ end: End, _ place: OptionPlace) -> ConfigNode.Mark {
    let options = end.node.description?.options
    return place.find(in: options, else: end.use.place.find(in: options, else: Self.nowhere).mark).mark
  }

  private func writers(of reader: End) -> [End] { writers.filter { $0.use.isOfSame(reader.use) } }

  private var channelProblems: Problems {
    var problems = Problems()
    for reader in readers {
      guard let title = reader.node.description?.title, let type = reader.type else { continue }
      let writers = writers(of: reader)
      for writer in writers {
        guard let written = writer.type, written != type else { continue }
        problems.add(
          "\(title): reads \(type.eventName) from \(shownChannel(reader)), but \(Self.title(writer.node)) writes \(written.eventName) to it",
          at: mark(reader, reader.use.typePlace))
      }
      guard !writers.isEmpty, let parts = reader.use.parts else { continue }
      let written = writers.compactMap(\.use.parts)
      guard written.count == writers.count else { continue }
      let missing = parts.filter { part in !written.contains { $0.contains(part) } }
      if missing.isEmpty { continue }
      problems.add(
        "\(title): \(Self.title(writers[0].node)) writes no \(reader.redacted(Self.listed(missing))) to \(shownChannel(reader))",
        at: mark(reader, reader.use.partsPlace))
    }
    return problems
  }

  /// Probable mistakes in configurations that are given together: channels, or parts of them, that are read and not written, or written and
  /// not read; two channels that may be one. One line each with its place.
  package var doubts: [String] {
    var doubts: [String] = []
    func add(_ end: End, _ message: String, _ place: OptionPlace) {
      guard let title = end.node.description?.title else { return }
      doubts.append("\(mark(end, place).place): warning: \(title): \(message)")
    }
    /// The components that would be at the other end if they named the same servers.
    func elsewhere(_ end: End, _ others: [End], _ verb: String) -> String {
      guard let other = others.first(where: { $0.use.hasSameName(as: end.use) }) else { return "" }
      return "; \(Self.title(other.node)) \(verb) it on other servers"
    }
    for reader in readers where writers(of: reader).isEmpty {
      let hint = elsewhere(reader, writers, "writes")
      add(reader, "none of these configurations writes \(shownChannel(reader))\(hint)", reader.use.place)
    }
    for ends in [writers, readers] {
      for (number, end) in ends.enumerated() {
        guard let role = end.use.role, let rival = ends[..<number].first(where: { $0.use.role == role && $0.use.isOfSame(end.use) }) else {
          continue
        }
        add(
          end,
          "\(Self.title(rival.node)) is already \(end.redacted(role.name)) of \(shownChannel(end)), and there can be only one, \(role.advice)",
          end.use.place)
      }
    }
    for writer in writers {
      let own = readers.filter { $0.use.isOfSame(writer.use) }
      if own.isEmpty {
        let hint = elsewhere(writer, readers, "reads")
        add(writer, "none of these configurations reads \(shownChannel(writer))\(hint)", writer.use.place)
        continue
      }
      let read = own.compactMap(\.use.parts)
      guard let parts = writer.use.parts, read.count == own.count else { continue }
      let unread = parts.filter { part in !read.contains { $0.contains(part) } }
      if unread.isEmpty { continue }
      add(
        writer, "none of these configurations reads \(writer.redacted(Self.listed(unread))) of \(shownChannel(writer))",
        writer.use.partsPlace)
    }
    return doubts
  }

  private static func listed(_ parts: [String]) -> String {
    let names = parts.prefix(4).map { MarketData.shown($0) }
    return MarketData.listed(parts.count > 4 ? names + ["\(parts.count - 4) more"] : names)
  }
}
