import ArgumentParser
import StockbusHistory
import StockbusPlugin
import StockbusProgram
import StockbusRuntime

struct HistoryBackup: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Copy the present state to a new file, also beside the run that writes it.",
    discussion: "The copy is checked, and is at its place only when it is whole. A file that is there is not replaced.")

  @Argument(help: "The new file.", completion: .file())
  var target: String

  @OptionGroup var history: HistoryFileArgument

  func run() throws {
    LongCommand.prepare()
    let size = try HistoryMistake.reporting { try HistoryReader(history.file).backUp(to: target) }
    try StandardOutput.write("\(visible(target, limit: 300)): \(Ledger.grouped(size)) bytes")
  }
}
