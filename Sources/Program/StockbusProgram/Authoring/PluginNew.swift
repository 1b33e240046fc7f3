import ArgumentParser
import StockbusLoading
import StockbusPlugin

/// `stockbus plugin new`: a folder to start from.
struct PluginNew: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "new", abstract: "Write a new plugin: code, a test, a configuration that runs it, a README.",
      discussion: """
        A process speaks the process protocol and may be written in any language; this writes Python, and needs nothing but what is \
        installed. A program is a Swift package that depends on stockbus, with the plugin and a program of your own that has it. What is loaded is a library in Swift that runs inside this program.

          \(Program.name) plugin new big_trades --kind processor --home process
        """)
  }

  @Argument(help: "Its name, such as big_trades; also that of its folder.")
  var name: String

  @ArgumentParser.Option(help: "source, processor or sink.")
  var kind: PluginDraft.Kind

  @ArgumentParser.Option(help: "Where its code runs: process, program or loaded.")
  var home: PluginDraft.Home

  @ArgumentParser.Option(help: "python for a process, swift for the others, which is also what they are without it.")
  var language: PluginDraft.Language?

  @ArgumentParser.Option(
    help: ArgumentHelp(
      "For Swift: the sources of stockbus, a folder or the address of a repository; by default those that this program was built from, if it is still beside them.",
      valueName: "path|url"))
  var stockbus: String?

  @ArgumentParser.Option(name: .customLong("in"), help: ArgumentHelp("The folder in which its own is made.", valueName: "folder"))
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
      description: "a package needs the sources of stockbus, and they are not beside this one: add --stockbus with their folder or address")
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
