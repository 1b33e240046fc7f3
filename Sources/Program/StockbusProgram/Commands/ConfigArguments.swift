import ArgumentParser
import StockbusConfig
import StockbusPlugin

/// The arguments for configuration files, which several commands share.
struct ConfigArguments: ParsableArguments {
  @Argument(
    help: "Configuration files, or folders of *.yaml; together they are one configuration.", completion: .file(extensions: ["yaml", "yml"]))
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

  static var separateHelp: ArgumentHelp { "Treat each file or folder as the configuration of a separate run." }

  /// The checked topologies of configurations for several runs, also checked against each other. Problems as for one; problems between them
  /// are reported only if each of them has none.
  func topologies(looksAtFiles: Bool = true) throws -> [Topology] {
    var problems = Problems()
    var topologies: [Topology] = []
    for path in configs {
      do throws(Problems) {
        topologies.append(try Program.current.topology(ConfigLoader().load(paths: [path]), looksAtFiles: looksAtFiles))
      } catch { problems.add(error) }
    }
    let check = OriginCheck(topologies)
    if problems.isEmpty { problems = check.problems }
    guard problems.isEmpty else {
      StandardError.write(Self.report(problems, ""))
      throw ExitStatus.config
    }
    for warning in topologies.flatMap(\.warnings) + check.doubts { StandardError.write(warning) }
    return topologies
  }

  /// One line per problem, and their number.
  static func report(_ problems: Problems, _ consequence: String) -> String {
    let lines = problems.sorted.map(\.description)
    return (lines + [(lines.count == 1 ? "1 problem" : "\(lines.count) problems") + consequence]).joined(separator: "\n")
  }
}
