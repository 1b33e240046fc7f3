internal import StockbusPlugin

extension TopologyChecker {
  /// Blueprint and assembly of the stand-in for a component with `isolation: process`; for other components the given ones. Nil if it
  /// cannot be isolated, which is reported.
  mutating func isolated(
    _ component: ComponentDescription, _ plugin: Plugin, _ blueprint: Blueprint, _ assembly: Blueprint.Assembly, _ options: ConfigNode
  ) throws(Problems) -> (Blueprint, Blueprint.Assembly)? {
    guard let node = component.isolation else { return (blueprint, assembly) }
    let process: ConfigNode
    switch node.value {
    case .scalar("none"): return (blueprint, assembly)
    case .scalar("process"): process = ConfigNode(.map([]), at: node.mark)
    case .map: process = node
    case .scalar, .list:
      config.report(
        "\(component.title): 'isolation' must be process, none, or a mapping of the process's options, got \(node.kind)", at: node.mark)
      return nil
    }
    guard let isolation = catalogue.isolation else {
      config.report("\(component.title) cannot run in its own process: this program cannot start processes", at: node.mark)
      return nil
    }
    if let obstacle = obstacle(plugin, blueprint, assembly) {
      config.report("\(component.title) cannot run in its own process: \(obstacle)", at: node.mark)
      return nil
    }
    do throws(Problems) { _ = try isolation.options.decode(process, at: process.mark) } catch {
      add(error.redacted(process), "\(component.title): isolation")
      return nil
    }
    return try isolation.stand(
      for: plugin, blueprint, assembly, options: options, at: component.idMark, process: process, runtime: config.description.runtime,
      in: catalogue)
  }

  private func obstacle(_ plugin: Plugin, _ blueprint: Blueprint, _ assembly: Blueprint.Assembly) -> String? {
    if let obstacle = blueprint.obstacleToIsolation { return "\(plugin.name) \(obstacle)" }
    if !plugin.parts.isEmpty { return "the output of \(plugin.name) has parts" }
    if assembly.files.contains(where: { $0.use.isStandardStream }) { return "it uses the standard streams of this process" }
    let description = config.description
    if !description.instruments.isEmpty || !description.calendars.isEmpty || description.history != nil {
      return "it would not have the 'instruments', 'calendars' and 'history' of this configuration"
    }
    return nil
  }
}
