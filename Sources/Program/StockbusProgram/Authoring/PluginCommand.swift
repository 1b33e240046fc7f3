import ArgumentParser
import StockbusConfig
import StockbusLoading
import StockbusPlugin

/// `stockbus plugin`: from an empty folder to a plugin that runs.
struct PluginCommand: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "plugin", abstract: "Write, test, check and install plugins.",
      discussion: """
          \(Program.name) plugin new big_trades --kind processor --home process
          cd big_trades
          \(Program.name) plugin test
          \(Program.name) plugin check
          \(Program.name) run
        """,
      subcommands: [
        PluginNew.self, PluginTest.self, PluginCheck.self, PluginBuild.self, PluginList.self, PluginInstall.self, PluginRemove.self,
      ])
  }
}

/// The folder of a plugin, which most subcommands have.
struct PluginFolderArgument: ParsableArguments {
  @Argument(help: "The plugin's folder.", completion: .directory)
  var folder = "."

  /// The plugin's manifest. If it has problems, prints them and exits with status 78.
  func manifest() throws -> PluginManifest {
    do throws(Problems) { return try PluginManifest.read(folder) } catch {
      StandardError.write(ConfigArguments.report(error, ""))
      throw ExitStatus.config
    }
  }
}
