package import StockbusConfig
internal import StockbusPlugin

extension RunMemory {
  /// What a past goes on with that is played after an earlier run. Events that wait are for the run itself.
  package var forPast: RunMemory {
    RunMemory(
      time: time,
      components: components.map { component in
        component.with(component.entries.filter { !$0.name.hasPrefix(Self.waitingPrefix) })
      }, isOfEndedRun: isOfEndedRun)
  }

  /// What the components of a run go on with after a past that was played in another run: theirs from there, and of sources where their
  /// recordings have ended. What was not played stays as it was.
  ///
  /// - Parameters:
  ///   - recording: the name of the component that has read a source's recording.
  ///   - borders: the names of the values that say where a recording has ended.
  package func followed(
    by past: RunMemory, in topology: Topology, recording: (String) -> String, borders: Set<String>
  ) -> RunMemory {
    func entries(_ memory: RunMemory, _ id: String) -> [Memory.Entry] { memory.components.first { $0.id == id }?.entries ?? [] }
    let after = topology.nodes.map { node in
      let before = entries(self, node.id)
      let played = entries(past, node.id)
      let own: [Memory.Entry]
      if node.past != nil, played.contains(where: \.isEndOfPlayed) {
        let ends = (played + entries(past, recording(node.id))).filter { borders.contains($0.name) }
        own = before.filter { !borders.contains($0.name) } + ends
      } else if node.past != nil || played.isEmpty {
        own = before
      } else {
        own = played + before.filter { $0.name.hasPrefix(Self.waitingPrefix) }
      }
      let unchanged = own.count == before.count && played.isEmpty ? components.first { $0.id == node.id } : nil
      return unchanged ?? Component(id: node.id, plugin: node.plugin.name, options: node.optionsDigest, entries: own)
    }
    let others = components.filter { component in !topology.nodes.contains { $0.id == component.id } }
    return RunMemory(time: time, components: after + others, isOfEndedRun: isOfEndedRun)
  }
}

extension Memory.Entry {
  /// True if it is the end of a recording that had events.
  fileprivate var isEndOfPlayed: Bool { if case .live(let value as PastEnd) = value { !value.symbols.isEmpty } else { false } }
}

extension RunMemory.Component {
  fileprivate func with(_ entries: [Memory.Entry]) -> Self { Self(id: id, plugin: plugin, options: options, entries: entries) }
}
