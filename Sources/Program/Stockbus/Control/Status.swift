import ArgumentParser
import StockbusControl
import StockbusProgram
import StockbusText

struct Status: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show the status of a run: its components, and how many events they processed.",
    discussion: "Exits with 1 if the run is not ready.")

  @Flag(help: "As JSON, for programs.")
  var json = false

  @OptionGroup var choice: RunChoice

  func run() async throws {
    let (_, status) = try await choice.find()
    try StandardOutput.write(
      json ? JSONDocument.text(status, isPretty: true) : StatusText(status: status).lines.joined(separator: "\n"))
    if !status.reasons.isEmpty { throw ExitCode.failure }
  }
}
