internal import StockbusConfig
internal import StockbusFiles
internal import StockbusLoading
internal import StockbusPlugin

extension Program {
  /// Checks a configuration with the plugins of this program, and with its reader of histories.
  func topology(
    _ config: LoadedConfig, looksAtFiles: Bool = true, outerFiles: [RunFiles.Reader] = [], mayBeUnread: Bool = false
  ) throws(Problems) -> Topology {
    let catalogue = try catalogue.adding(pluginFolders(of: config), for: config)
    // Checks the named plugins only: making the blueprints of all of them takes 10 ms.
    let faults = catalogue.faults(of: Set(config.description.components.map(\.plugin)))
    if !faults.isEmpty {
      var problems = config.problems
      let mark = ConfigNode.Mark(file: config.files.first ?? name, line: 1, column: 1)
      for fault in faults { problems.add(fault, at: mark) }
      throw problems
    }
    return try Topology.check(
      config, catalogue: catalogue, looksAtFiles: looksAtFiles, outerFiles: outerFiles, mayBeUnread: mayBeUnread,
      historyFault: (pastReader ?? .none).fault)
  }

  /// The folders that a configuration names, and the user's own.
  private func pluginFolders(of config: LoadedConfig) -> PluginFolders {
    let named = config.description.pluginPath.compactMap { node -> PluginFolders.Place? in
      guard case .scalar(let path) = node.value else { return nil }
      return PluginFolders.Place(path: absolutePath(path), mark: node.mark)
    }
    return PluginFolders(named + [userPlugins.map { .init(path: $0, mark: nil) }].compactMap(\.self))
  }

  /// The present contents of the file under `history`. If it cannot be read, prints why and exits with status 78.
  func knownPast(of topology: Topology) throws -> PastPrices {
    guard let past = topology.past else { return PastPrices() }
    do throws(PastFault) { return try (pastReader ?? .none).read(past, topology.settings.symbolsPerSource) } catch {
      var problems = Problems()
      problems.add(past.problem(error.predicate).message, at: past.mark)
      StandardError.write(ConfigArguments.report(problems, "; nothing was started"))
      throw ExitStatus.config
    }
  }
}
