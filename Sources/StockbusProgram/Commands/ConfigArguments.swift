import ArgumentParser
import StockbusConfig
import StockbusPlugin

/// The arguments for configuration files, which several commands share.
struct ConfigArguments: ParsableArguments {
  @Argument(help: "Configuration files, or folders of *.yaml, together one configuration.", completion: .file(extensions: ["yaml", "yml"]))
  var configs: [String] = ["plugins.yaml"]

  /// The checked topology. If there are problems, prints all of them and the consequence, and exits with status 78.
  func topology(_ consequence: String = "", looksAtFiles: Bool = true, outerFiles: [RunFiles.Reader] = []) throws -> Topology {
    do throws(Problems) {
      let topology = try Program.current.topology(
        ConfigLoader().load(paths: configs), looksAtFiles: looksAtFiles, outerFiles: outerFiles)
      for warning in topology.warnings { StandardError.write(warning) }
      return topology
    } catch {
      StandardError.write(Self.report(error, consequence))
      throw ExitStatus.config
    }
  }

  /// One line per problem, and their number.
  static func report(_ problems: Problems, _ consequence: String) -> String {
    let lines = problems.sorted.map(\.description)
    return (lines + [(lines.count == 1 ? "1 problem" : "\(lines.count) problems") + consequence]).joined(separator: "\n")
  }
}
