import ArgumentParser
import StockbusConfig
import StockbusControl
import StockbusFiles
import StockbusPlugin
import StockbusProgram
import StockbusRuntime
import StockbusText

struct Plan: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plan",
    abstract: "Show what a configuration would change in a run, without changing it.",
    discussion: """
      Each component is kept, rewired (the same instance reads other inputs), replaced (an instance with the new options takes over \
      the state and the waiting events), added or removed. Without files, the run's own configuration is read again.
      """)

  @OptionGroup var choice: RunChoice
  @OptionGroup var change: ChangeArguments

  func run() async throws {
    let (client, _) = try await choice.find()
    let paths = change.paths
    try change.show(try await ControlClient.answer { () throws(ControlClient.Failure) in try await client.plan(paths) })
  }
}

struct Apply: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "apply",
    abstract: "Change a run to another configuration, without stopping it.",
    discussion: """
      The whole change is made, or none of it. Unchanged components continue with their state and connections, and no event is lost, \
      duplicated or reordered. From then on these files are the run's configuration.
      """)

  @OptionGroup var choice: RunChoice
  @OptionGroup var change: ChangeArguments

  func validate() throws {
    if change.configs.isEmpty { throw ValidationError("which configuration? '\(Program.name) reload' reads the run's own again") }
  }

  func run() async throws {
    let (client, _) = try await choice.find(changes: true)
    let paths = change.paths
    try change.show(try await ControlClient.answer { () throws(ControlClient.Failure) in try await client.apply(paths) })
  }
}

struct Reload: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "reload",
      abstract: "Change a run to the present state of its configuration, without stopping it.",
      discussion: "Like '\(Program.name) apply' with the run's own files.")
  }

  @OptionGroup var choice: RunChoice
  @OptionGroup var output: ChangeOutput

  func run() async throws {
    let (client, _) = try await choice.find(changes: true)
    try output.show(try await ControlClient.answer { () throws(ControlClient.Failure) in try await client.apply(nil) })
  }
}

/// How the outcome of a change is shown.
struct ChangeOutput: ParsableArguments {
  @Flag(help: "As JSON, for programs.")
  var json = false

  /// Prints the report. Ends the program with 78 if the configuration has problems, and with 1 if the run was not changed.
  func show(_ report: ChangeReport) throws {
    try StandardOutput.write(
      json ? JSONDocument.text(report, isPretty: true) : ChangeText(report: report).lines.joined(separator: "\n"))
    switch report.outcome {
    case .planned, .done: return
    case .invalid: throw ExitStatus.config
    case .refused: throw ExitCode.failure
    }
  }
}

struct ChangeArguments: ParsableArguments {
  @OptionGroup var output: ChangeOutput

  @Argument(
    help: "Configuration files, or folders of *.yaml; together they are one configuration.", completion: .file(extensions: ["yaml", "yml"]))
  var configs: [String] = []

  func validate() throws {
    if let path = configs.first(where: { $0.isEmpty || $0 == "-" }) {
      throw ValidationError("\(shown(path)): the run must be able to read its configuration again, so it must be in files")
    }
  }

  /// The paths as the run's process finds them; nil for its own configuration.
  var paths: [String]? { configs.isEmpty ? nil : configs.map(absolutePath) }

  func show(_ report: ChangeReport) throws { try output.show(report) }
}
