internal import EventBus

/// Errors in a list of plugins: one sentence each, without a full stop. Only the program's author can correct them.
package struct CatalogueError: Error, Hashable, CustomStringConvertible {
  package let faults: [String]

  package var description: String { faults.joined(separator: "\n") }

  /// Plugins without a blueprint, and event types with one name. Creates the blueprints of these plugins.
  static func faults(inside plugins: [Plugin]) -> [String] {
    plugins.filter(\.isEmpty).map { "plugin '\($0.name)' has no blueprint" } + doubledTypes(plugins.filter { !$0.isEmpty })
  }

  static func doubledNames(_ plugins: [Plugin]) -> [String] {
    var first: [String: Plugin] = [:]
    return plugins.compactMap { plugin in
      guard let other = first[plugin.name] else {
        first[plugin.name] = plugin
        return nil
      }
      if other.isEmpty || plugin.isEmpty { return "two plugins have the name '\(plugin.name)', and one of them has no blueprint" }
      if other.component == plugin.component { return "plugin '\(plugin.name)' (\(plugin.component)) is listed twice" }
      return "two plugins have the name '\(plugin.name)': those of \(other.component) and \(plugin.component)"
    }
  }

  /// Event types that share a name: events of two types never fit each other, whatever their names.
  private static func doubledTypes(_ plugins: [Plugin]) -> [String] {
    var first: [String: any Event.Type] = Dictionary(RunTopic.allCases.map { ($0.eventType.eventName, $0.eventType) }) { first, _ in first }
    var reported: Set<ObjectIdentifier> = []
    return plugins.flatMap(\.eventTypes).compactMap { type in
      guard let other = first[type.eventName] else {
        first[type.eventName] = type
        return nil
      }
      guard other != type, reported.insert(ObjectIdentifier(type)).inserted else { return nil }
      return "two event types have the name '\(type.eventName)': \(String(reflecting: other)) and \(String(reflecting: type))"
    }
  }
}
