import ArgumentParser
import StockbusControl
import StockbusPlugin
import StockbusProgram
import StockbusRuntime
import StockbusText

struct Why: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "why",
      abstract: "Show how a run processes a symbol: which components pass it, which drop it, and by which setting.",
      discussion: """
        Watches the events of the symbol for a moment, and asks every component. It never slows down the run.

          \(Program.name) why AAPL
          \(Program.name) why BTC-USD --for 10s --json
        """)
  }

  @Flag(help: "As JSON, for programs.")
  var json = false

  @ArgumentParser.Option(name: .customLong("for"), help: ArgumentHelp("How long to watch, up to 60s.", valueName: "time"))
  var duration = "2s"

  @OptionGroup var choice: RunChoice

  @Argument(help: "The symbol.")
  var symbol: String

  func validate() throws {
    if WatchTime.why.read(duration) == nil { throw ValidationError("--for \(WatchTime.why.usage)") }
  }

  func run() async throws {
    let (client, _) = try await choice.find()
    let report = try await ControlClient.answer { () throws(ControlClient.Failure) in try await client.why(symbol, for: duration) }
    try StandardOutput.write(
      json ? JSONDocument.text(report, isPretty: true) : SymbolText(report: report).lines.joined(separator: "\n"))
  }
}
