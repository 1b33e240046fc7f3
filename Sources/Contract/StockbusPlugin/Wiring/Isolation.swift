internal import EventBus

/// Runs components in processes of their own: what a program that can start processes gives to its catalogue.
package struct Isolation: Sendable {
  /// The options of a mapping at `isolation`.
  package let options: any Options.Type
  private let make: @Sendable (Hosted) -> Blueprint

  /// What another process is to do.
  package struct Hosted: Sendable {
    package let plugin: Plugin
    package let blueprint: Blueprint
    /// The columns of its output.
    package let columns: ColumnLayout
    /// The mapping at `isolation`.
    package let process: ConfigNode
    /// The mapping at `runtime`.
    package let runtime: ConfigNode?
    /// The folders of other loaded plugins whose event types it takes or emits.
    package let bundles: [String]
  }

  /// - Parameter make: the component that stands in for the one in the other process. It has the other one's options.
  package init(options: any Options.Type, _ make: @escaping @Sendable (Hosted) -> Blueprint) {
    self.options = options
    self.make = make
  }

  /// What stands in for a component of `plugin`, whose own assembly is `assembly`.
  package func stand(
    for plugin: Plugin, _ blueprint: Blueprint, _ assembly: Blueprint.Assembly, options node: ConfigNode, at mark: ConfigNode.Mark,
    process: ConfigNode, runtime: ConfigNode?, in catalogue: Catalogue
  ) throws(Problems) -> (blueprint: Blueprint, assembly: Blueprint.Assembly) {
    // A type that an option names may be another plugin's.
    let types = blueprint.inputs + (plugin.typeOption == nil ? [] : [blueprint.output].compactMap(\.self))
    let bundles = catalogue.plugins.filter { other in
      other.name != plugin.name && other.eventTypes.contains { type in types.contains { $0 == type } }
    }.compactMap(\.bundle)
    let hosted = Hosted(
      plugin: plugin, blueprint: blueprint, columns: assembly.columns, process: process, runtime: runtime, bundles: bundles)
    let stand = make(hosted).presenting(blueprint.commands)
    return (stand, try stand.assembly(node, at: mark, reading: assembly.reads).presenting(assembly))
  }
}

/// A component that needs something of the very process of the run, and cannot work in one of its own.
package protocol BoundComponent: Component {
  /// Why, as the end of a sentence that begins with the plugin's name.
  static var bond: String { get }
}

/// A component that passes all commands on to one elsewhere, which knows what it takes.
package protocol CommandRelay: CommandableComponent {
  /// True if all commands are for the one elsewhere.
  nonisolated var relaysCommands: Bool { get }
}

extension Blueprint {
  /// Why such a component cannot work in a process of its own, as the end of a sentence that begins with the plugin's name; nil if it can.
  package var obstacleToIsolation: String? {
    if let bound = component as? any BoundComponent.Type { return bound.bond }
    if component is any Source.Type, !inputs.isEmpty { return "receives and publishes independently" }
    if inputs.count > 1 { return "takes several event types" }
    if component is any LaneProcessor.Type { return "distinguishes its inputs, which another process cannot" }
    if component is any OfferingComponent.Type { return "offers doors, which do not work across processes" }
    if isTimed { return "depends on the run's time, which another process does not get" }
    return nil
  }
}
