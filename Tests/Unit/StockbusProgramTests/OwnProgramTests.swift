import ArgumentParser
import EventBus
import Foundation
import MarketData
import StockbusConfig
import StockbusPlugin
import TestSupport
import Testing

@testable import Stockbus
@testable import StockbusProgram

/// The program by other names, with other plugins and parts.
@Suite struct OwnProgramTests {
  private static func whole(_ name: String = "stockbus", version: String? = nil) -> Program {
    Program(name: name, version: version, catalogue: Catalogue(.builtIn), parts: [.echo, .history, .accounts, .control])
  }

  private func mistake(_ word: String, _ next: String? = nil, in program: Program = whole()) -> String? {
    Program.$current.withValue(program) { RootCommand.unknownCommand(word, next) }
  }

  @Test func `a command's name with a slip of the finger`() {
    #expect(mistake("rnu") == "no command 'rnu'; did you mean 'run'?")
    #expect(mistake("valdate") == "no command 'valdate'; did you mean 'validate'?")
    #expect(
      mistake("zzzzzz")
        == "no command 'zzzzzz'; there are demo, init, run, watch, open, print, rehearse, test, list, describe, validate, graph, schema, instruments, check, "
        + "ps, status, top, tell, tap, why, plan, apply, reload, stop, memory, history, paper, account, plugin, echo, help")
    #expect(mistake("help", "rnu") == "no command 'rnu'; did you mean 'run'?")
    #expect(mistake("help", "run") == nil)
    for word in ["run", "drain", "help", "--help", "-h", "--version", "---completion", ""] { #expect(mistake(word) == nil) }
  }

  @Test func `a program without parts has the commands that need no network and no database`() {
    let lean = Program(name: "mine", catalogue: Catalogue([]))
    #expect(
      mistake("zzzzzz", in: lean)
        == "no command 'zzzzzz'; there are run, watch, open, print, list, describe, validate, graph, schema, instruments, check, memory, plugin, "
        + "help")
    let help = Program.$current.withValue(lean) { RootCommand.helpMessage(for: Run<NoCompanion>.self) }
    #expect(!help.contains("--control") && !help.contains("'mine status'"), "\(help)")
  }

  @Test func `help says the program's own name, and nothing of stockbus but what it is made of`() {
    let help = Program.$current.withValue(Self.whole("mine")) {
      ([RootCommand.helpMessage()] + RootCommand.configuration.subcommands.map { RootCommand.helpMessage(for: $0) })
        .joined(separator: "\n")
    }
    #expect(help.contains("USAGE: mine <subcommand>"))
    #expect(help.contains("Begin with 'mine demo', 'mine list'"))
    #expect(help.contains("'mine status', 'top'"))
    #expect(help.contains("mine history AAPL --bars 1w"))
    #expect(!help.contains("stockbus"), "\(help.split(separator: "\n").filter { $0.contains("stockbus") })")
  }

  @Test func `the version is that of the newest release in the changelog`() throws {
    let changelog = try String(contentsOf: Repository.root.appending(path: "CHANGELOG.md"), encoding: .utf8)
    #expect(changelog.firstMatch(of: /\n## \[([0-9.]+)\] - [0-9]{4}-[0-9]{2}-[0-9]{2}\n/)?.1 == Version.number[...])
  }

  @Test func `the version says the commit where it is known, and of another program both versions`() {
    #expect(Version.text(commit: "") == "stockbus \(Version.number)")
    #expect(Version.text(commit: "e1d6b28") == "stockbus \(Version.number) (e1d6b28)")
    #expect(Version.text(commit: "e1d6b28, modified") == "stockbus \(Version.number) (e1d6b28, modified)")
    #expect(Version.text("mine", commit: "") == "mine (stockbus \(Version.number))")
    #expect(Version.text("mine", "2.1", commit: "") == "mine 2.1 (stockbus \(Version.number))")
    #expect(Version.text("sb", commit: "e1d6b28") == "sb (stockbus \(Version.number), e1d6b28)")
  }

  @Test func `a program is called like its executable`() {
    #expect(Program.ownName("/usr/local/bin/mine") == "mine")
    #expect(Program.ownName("mine") == "mine")
    #expect(Program.ownName("") == "stockbus")
    #expect(Program.ownName(nil) == "stockbus")
  }

  @Test func `two plugins or event types with one name are told, with what both are`() {
    func faults(_ more: Plugin...) -> [String] {
      do throws(CatalogueError) {
        _ = try Catalogue(checking: .builtIn + more)
        return []
      } catch { return error.faults }
    }
    #expect(faults() == [])
    #expect(
      faults(Plugin("null_sink", "Another one.", .sink(Swallow<Trade>.self))) == [
        "two plugins have the name 'null_sink': those of \(Plugin.nullSinkComponent) and \(String(reflecting: Swallow<Trade>.self))"
      ])
    #expect(
      faults(Plugin("spread", "Takes its own trades.", .sink(Swallow<OwnTrade>.self))) == [
        "two event types have the name 'trade': \(String(reflecting: Trade.self)) and \(String(reflecting: OwnTrade.self))"
      ])
    // A type that several plugins share is one type.
    #expect(faults(Plugin("more", "Takes trades.", .sink(Swallow<Trade>.self))) == [])
    #expect(faults(.swallow, .swallow) == ["plugin 'swallow' (\(String(reflecting: Swallow<Trade>.self))) is listed twice"])
    #expect(faults(Plugin("none", "Is nothing.", option: "event", variants: [:])) == ["plugin 'none' has no blueprint"])
  }

  @Test func `two event types with one name are a problem of what names both, and of nothing else`() throws {
    let program = Program(
      name: "mine",
      catalogue: try Catalogue(checkingNames: .builtIn + [Plugin("spread", "Takes its own trades.", .sink(Swallow<OwnTrade>.self))]))
    func problems(_ sink: String) -> String {
      let text = "sources: { ticks: { plugin: generator } }\nsinks: { end: { plugin: \(sink), inputs: [ticks] } }"
      do throws(Problems) {
        _ = try program.topology(ConfigLoader().load(text: text, file: "desk.yaml"))
        return ""
      } catch { return error.description }
    }
    #expect(problems("null_sink") == "")
    #expect(problems("spread").hasPrefix("desk.yaml:1:1: error: two event types have the name 'trade'"), "\(problems("spread"))")
    #expect(throws: (any Error).self) { try Program.$current.withValue(program) { _ = try Program.wholeCatalogue() } }
  }

  @Test func `a generic plugin needs no types that it is compiled for ahead`() {
    #expect(Plugin.swallow.kind == .sink && Plugin.swallow.takesInputs)
    #expect(Plugin.swallow.blueprint(for: [Quote.self], options: nil)?.inputs.count == 1)
  }

  @Test func `only the whole program reads histories`() throws {
    let past = try #require(Self.whole().pastReader)
    #expect(past.fault("/nowhere/h.db")?.contains("does not exist") == true)
    #expect(Program(name: "mine", catalogue: Catalogue([])).pastReader == nil)
    #expect(PastReader.none.fault("h.db") == "cannot be read: this program has no component that reads histories")
  }
}

extension Plugin {
  fileprivate static let swallow = Plugin("swallow", "Takes anything.", AnySwallow.self, hot: [])

  /// The name of the type behind `null_sink`.
  fileprivate static var nullSinkComponent: String { Catalogue(.builtIn)["null_sink"]?.component ?? "" }
}

private enum AnySwallow: AnyEventPlugin {
  static func bind<E: Event>(_: E.Type) -> Blueprint { .sink(Swallow<E>.self) }
}

private actor Swallow<E: Event>: Sink {
  init(_: NoOptions, _: Context) {}
  func receive(_: Span<E>) {}
}

/// Called like the trades of stockbus.
private struct OwnTrade: Event {
  var number: Int64
  var time: Timestamp
  static let schema = EventSchema<OwnTrade>(
    "trade", "A trade of another kind.", time: \.time, example: OwnTrade(number: 1, time: Timestamp(ns: 0)),
    fields: [.init("number", \.number, "Its number."), .init("time", \.time, "When it was.")])
}
