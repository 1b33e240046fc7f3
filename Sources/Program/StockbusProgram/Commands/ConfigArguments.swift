import ArgumentParser
import LibC
import StockbusConfig
import StockbusPlugin

/// The arguments for configuration files, which several commands share.
struct ConfigArguments: ParsableArguments {
  @Argument(
    help: "Configuration files, or folders of *.yaml; together they are one configuration.", completion: .file(extensions: ["yaml", "yml"]))
  var configs: [String] = [ConfigLoader.usual]

  /// True if no configuration is named and there is none in this folder.
  var isAbsent: Bool { configs == [ConfigLoader.usual] && access(ConfigLoader.usual, F_OK) != 0 }

  /// The checked topology. If there are problems, prints all of them and the consequence, and exits with status 78; in a folder without a
  /// configuration it also prints how to begin.
  ///
  /// - Parameter other: the configuration to use where there is none.
  func topology(
    _ consequence: String = "", looksAtFiles: Bool = true, outerFiles: [RunFiles.Reader] = [], otherwise other: String? = nil
  ) throws -> Topology {
    do throws(Problems) {
      let config =
        if let other, isAbsent { ConfigLoader().load(text: other, file: "made up") } else { ConfigLoader().load(paths: configs) }
      let topology = try Program.current.topology(config, looksAtFiles: looksAtFiles, outerFiles: outerFiles)
      for warning in topology.warnings { StandardError.write(warning) }
      return topology
    } catch {
      StandardError.write(Self.report(error, consequence))
      if isAbsent { StandardError.write(FirstSteps.hint) }
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
