import ArgumentParser
import StockbusConfig
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
        A plugin with home: process is started several times. It gets 2,000 made-up events of each of its types by the process protocol, \
        with many symbols, prices that rise, fall and jump, and sizes from small to large. It must acknowledge and account for all events, \
        also without events, when it is stopped in the middle, and when another process takes over. A loaded plugin is built first. For \
        a program, the same command of that program is run. Instead of a folder, the name of a plugin of this program can be given.

        Prints one line for each violation, and exits with 1 if there is one.
        """)
  }

  @Argument(help: "The plugin's folder, or the name of a plugin of this program.", completion: .directory)
  var plugin = "."

  @ArgumentParser.Option(
    help: ArgumentHelp(
      "The options for the check, as in a configuration: \"least: 5\"; by default the plugin's defaults.", valueName: "yaml"))
  var options: String?

  func run() async throws {
    LongCommand.prepare()
    if let own = Program.catalogue[plugin] {
      return try Self.report(await checkContract(own, options: options ?? ""), plugin)
    }
    var folder = PluginFolderArgument()
    folder.folder = plugin
    let manifest = try folder.manifest()
    switch manifest.home {
    case .loaded:
      let (loaded, declared) = try library(manifest)
      let differences = Self.differences(declared, loaded)
      try Self.report(await differences + checkContract(loaded, options: options ?? ""), manifest.name)
    case .program:
      throw ToolCall(manifest.run + ["plugin", "check", manifest.name] + (options.map { ["--options", $0] } ?? []), in: plugin).become()
    case .process:
      let given = try options.map { try Self.checked($0, manifest) }
      // Its event types may be those of installed plugins.
      let names = Set(manifest.takes + [manifest.emits].compactMap(\.self))
      let isKnown = names.isSubset(of: Program.catalogue.events.map { $0.eventName })
      let catalogue = isKnown ? Program.catalogue : try Program.wholeCatalogue()
      let check = ProcessCheck(manifest: manifest, folder: plugin, catalogue: catalogue)
      let violations = await check.violations(given)
      let unreached = violations.isEmpty ? await check.unreached(given) : []
      for sentence in unreached { StandardError.write("\(manifest.name): warning: \(visible(sentence, limit: 2000))") }
      try Self.report(violations, manifest.name)
    }
  }

  /// The options as a run passes them to the process, with the defaults of the others.
  private static func checked(_ options: String, _ manifest: PluginManifest) throws -> JSONValue {
    let file = "--options"
    var brace = 0
    do throws(Problems) {
      var document = YAMLParser.parse(Array(options.utf8), file: file)
      // Options on one line may be several, as between braces.
      if !document.problems.isEmpty, !options.contains("\n") {
        document = YAMLParser.parse(Array("{\(options)}".utf8), file: file)
        brace = 1
      }
      if !document.problems.isEmpty { throw document.problems }
      let node = try manifest.checked(document.root, at: ConfigNode.Mark(file: file, line: 1, column: 1))
      let entry = ConfigNode.Entry(key: "options", mark: node.mark, value: node)
      let read = try ProcessPluginSettings.decode(ConfigNode(.map([entry]), at: node.mark), at: node.mark)
      return .object(read.options.entries.map { JSONValue.Member($0.name, $0.value.json) })
    } catch {
      var problems = Problems()
      for problem in error.list {
        problems.add(problem.message, at: .init(file: file, line: problem.mark.line, column: problem.mark.column - brace))
      }
      StandardError.write(ConfigArguments.report(problems, ""))
      throw ExitStatus.config
    }
  }

  /// The plugin of a bundle, or of a folder, which is built first, and its description.
  private func library(_ manifest: PluginManifest) throws -> (Plugin, PluginManifest) {
    var path = plugin
    if !plugin.hasSuffix(PluginFolders.ending) {
      do throws(BundleFault) { path = try PluginBuild.library(of: manifest, in: plugin) } catch {
        StandardError.write("error: \(error)")
        throw ExitCode.failure
      }
    }
    do {
      let bundle = try PluginBundle(at: absolutePath(path))
      return (try bundle.plugin(Program.catalogue), bundle.manifest)
    } catch let fault as BundleFault {
      StandardError.write("\(path): error: \(fault)")
      throw ExitCode.failure
    } catch let problems as Problems {
      StandardError.write(ConfigArguments.report(problems, ""))
      throw ExitStatus.config
    }
  }

  /// Where a description differs from the plugin's own declaration.
  static func differences(_ manifest: PluginManifest, _ plugin: Plugin) -> [String] {
    var all: [String] = []
    func compare(_ key: String, _ said: String, _ found: String) {
      if said != found { all.append("Its \(PluginManifest.file) says '\(key): \(said)', and its code '\(key): \(found)'.") }
    }
    compare("kind", manifest.kind.rawValue, plugin.kind.rawValue)
    // A plugin that takes whatever fits has no list to compare.
    guard case .types(let types) = plugin.accepts else { return all }
    let taken = types.map { $0.eventName }.sorted()
    compare("takes", "[\(manifest.takes.sorted().joined(separator: ", "))]", "[\(taken.joined(separator: ", "))]")
    if let emitted = plugin.fixedOutput { compare("emits", manifest.emits ?? "", emitted.eventName) }
    return all
  }

  private static func report(_ violations: [String], _ name: String) throws {
    if violations.isEmpty { return try StandardOutput.write("\(name) keeps the contract") }
    for violation in violations { StandardError.write("\(name): \(visible(violation, limit: 2000))") }
    throw ExitCode.failure
  }
}
