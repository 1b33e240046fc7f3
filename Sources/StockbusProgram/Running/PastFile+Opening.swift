internal import StockbusConfig
internal import StockbusPlugin

extension Program {
  /// Checks a configuration with what this program has: its plugins, and what it can say about histories.
  func topology(
    _ config: LoadedConfig, looksAtFiles: Bool = true, outerFiles: [RunFiles.Reader] = []
  ) throws(Problems) -> Topology {
    // Only of the plugins that are named: making the blueprints of all of them takes 10 ms.
    let faults = catalogue.faults(of: Set(config.description.components.map(\.plugin)))
    if !faults.isEmpty {
      var problems = config.problems
      let mark = ConfigNode.Mark(file: config.files.first ?? name, line: 1, column: 1)
      for fault in faults { problems.add(fault, at: mark) }
      throw problems
    }
    return try Topology.check(
      config, catalogue: catalogue, looksAtFiles: looksAtFiles, outerFiles: outerFiles,
      historyFault: (pastReader ?? .none).fault)
  }

  /// What the file under `history` knows now. If it cannot be read, prints why and exits with status 78.
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
