internal import StockbusPlugin

extension TopologyChecker {
  /// An input's own options. If they are wrong, all problems are reported and the defaults returned.
  mutating func edgeSettings(_ input: InputDescription, of component: ComponentDescription) -> EdgeSettings {
    decode(EdgeSettings.self, input.edge, "\(component.title): input \(input.shownID)") ?? EdgeSettings()
  }

  /// Every input as the index of the component that it names. Inputs that name no component, or a sink that emits nothing, are reported and
  /// left out.
  mutating func resolveInputs() -> [[Int]] {
    components.map { component in
      component.inputs.compactMap { input -> Int? in
        if RunTopic(rawValue: input.from) != nil { return nil }
        guard let upstream = places[input.from] else {
          reportUnknown(input, of: component)
          return nil
        }
        if components[upstream].id == component.id {
          config.report("\(component.title) cannot be its own input", at: input.mark)
          return nil
        }
        if emitsNothing(components[upstream]) {
          config.report("\(component.title): its input \(shown(input.from)) is a sink, which emits nothing", at: input.mark)
          return nil
        }
        return upstream
      }
    }
  }

  /// The plugin counts more than the section, because the component may be in the wrong one.
  func emitsNothing(_ component: ComponentDescription) -> Bool {
    catalogue[component.plugin].map { $0.emits.isEmpty && $0.kind == .sink } ?? (component.section == .sink)
  }

  private mutating func reportUnknown(_ input: InputDescription, of component: ComponentDescription) {
    if config.isIncomplete || config.rejected.contains(input.from) { return }
    let hint: String
    if let near = affordableSuggestion(for: input.from, among: readable), near != component.id {
      hint = "; did you mean \(shown(near))?"
      excused.insert(near)
    } else {
      hint = choices(for: component)
      lacksInputs = true
    }
    config.report("\(component.title): unknown input \(input.shownID)\(hint)", at: input.mark)
  }

  /// The names that an input may have, in order.
  func readableNames() -> [String] {
    let emitting = components.filter { !emitsNothing($0) }
    let names = emitting.flatMap { [$0.id] + OutputParts.names(of: $0, catalogue) } + RunTopic.allCases.map(\.rawValue)
    return Set(names).sorted()
  }

  mutating func affordableSuggestion(for word: String, among names: [String]) -> String? {
    guard comparisons > 0 else { return nil }
    comparisons -= names.count
    return suggestion(for: word, among: names)
  }

  /// `; there are a, b, c and 12 more`.
  private func choices(for component: ComponentDescription) -> String {
    let count = readable.count - RunTopic.allCases.count - (emitsNothing(component) ? 0 : 1)
    if count == 0 { return "; there is no other component to read" }
    let most = count == 11 ? 11 : 10
    let others = readable.lazy.filter { $0 != component.id && RunTopic(rawValue: $0) == nil }
    let names = others.prefix(most).map { visible($0) }.joined(separator: ", ")
    return (count == 1 ? "; there is only " : "; there are ") + names + (count > most ? " and \(count - most) more" : "")
  }

  /// Reports each cycle at the input that closes it.
  mutating func reportCycles(_ cycles: [[Int]]) {
    for cycle in cycles {
      guard let first = cycle.first.map({ components[$0] }), let last = cycle.last.map({ components[$0] }) else { continue }
      let mark = first.inputs.first { $0.from == last.id }?.mark ?? first.idMark
      func names(_ part: some Sequence<Int>) -> [String] { part.map { visible(components[$0].id) } }
      let names = cycle.count > 10 ? names(cycle.prefix(5)) + ["… (\(cycle.count - 9) more)"] + names(cycle.suffix(4)) : names(cycle)
      let way = (names + [visible(first.id)]).joined(separator: " → ")
      config.report("\(first.title): its input \(shown(last.id)) closes a cycle: \(way)", at: mark)
    }
  }

  /// An edge that leads away from a component.
  struct Reader {
    let component: ComponentDescription
    let input: InputDescription
    let edge: EdgeSettings
  }

  /// The edges that lead away from each component.
  func readersOfEach() -> [[Reader]] {
    var readers = [[Reader]](repeating: [], count: components.count)
    for (component, own) in zip(components, edges) {
      for (input, edge) in zip(component.inputs, own) {
        if let upstream = places[input.from] { readers[upstream].append(Reader(component: component, input: input, edge: edge)) }
      }
    }
    return readers
  }

  /// Adds a warning if a blocking reader asks for more capacity than the output has. All blocking readers share one ring, so more events
  /// than their own options say may wait for the others too. No numbers are shown, as they may be from variables.
  mutating func warnOfEnlarging(of id: String, capacity: Int, by readers: [Reader]) {
    func size(_ capacity: Int) -> Int { capacity < 2 ? 2 : 1 << (Int.bitWidth - (capacity - 1).leadingZeroBitCount) }
    func asked(_ reader: Reader) -> Int { max(size(reader.edge.capacity ?? 0), size(capacity)) }
    let waiting = readers.filter { $0.edge.overflow == .block }
    guard let largest = waiting.max(by: { asked($0) < asked($1) }), asked(largest) > size(capacity) else { return }
    let others = waiting.filter { asked($0) < asked(largest) }
    guard let other = others.first, case .map(let entries) = largest.input.edge?.value else { return }
    let names = shown(other.component.id) + (others.count > 1 ? " and \(others.count - 1) more share" : " shares")
    let mark = entries.first { $0.key == "capacity" }?.mark ?? largest.input.mark
    doubts.append(
      "\(mark.place): warning: \(largest.component.title): input \(largest.input.shownID): 'capacity' enlarges the ring of \(shown(id)), "
        + "which \(names); if that is intended, write it as the 'output' of \(shown(id))")
  }

  /// Checks that every output has a reader, unless a sink emits it. Skipped if an input that could not be understood may be that reader.
  mutating func checkReaders() {
    if mayBeUnread || lacksInputs || components.contains(where: { !$0.hasAllInputs }) { return }
    let read = excused.union(components.flatMap { $0.inputs.map(\.from) })
    for component in components where component.section != .sink && !emitsNothing(component) && !read.contains(component.id) {
      config.report(
        "\(component.title): nothing reads it; name it in the 'inputs' of a processor or sink, or remove it", at: component.idMark)
    }
  }
}
