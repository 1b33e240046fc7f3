import ArgumentParser
import LibC
import MarketData
import StockbusConfig
import StockbusPlugin
import StockbusRuntime

/// `stockbus memory`: what a run has left for the next one.
struct MemoryCommand: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "memory",
      abstract: "Show or forget what a stopped run has left for the next one.",
      discussion: """
        A configuration with 'runtime: { memory: FILE }' keeps what its components remember, such as positions in files, averages and rules that
        have fired, and the next run goes on from there.

          \(Program.name) memory show
          \(Program.name) memory show desk
          \(Program.name) memory forget desk
          \(Program.name) memory forget
        """,
      subcommands: [MemoryShow.self, MemoryForget.self], defaultSubcommand: MemoryShow.self)
  }
}

/// The file, which both subcommands have.
struct MemoryFileArgument: ParsableArguments {
  @ArgumentParser.Option(
    name: .customLong("file"), help: "The memory; by default that of plugins.yaml in this folder.", completion: .file())
  var given: String?

  func file() throws -> String {
    if let given { return given }
    if let named = Self.named { return named }
    throw ValidationError("there is no \(ConfigLoader.usual) with 'runtime: { memory: FILE }' in this folder: name the file, --file FILE")
  }

  /// The file that plugins.yaml names.
  private static var named: String? {
    if access(ConfigLoader.usual, F_OK) != 0 { return nil }
    return ConfigLoader().load(paths: [ConfigLoader.usual]).description.runtime?.word("memory")
  }
}

extension RunMemory {
  /// The components with these names; all without a name. Throws if there is none of a name.
  fileprivate func components(named names: [String], in file: String) throws -> [Component] {
    for name in names where !components.contains(where: { $0.id == name }) {
      let ids = components.map(\.id)
      throw ValidationError(
        "\(file) has nothing of \(shown(name, limit: 200))"
          + didYouMean(name, among: ids, otherwise: ids.isEmpty ? "; it is empty" : "; it has " + ids.joined(separator: ", ")))
    }
    return names.isEmpty ? components : components.filter { names.contains($0.id) }
  }
}

/// Prints the failure, and exits with status 1.
private func end(_ failure: MemoryFile.Failure) -> ExitCode {
  StandardError.write("Error: \(failure)")
  return .failure
}

struct MemoryShow: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show what is remembered: a table, or the values of one component as JSON lines.")

  @Argument(help: "The component whose values are shown.")
  var component: String?

  @OptionGroup var file: MemoryFileArgument

  func run() throws {
    let path = try file.file()
    let memory: RunMemory
    do throws(MemoryFile.Failure) { memory = try MemoryFile.read(path) } catch { throw end(error) }
    guard let time = memory.time else { return try StandardOutput.write("\(path): there is no memory of an earlier run") }
    let components = try memory.components(named: component.map { [$0] } ?? [], in: path)
    if component != nil {
      for entry in components.flatMap(\.entries) {
        let value = MemoryFile.json(entry.value).map { String(decoding: $0, as: UTF8.self) } ?? "null"
        try StandardOutput.write("{\"name\":\(JSONValue.string(entry.name)),\"version\":\(entry.version),\"value\":\(value)}")
      }
      return
    }
    let rows = components.flatMap { component in
      component.entries.map { entry in
        [
          component.id, component.plugin, entry.name, entry.isKept ? "with any options" : "with the same options",
          "\(MemoryFile.json(entry.value)?.count ?? 0)",
        ]
      }
    }
    let table = TextTable(rows: [["COMPONENT", "PLUGIN", "VALUE", "KEPT", "BYTES"]] + rows)
    try StandardOutput.write((["\(path): left at \(time)"] + table.lines(width: PageWidth.ofTerminal)).joined(separator: "\n"))
  }
}

struct MemoryForget: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "forget",
    abstract: "Forget what is remembered of some components, or everything: they begin anew.",
    discussion: "The file that is replaced stays beside the new one, as FILE.previous. A run that uses the file has to be stopped first.")

  @Argument(help: "The components to forget; all if none is named.")
  var components: [String] = []

  @OptionGroup var file: MemoryFileArgument

  func run() throws {
    let path = try file.file()
    do {
      let keeper = try MemoryKeeper(path, forgetsAll: components.isEmpty)
      let names = try keeper.memory.components(named: components, in: path).map(\.id)
      if components.isEmpty { try keeper.forget() } else { _ = try keeper.keep(keeper.memory.without(names)) }
      try StandardOutput.write("\(path): forgotten: \(components.isEmpty ? "everything" : names.joined(separator: ", "))")
    } catch let failure as MemoryFile.Failure { throw end(failure) }
  }
}
