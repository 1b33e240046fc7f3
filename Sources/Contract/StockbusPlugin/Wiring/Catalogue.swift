package import EventBus

/// The plugins that a configuration may name.
package struct Catalogue: Sendable {
  /// The plugins, in the order of their names.
  package let plugins: [Plugin]
  /// Gives components processes of their own; nil if the program cannot start processes.
  package var isolation: Isolation?
  /// True if this program can first load libraries in separate processes, to see whether they fail.
  package var probesLibraries = false

  /// Traps if two plugins have the same name.
  package init(_ plugins: [Plugin]) {
    self.plugins = plugins.sorted { $0.name < $1.name }
    precondition(Set(plugins.map(\.name)).count == plugins.count, "two plugins have the same name")
  }

  /// Throws if two plugins have the same name. Very cheap, for programs that do not need the plugins; see `faults`.
  package init(checkingNames plugins: [Plugin]) throws(CatalogueError) {
    let faults = CatalogueError.doubledNames(plugins)
    guard faults.isEmpty else { throw CatalogueError(faults: faults) }
    self.plugins = plugins.sorted { $0.name < $1.name }
  }

  /// Throws all errors in the list.
  package init(checking plugins: [Plugin]) throws(CatalogueError) {
    try self.init(checkingNames: plugins)
    let faults = faults()
    guard faults.isEmpty else { throw CatalogueError(faults: faults) }
  }

  /// Errors in these plugins apart from their names: two event types with one name, a plugin without a blueprint. Nil checks all plugins.
  package func faults(of names: Set<String>? = nil) -> [String] {
    CatalogueError.faults(inside: names.map { names in plugins.filter { names.contains($0.name) } } ?? plugins)
  }

  /// The event types of the run's topics and those that the catalogue's plugins bring along: all that a configuration may name; ordered by
  /// name, without duplicates.
  package var events: [any Event.Type] {
    let types = RunTopic.allCases.map(\.eventType) + plugins.flatMap(\.eventTypes)
    return Dictionary(types.map { ($0.eventName, $0) }) { first, _ in first }.sorted { $0.key < $1.key }.map(\.value)
  }

  /// The plugin with this name, which may be a part of another plugin's output, `NAME.part`. Its options may name all event types here.
  package subscript(name: String) -> Plugin? {
    if let plugin = plugins.first(where: { $0.name == name }) { return plugin.knowing { events } }
    return plugins.lazy.flatMap(\.parts).first { $0.name == name }
  }
}
