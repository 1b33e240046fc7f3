import ArgumentParser
import StockbusControl
import StockbusProgram

struct Stop: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stop",
    abstract: "Stop a run gracefully, and show how it ended.",
    discussion: "Sources end, everything else drains, and the ledger is printed. Exits with the status of the run.", aliases: ["drain"])

  @OptionGroup var choice: RunChoice

  func run() async throws {
    let (client, _) = try await choice.find(changes: true)
    let report = try await ControlClient.answer { () throws(ControlClient.Failure) in try await client.stop() }
    try StandardOutput.write(report.text)
    if report.status != 0 { throw ExitCode(Int32(clamping: report.status)) }
  }
}
