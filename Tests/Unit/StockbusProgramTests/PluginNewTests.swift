import ArgumentParser
import Foundation
import StockbusLoading
import StockbusPlugin
import TestSupport
import Testing

@testable import StockbusProgram

/// What `plugin new` writes, and its names.
@Suite struct PluginNewTests {
  @Test(arguments: PluginDraft.Kind.allCases, PluginDraft.Home.allCases)
  func `the files of a new plugin`(kind: PluginDraft.Kind, home: PluginDraft.Home) throws {
    let name =
      switch kind {
      case .source: "rising_prices"
      case .processor: "big_trades"
      case .sink: "trade_tally"
      }
    let draft = PluginDraft(name: PluginName(snake: name), kind: kind, home: home, stockbus: home == .program ? "/src/stockbus" : "")
    let text = draft.files.filter { $0.path != "stockbus_plugin.py" }.map { "=== \($0.path)\n\($0.text)" }.joined(separator: "\n")
    try expect(text, is: "plugin-new-\(kind.rawValue)-\(home.rawValue).txt")
    // Nobody has to scroll through what a plugin is written from.
    let code = draft.files.first { $0.path == "plugin.py" || $0.path.hasPrefix("Sources/") }
    #expect((code?.text.split(separator: "\n", omittingEmptySubsequences: false).count ?? 99) <= 45)
  }

  @Test func `the helper for Python is the one of the examples, byte for byte`() throws {
    let file = Repository.root.appending(path: "Examples/plugins/python/stockbus_plugin.py")
    #expect(PluginDraft.pythonHelper == (try String(contentsOf: file, encoding: .utf8)))
  }

  @Test func `a package of an address names its version, and the package as SwiftPM calls it`() throws {
    let draft = PluginDraft(
      name: PluginName(snake: "big_trades"), kind: .processor, home: .program, stockbus: "https://example.com/some/bus.git")
    let manifest = try #require(draft.files.first { $0.path == "Package.swift" }?.text)
    #expect(manifest.contains(#"dependencies: [.package(url: "https://example.com/some/bus.git", from: "\#(Version.number)")],"#))
    #expect(manifest.contains(#".product(name: "StockbusPlugin", package: "bus")"#))
    let quoted = PluginDraft(name: PluginName(snake: "big_trades"), kind: .sink, home: .program, stockbus: #"/a "b"\c"#)
    #expect(quoted.files[0].text.contains(#"path: "/a \"b\"\\c")"#))
  }

  @Test(arguments: [
    ("", "'' is no name"), ("Big", "'Big' is no name"), ("big-trades", "is no name"), ("2big", "is no name"), ("big__trades", "is no name"),
    ("big_", "is no name"), ("../big", "is no name"), ("bìg", "is no name"), ("in", "a word of Swift or Python"),
    ("lambda", "a word of Swift or Python"), ("event", "the name of one of stockbus"), ("stockbus", "the name of one of stockbus"),
    ("generator", "there is a plugin 'generator' already"), (String(repeating: "a", count: 41), "longer than 40 characters"),
  ])
  func `names that are refused`(name: String, why: String) {
    #expect(PluginName.fault(name, taken: ["generator"])?.contains(why) == true)
  }

  @Test func `names of types follow from the name`() {
    #expect(PluginName.fault("big_trades_2") == nil && PluginName.fault(String(repeating: "a", count: 40)) == nil)
    #expect(PluginName(snake: "big_trades_2").upper == "BigTrades2" && PluginName(snake: "big_trades_2").lower == "bigTrades2")
    #expect(PluginName(snake: "x").upper == "X" && PluginName(snake: "x").lower == "x")
  }

  @Test func `a folder that is there is left alone, and one that cannot be written whole is removed`() throws {
    let folder = Workshop()
    folder.put("mine", in: "big/notes.txt")
    let there = #expect(throws: NewFolder.Failure.self) {
      try NewFolder.write([DraftFile(path: "notes.txt", text: "new")], to: folder.file("big"))
    }
    #expect(there?.description == "'\(folder.file("big"))' exists already; nothing was written")
    #expect(folder.text("big/notes.txt") == "mine")
    // The second file is where a folder has to be.
    let clash = [DraftFile(path: "a/b", text: "1"), DraftFile(path: "c", text: "2"), DraftFile(path: "c/d", text: "3")]
    #expect(throws: NewFolder.Failure.self) { try NewFolder.write(clash, to: folder.file("half")) }
    #expect(!FileManager.default.fileExists(atPath: folder.file("half")))
    try NewFolder.write(Array(clash.prefix(2)), to: folder.file("whole"))
    #expect(folder.text("whole/a/b") == "1" && folder.text("whole/c") == "2")
  }

  @Test(arguments: [
    (["big_trades", "--kind", "sink"], "home"), (["big_trades", "--home", "process"], "kind"),
    (["big_trades", "--kind", "sink", "--home", "process", "--language", "swift"], "--home program"),
    (["big_trades", "--kind", "sink", "--home", "program", "--language", "python"], "--home process"),
    (["big_trades", "--kind", "sink", "--home", "process", "--stockbus", "x"], "needs no sources"),
  ])
  func `options that do not fit are told`(arguments: [String], why: String) {
    let error = #expect(throws: (any Error).self) { try PluginNew.parse(arguments) }
    #expect(error.map { PluginNew.message(for: $0) }?.contains(why) == true)
  }

  @Test func `the sources of stockbus are a folder or an address`() throws {
    #expect(try StockbusSources.resolved("https://example.com/stockbus") == "https://example.com/stockbus")
    #expect(try StockbusSources.resolved("git@example.com:stockbus.git") == "git@example.com:stockbus.git")
    let root = Repository.root.path
    #expect(try StockbusSources.resolved(root + "/Sources/..") == root)
    for wrong in ["/nowhere", Repository.fixtures.path, "a\nb"] {
      #expect(throws: NewFolder.Failure.self) { try StockbusSources.resolved(wrong) }
    }
  }
}
