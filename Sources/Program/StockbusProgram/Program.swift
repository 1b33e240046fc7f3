package import ArgumentParser
internal import CVersion
internal import LibC
internal import StockbusConfig
internal import StockbusFiles
internal import StockbusLoading
public import StockbusPlugin

/// Runs the whole program with these plugins, from its arguments to its exit status, and ends the process: run, watch, open, print,
/// list, describe, validate, graph, schema and instruments. It needs no network and no database; the module `Stockbus` has a `main` with
/// everything.
///
/// ```swift
/// @main struct Mine { static func main() async { await StockbusProgram.main(plugins: [.generator, .sortingFeed, .bigTrades]) } }
/// ```
///
/// Two plugins with one name are reported on standard error before anything else, and the status is 70 (EX_SOFTWARE of sysexits.h), as no
/// configuration is to blame. Two event types with one name are reported by `list`, `describe` and `schema` in the same way, and by
/// commands that read a configuration as a problem of a configuration that uses both.
///
/// - Parameters:
///   - plugins: the plugins that a configuration may name, in any order.
///   - name: the program's name in its texts; by default the name of its executable.
///   - version: the program's own version, for `--version`, which also prints the version of stockbus.
public func main(plugins: [Plugin], name: String? = nil, version: String? = nil) async {
  await Program.main(plugins, name: name, version: version, parts: [])
}

/// The running program: its name, its plugins, and its parts.
///
/// ArgumentParser asks the types of commands for their descriptions, so these find the program in a task-local value. Code that may run on
/// a separate thread, or in an unrelated task, gets the program, or the needed parts of it, beforehand.
package struct Program: Sendable {
  /// The name in texts, such as `See 'stockbus --help'`.
  package let name: String
  /// The author's own; nil if there is none.
  package let version: String?
  package let catalogue: Catalogue
  let parts: [ProgramPart]
  /// The folder of the plugins that the user has installed; nil where there is none.
  let userPlugins: String?

  package init(name: String, version: String? = nil, catalogue: Catalogue, parts: [ProgramPart] = [], userPlugins: String? = nil) {
    self.userPlugins = userPlugins
    self.name = name
    self.version = version
    self.catalogue = catalogue
    self.parts = parts
  }

  @TaskLocal package static var current = Program(name: Version.stockbus, catalogue: Catalogue([]))
  package static var name: String { current.name }
  static var catalogue: Catalogue { current.catalogue }

  /// The catalogue for commands that use all plugins. If a plugin is faulty, prints the fault and exits with status 70.
  static func wholeCatalogue() throws -> Catalogue {
    let (catalogue, warnings) = catalogue.adding(PluginFolders([current.userPlugins.map { .init(path: $0, mark: nil) }].compactMap(\.self)))
    for warning in warnings { StandardError.write("warning: \(warning)") }
    let faults = catalogue.faults()
    if faults.isEmpty { return catalogue }
    StandardError.write(faults.map { "\(name): \($0)" }.joined(separator: "\n"))
    throw ExitStatus.software
  }

  /// Runs the program from its arguments to its exit status.
  package static func main(
    _ plugins: [Plugin], name: String?, version: String?, parts: [ProgramPart], isolation: Isolation? = nil
  ) async -> Never {
    let name = name ?? ownName()
    var catalogue: Catalogue
    do throws(CatalogueError) { catalogue = try Catalogue(checkingNames: plugins) } catch {
      StandardError.write(error.faults.map { "\(name): \($0)" }.joined(separator: "\n"))
      exit(ExitStatus.software.rawValue)
    }
    catalogue.isolation = isolation
    catalogue.probesLibraries = true
    let program = Program(
      name: name, version: version, catalogue: catalogue, parts: parts, userPlugins: PluginFolders.own(ConfigLoader.processEnvironment))
    // Not on the main actor: a library that is loaded later may bring Foundation, which takes over the main queue when it is loaded, and serves it
    // only in a run loop.
    await Task.detached {
      await $current.withValue(program) { await RootCommand.main() }
      exit(EXIT_SUCCESS)
    }.value
    exit(EXIT_SUCCESS)
  }

  /// The last part of the path with which the process was started.
  static func ownName(_ path: String? = CommandLine.arguments.first) -> String {
    path?.split(separator: "/").last.map(String.init) ?? Version.stockbus
  }

  /// The commands in the order of the help.
  var commands: [any ParsableCommand.Type] { commandGroups.flatMap(\.subcommands) }

  /// The commands by topic: its own, then those of its parts.
  var commandGroups: [CommandGroup] {
    CommandTopic.allCases.map { topic in
      CommandGroup(name: topic.rawValue, subcommands: own(topic) + parts.filter { $0.topic == topic }.flatMap(\.commands))
    }.filter { !$0.subcommands.isEmpty }
  }

  private func own(_ topic: CommandTopic) -> [any ParsableCommand.Type] {
    // Recordings are read by the plugin that replays them.
    let replaying: [any ParsableCommand.Type] = catalogue[RehearsalPlan.replay] == nil ? [] : [Rehearse.self, TestCommand.self]
    func runs<C: RunCompanion>(_: C.Type) -> [any ParsableCommand.Type] {
      let starters: [any ParsableCommand.Type] = StarterConfig.isPossible(catalogue) ? [Demo<C>.self, Init.self] : []
      return starters + [Run<C>.self, Watch<C>.self, Open<C>.self, Print.self] + replaying
    }
    return switch topic {
    case .run: runs(companion)
    case .look: [List.self, Describe.self, Validate.self, Graph.self, Schema.self, ListInstruments.self, CheckFiles.self]
    case .authors: [PluginCommand.self, ProbeLibrary.self]
    case .data: [MemoryCommand.self]
    case .ask, .people: []
    }
  }

  private var companion: any RunCompanion.Type { parts.lazy.compactMap(\.companion).first ?? NoCompanion.self }

  /// Looks at a file of rows; nil if the program has no such part.
  var fileGuess: (@Sendable (String) -> FileGuess)? { parts.lazy.compactMap(\.look).first }

  /// Reads the file under `history`; nil if the program has no such part.
  var pastReader: PastReader? { parts.lazy.compactMap(\.past).first }

  /// The bars of history files.
  var archive: BarArchive { (pastReader ?? .none).archive }
}

/// The versions.
package enum Version {
  /// The name of the program of this package.
  package static let stockbus = "stockbus"
  package static let number = "0.1.0"

  /// The output of `--version`. Of stockbus itself: `stockbus 0.1.0 (e1d6b28)`, or `stockbus 0.1.0` without a commit. Of another program:
  /// `mine 2.1 (stockbus 0.1.0)`, or `mine (stockbus 0.1.0)` without a version of its own.
  static func text(_ name: String = stockbus, _ own: String? = nil, commit: String) -> String {
    if name == stockbus, own == nil { return "\(name) \(number)" + (commit.isEmpty ? "" : " (\(commit))") }
    return ([name] + [own].compactMap(\.self)).joined(separator: " ") + " (stockbus \(number)" + (commit.isEmpty ? ")" : ", \(commit))")
  }

  /// The version of the program that is running.
  static var text: String {
    let program = Program.current
    return text(program.name, program.version, commit: String(cString: stockbus_commit()))
  }
}

/// Exit statuses other than 0, 1 and ArgumentParser's 64; from sysexits.h.
package enum ExitStatus {
  /// EX_DATAERR: a strict run has rejected an event.
  static let data: Int32 = 65
  /// EX_CONFIG: a configuration has errors.
  package static let config = ExitCode(78)
  /// EX_SOFTWARE: the program was put together wrongly.
  static let software = ExitCode(70)
}
