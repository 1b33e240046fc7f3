import ArgumentParser
import StockbusFiles
import StockbusLoading
import StockbusPlugin
import StockbusTestKit

/// `stockbus plugin check`: whether a plugin keeps the contract.
struct PluginCheck: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "check", abstract: "Check that a plugin keeps the contract of all plugins.",
      discussion: """
        Of a process it starts the program several times, speaks the process protocol with it, and gives it the examples of its event \
        types: everything must be answered and accounted for, also when there are no events, when it is stopped in mid-stream, and when \
        another process takes over. Of a program it runs the same command of the program. With the name of a plugin of this program it \
        checks that one.

        Prints one line for each violation, and exits with 1 where there is one.
        """)
  }

  @Argument(help: "The plugin's folder, or the name of a plugin of this program.", completion: .directory)
  var plugin = "."

  @ArgumentParser.Option(
    help: ArgumentHelp("Options to check it with, as in a configuration: \"least: 5\"; by default its defaults.", valueName: "yaml"))
  var options: String?

  func run() async throws {
    ProgramSession.prepare()
    if let own = Program.catalogue[plugin] {
      return try Self.report(await checkContract(own, options: options ?? ""), plugin)
    }
    var folder = PluginFolderArgument()
    folder.folder = plugin
    let manifest = try folder.manifest()
    switch manifest.home {
    case .loaded:
      let path = plugin.hasSuffix(PluginFolders.ending) ? plugin : "\(plugin)/build/\(manifest.name)\(PluginFolders.ending)"
      let bundle: PluginBundle
      do throws(Problems) { bundle = try PluginBundle(at: absolutePath(path)) } catch {
        StandardError.write(ConfigArguments.report(error, ""))
        throw ExitStatus.config
      }
      let loaded: Plugin
      do throws(BundleFault) { loaded = try bundle.plugin(Program.catalogue) } catch {
        StandardError.write("\(path): error: \(error)")
        throw ExitCode.failure
      }
      try Self.report(await checkContract(loaded, options: options ?? ""), manifest.name)
    case .program:
      throw ToolCall(manifest.run + ["plugin", "check", manifest.name] + (options.map { ["--options", $0] } ?? []), in: plugin).become()
    case .process:
      let check = ProcessCheck(manifest: manifest, folder: plugin, catalogue: Program.catalogue)
      try Self.report(await check.violations(options), manifest.name)
    }
  }

  private static func report(_ violations: [String], _ name: String) throws {
    if violations.isEmpty { return try StandardOutput.write("\(name) keeps the contract") }
    for violation in violations { StandardError.write("\(name): \(visible(violation, limit: 2000))") }
    throw ExitCode.failure
  }
}
