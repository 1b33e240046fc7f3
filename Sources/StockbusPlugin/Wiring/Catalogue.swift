package import EventBus

/// The plugins that a configuration may name.
package struct Catalogue: Sendable {
  /// In the order of their names.
  package let plugins: [Plugin]

  /// Traps if two plugins have the same name.
  package init(_ plugins: [Plugin]) {
    self.plugins = plugins.sorted { $0.name < $1.name }
    precondition(Set(plugins.map(\.name)).count == plugins.count, "two plugins have one name")
  }

  /// The event types that its plugins take and emit, and those of the run's topics; ordered by name, without duplicates.
  package var events: [any Event.Type] {
    let types = RunTopic.allCases.map(\.eventType) + plugins.flatMap(\.eventTypes)
    return Dictionary(types.map { ($0.eventName, $0) }) { first, _ in first }.sorted { $0.key < $1.key }.map(\.value)
  }

  /// The plugin with this name; also one for a part of another one's output, `NAME.part`.
  package subscript(name: String) -> Plugin? {
    if let plugin = plugins.first(where: { $0.name == name }) { return plugin }
    return plugins.lazy.flatMap(\.parts).first { $0.name == name }
  }
}
