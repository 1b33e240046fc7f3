import ArgumentParser
import StockbusControl
import StockbusProgram
import StockbusRuntime
import StockbusText

struct ListRuns: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "ps", abstract: "List the runs of this user.")

  @Flag(help: "As JSON, for programs.")
  var json = false

  func run() async throws {
    let runs = try await PresentRuns.all()
    if json { return try StandardOutput.write(JSONDocument.text(runs.map { Entry($0) }, isPretty: true)) }
    try StandardOutput.write(Self.text(runs))
  }

  /// The entry of one run, for output to programs.
  private struct Entry: Encodable {
    let process: Int
    let status: RunStatus?
    /// Why there is no status.
    let failure: String?

    init(_ run: PresentRuns.Run) { (process, status, failure) = (run.process, run.status, run.failure) }
  }

  static func text(_ runs: [PresentRuns.Run]) -> String {
    let rows = runs.map { run in
      guard let status = run.status else { return ["\(run.process)", "?", "does not answer", "", "", ""] }
      let published = status.components.filter { $0.kind == "source" && $0.inputs.isEmpty }.reduce(0) { $0 + ($1.published ?? 0) }
      return [
        "\(run.process)", status.name,
        status.reasons.isEmpty ? status.state.rawValue : "\(status.state.rawValue), \(StatusText.readiness(status))",
        StatusText.time(status.uptime), Ledger.grouped(published), status.configuration.joined(separator: " "),
      ]
    }
    return StatusText.table([["PROCESS", "NAME", "STATE", "FOR", "EVENTS", "CONFIGURATION"]] + rows, numbers: [0, 4])
      .joined(separator: "\n")
  }
}
