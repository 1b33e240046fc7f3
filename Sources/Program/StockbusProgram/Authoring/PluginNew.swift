import ArgumentParser
import StockbusLoading
import StockbusPlugin

/// `stockbus plugin new`: a folder to start from.
struct PluginNew: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "new", abstract: "Write a new plugin: code, a test, a configuration that runs it, a README.",
      discussion: """
        process: a process that uses the process protocol, in any language; the command writes Python, which needs no further packages. \
        program: a Swift package that depends on stockbus, with the plugin and your own program that contains it. loaded: a library in \
        Swift that runs inside this program.

          \(Program.name) plugin new big_trades --kind processor --home process
        """)
  }

  @Argument(help: "The plugin's name, such as big_trades, and the name of its folder.")
  var name: String

  @ArgumentParser.Option(help: "source, processor or sink.")
  var kind: PluginDraft.Kind

  @ArgumentParser.Option(help: "Where its code runs: process, program or loaded.")
  var home: PluginDraft.Home

  @ArgumentParser.Option(help: "The language: python for a process, swift for the others; by default chosen in this way.")
  var language: PluginDraft.Language?

  @ArgumentParser.Option(
    help: ArgumentHelp(
      "For Swift: the sources of stockbus, a folder or the address of a repository; by default the sources of this program, if it is still in their build folder.",
      valueName: "path|url"))
  var stockbus: String?

  @ArgumentParser.Option(
    name: .customLong("in"), help: ArgumentHelp("The folder in which the plugin's folder is created.", valueName: "folder"))
  var parent = "."

  func validate() throws {
    if let fault = PluginName.fault(name, taken: Program.catalogue.plugins.map(\.name)) { throw ValidationError(fault) }
    switch (home, language) {
    case (.process, .swift?):
      throw ValidationError("a process is written in Python here; in Swift write a program: --home program")
    case (.program, .python?), (.loaded, .python?):
      throw ValidationError("a \(home == .program ? "program" : "library") is in Swift; in Python write a process: --home process")
    default: break
    }
    if home == .process, stockbus != nil { throw ValidationError("--stockbus is for Swift; a process needs no sources") }
  }

  func run() throws {
    do throws(NewFolder.Failure) {
      var draft = PluginDraft(name: PluginName(snake: name), kind: kind, home: home, program: Program.name)
      if home != .process { draft.stockbus = try sources() }
      let folder = parent == "." ? name : parent + "/" + name
      try NewFolder.write(draft.files, to: folder)
      try print(Self.text(draft, folder: folder))
    } catch {
      StandardError.write("error: \(error)")
      throw ExitCode.failure
    }
  }

  private func print(_ text: String) throws(NewFolder.Failure) {
    do { try StandardOutput.write(text) } catch { throw NewFolder.Failure(description: "the folder is written; standard output is not") }
  }

  private func sources() throws(NewFolder.Failure) -> String {
    if let stockbus { return try StockbusSources.resolved(stockbus) }
    if let found = StockbusSources.ofThisProgram { return found }
    throw NewFolder.Failure(
      description: "a package needs the sources of stockbus, which are not beside this program: add --stockbus with their folder or address"
    )
  }

  /// What was written, and what to do next.
  static func text(_ draft: PluginDraft, folder: String) -> String {
    let run = draft.home == .program ? "swift run \(draft.name.snake) run" : "\(draft.program) run"
    // The tests in Swift build stockbus first, for minutes.
    let (test, check) = ("\(draft.program) plugin test", "\(draft.program) plugin check")
    let steps = draft.home == .process ? [test, check, run] : ["\(draft.program) plugin build", check, run, test]
    let files = draft.files.map(\.path)
    return (["wrote \(folder):"] + files.map { "  \($0)" } + ["next:"] + (["cd \(folder)"] + steps).map { "  \($0)" })
      .joined(separator: "\n")
  }
}

extension PluginManifest.Kind: ExpressibleByArgument {}
extension PluginManifest.Home: ExpressibleByArgument {}
extension PluginDraft.Language: ExpressibleByArgument {}
