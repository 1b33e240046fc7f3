import EventBus
import Foundation
import StockbusConfig
import StockbusPlugin
import Testing

private struct KeeperSettings: Options {
  @Setting("The file.") var path: String
  @Setting("Whether the run may read it.") var shared = true
  init() {}
  var files: [FileUse] { [shared ? .writing(database: path, at: "path", mayBeRead: true) : .writing(path, at: "path")] }
}

private actor Keeper: Sink {
  init(_: KeeperSettings, _: Context) {}
  func receive(_: Span<Trade>) {}
}

/// `history:` of a configuration.
@Suite final class HistoryConfigTests {
  private let folder: URL

  init() throws {
    // The path is short, because messages cut long paths.
    folder = URL(filePath: "/tmp/sb\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data("1\n".utf8).write(to: folder.appending(path: "known.db"))
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// `@` stands for the folder.
  private func check(_ text: String, _ environment: [String: String] = [:]) -> (topology: Topology?, problems: String) {
    let whole = "sources: { ticks: { plugin: ticker, symbols: [A] } }\nsinks: { out: { plugin: count, inputs: [ticks] } }\n" + text
    let catalogue = Catalogue(smallCatalogue.plugins + [Plugin("keeper", "Keeps.", .sink(Keeper.self))])
    do throws(Problems) {
      let topology = try Topology.check(
        load(whole.replacing("@", with: folder.path), environment), catalogue: catalogue,
        historyFault: { $0.hasSuffix("known.db") ? nil : "is no history" })
      return (topology, "")
    } catch { return (nil, error.description.replacing(folder.path, with: "@")) }
  }

  @Test func `a file is named once, and the run reads it`() throws {
    let (topology, problems) = check("history: '@/known.db'")
    #expect(problems == "")
    let past = try #require(topology?.past)
    #expect(past.path == folder.path + "/known.db" && past.writer == nil && past.mark.line == 3)
    #expect(topology?.files.reader(of: past.path) == "the run knows from it what was before, at plugins.yaml:3:10")
    #expect(check("").topology?.past == nil && check("history: ~").topology?.past == nil)
    #expect(topology?.difference(to: try #require(check("").topology)).changesRuntime == true)
  }

  @Test func `what is wrong is said at its place`() throws {
    try Data("x".utf8).write(to: folder.appending(path: "other.db"))
    #expect(check("history: [a]").problems == "plugins.yaml:3:10: error: 'history' must name a file, got a list")
    #expect(check("history: ''").problems.hasPrefix("plugins.yaml:3:10: error: 'history' must name a file"))
    #expect(check("history: '@/other.db'").problems == "plugins.yaml:3:10: error: 'history': '@/other.db' is no history")
    #expect(check("history: '@'").problems == "plugins.yaml:3:10: error: 'history': '@' is a folder")
    #expect(
      check("history: '@/knwon.db'").problems
        == "plugins.yaml:3:10: error: 'history': '@/knwon.db' does not exist; did you mean '@/known.db'?")
    #expect(check("historry: x").problems == "plugins.yaml:3:1: error: unknown key 'historry'; did you mean 'history'?")
    #expect(
      check("history: \"${F}\"", ["F": folder.path + "/x"]).problems
        == "plugins.yaml:3:10: error: 'history': the value of ${F} does not exist")
  }

  @Test func `two components that write one database are told to have a file each`() throws {
    let text =
      "sources: { ticks: { plugin: ticker, symbols: [A] } }\nsinks:\n"
      + "  a: { plugin: keeper, inputs: [ticks], path: '@/new.db' }\n  b: { plugin: keeper, inputs: [ticks], path: '@/./new.db' }\n"
    let catalogue = Catalogue(smallCatalogue.plugins + [Plugin("keeper", "Keeps.", .sink(Keeper.self))])
    do throws(Problems) {
      _ = try Topology.check(load(text.replacing("@", with: folder.path)), catalogue: catalogue)
      Issue.record("accepted")
    } catch {
      #expect(
        error.description.replacing(folder.path, with: "@")
          == "plugins.yaml:4:47: error: sink 'b': 'path': '@/./new.db' cannot be written: sink 'a' writes it, at plugins.yaml:3:47; a database has one component that writes its prices and trading: give each a file of its own"
      )
    }
  }

  @Test func `the run may write it only where it can be read meanwhile`() throws {
    let keeper = "  kept: { plugin: keeper, inputs: [ticks], path: '@/new.db'"
    let whole = "history: '@/new.db'\nx-y: 1\n"
    func problems(_ end: String) -> (Topology?, String) {
      let text = "sources: { ticks: { plugin: ticker, symbols: [A] } }\nsinks:\n\(keeper)\(end) }\n\(whole)"
      let catalogue = Catalogue(smallCatalogue.plugins + [Plugin("keeper", "Keeps.", .sink(Keeper.self))])
      do throws(Problems) {
        return (try Topology.check(load(text.replacing("@", with: folder.path)), catalogue: catalogue), "")
      } catch { return (nil, error.description.replacing(folder.path, with: "@")) }
    }
    let (topology, found) = problems("")
    // It need not exist yet, and its writer does not take it for an input.
    #expect(found == "" && topology?.past?.writer == "sink 'kept'")
    #expect(topology?.files.reader(of: folder.path + "/new.db") == nil)
    try Data("1\n".utf8).write(to: folder.appending(path: "new.db"))
    #expect(
      problems(", shared: false").1
        == "plugins.yaml:3:50: error: sink 'kept': 'path': '@/new.db' cannot be written: the run knows from it what was before, at plugins.yaml:4:10"
    )
  }
}
