import ArgumentParser
import StockbusHistory
import StockbusPlugin
import StockbusProgram
import StockbusRuntime

struct HistoryBackup: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Copy the present state to a new file, even while a run writes the history.",
    discussion: "The copy is checked, and gets its name only when it is complete. An existing file is not replaced.")

  @Argument(help: "The new file.", completion: .file())
  var target: String

  @OptionGroup var history: HistoryFileArgument

  func run() throws {
    LongCommand.prepare()
    let size = try HistoryMistake.reporting { try HistoryReader(history.file).backUp(to: target) }
    try StandardOutput.write("\(visible(target, limit: 300)): \(Ledger.grouped(size)) bytes")
  }
}
