import ArgumentParser
import StockbusConfig
import StockbusPlugin

/// The configuration files that several commands take.
struct ConfigArguments: ParsableArguments {
  @Argument(help: "Configuration files, or folders of *.yaml, together one configuration.", completion: .file(extensions: ["yaml", "yml"]))
  var configs: [String] = ["plugins.yaml"]

  /// The checked topology; prints every problem and exits with 78 where there is one.
  func topology() throws -> Topology {
    do throws(Problems) { return try Topology.check(ConfigLoader().load(paths: configs), catalogue: builtIn) } catch {
      let problems = error.sorted
      for problem in problems { StandardError.write("\(problem)") }
      StandardError.write(problems.count == 1 ? "1 problem; nothing was started" : "\(problems.count) problems; nothing was started")
      throw ExitStatus.config
    }
  }
}
