import ArgumentParser
import StockbusControl
import StockbusPlugin
import StockbusProgram

struct Tell: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "tell",
      abstract: "Send a command to a component of a run.",
      discussion: "'\(Program.name) describe PLUGIN' lists the commands of a plugin.\n\n  \(Program.name) tell ticks raise AAPL 10")
  }

  @OptionGroup var choice: RunChoice

  @Argument(help: "The component.")
  var component: String

  @Argument(parsing: .captureForPassthrough, help: "The command and its words.")
  var words: [String] = []

  func validate() throws { if words.isEmpty { throw ValidationError("write a command for \(shown(component))") } }

  func run() async throws {
    let (client, _) = try await choice.find(changes: true)
    let (id, command) = (component, words.joined(separator: " "))
    let reply = try await ControlClient.answer { () throws(ControlClient.Failure) in try await client.tell(id, command) }
    let text = ReplyText(reply, from: nil)
    try StandardOutput.write((PageWidth.ofTerminal == nil ? text.lines : text.columns).joined(separator: "\n"))
  }
}
