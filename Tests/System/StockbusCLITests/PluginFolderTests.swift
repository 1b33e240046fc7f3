import Foundation
import StockbusLoading
import StockbusPlugin
import TestSupport
import Testing

@testable import StockbusProgram

/// `plugin new` and what follows, by the built program, from an empty folder.
@Suite(.enabled(if: ProgramTests.program != nil && python != nil, "the program was not built, or there is no Python"))
struct PluginFolderTests {
  private let folder = Workshop()

  private func run(_ arguments: String..., in inner: String = "") throws -> (status: Int32, output: String, errors: String) {
    try ProgramTests.run(
      arguments, in: URL(filePath: folder.path).appending(path: inner),
      environment: [
        "PATH": "\(compiler.map { $0 + ":" } ?? "")/usr/local/bin:/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1", "HOME": folder.path,
      ])
  }

  @Test func `a processor in Python passes its tests, keeps the contract and runs`() throws {
    let new = try run("plugin", "new", "big_trades", "--kind", "processor", "--home", "process")
    #expect(new.status == 0 && new.output.hasPrefix("wrote big_trades:\n  plugin.py\n"), "\(new)")
    let test = try run("plugin", "test", in: "big_trades")
    #expect(test.status == 0 && test.errors.contains("OK"), "\(test)")
    #expect(try run("plugin", "check", in: "big_trades") == (0, "big_trades keeps the contract\n", ""))
    #expect(try run("plugin", "build", in: "big_trades") == (0, "big_trades needs no build\n", ""))
    let result = try run("run", "--quiet", "--log-level", "error", in: "big_trades")
    #expect(result.status == 0 && result.errors == "", "\(result)")
    let sizes = result.output.matches(of: /"size":([0-9.]+)/).map { Double($0.1) ?? 0 }
    #expect(!sizes.isEmpty && sizes.allSatisfy { $0 >= 500 } && sizes.count < 20, "\(result.output)")
  }

  @Test func `a source in Python passes its tests, keeps the contract and runs`() throws {
    #expect(try run("plugin", "new", "rising_prices", "--kind", "source", "--home", "process").status == 0)
    #expect(try run("plugin", "test", "rising_prices").status == 0)
    #expect(try run("plugin", "check", "rising_prices") == (0, "rising_prices keeps the contract\n", ""))
    let result = try run("run", "--quiet", "--log-level", "error", in: "rising_prices")
    #expect(result.output.matches(of: /"price":([0-9.]+)/).map(\.1) == ["101", "102", "103"], "\(result)")
  }

  @Test func `a sink in Python passes its tests, keeps the contract and runs`() throws {
    #expect(try run("plugin", "new", "trade_tally", "--kind", "sink", "--home", "process").status == 0)
    #expect(try run("plugin", "test", "trade_tally").status == 0)
    #expect(try run("plugin", "check", "trade_tally") == (0, "trade_tally keeps the contract\n", ""))
    let result = try run("run", "--quiet", "--log-level", "notice", in: "trade_tally")
    let counts = result.errors.matches(of: /[A-Z]+ ([0-9]+)(,|\n)/).map { Int($0.1) ?? 0 }
    #expect(result.status == 0 && counts.reduce(0, +) == 20, "\(result)")
  }

  @Test func `an installed plugin runs from anywhere, is listed and described, and goes when it is removed`() throws {
    #expect(try run("plugin", "new", "big_trades", "--kind", "processor", "--home", "process").status == 0)
    let bundle = folder.file(".local/share/stockbus/plugins/big_trades.stockbusplugin")
    #expect(try run("plugin", "install", "big_trades") == (0, "installed \(bundle)\n", ""))
    #expect(try run("plugin", "install", "big_trades") == (0, "replaced \(bundle)\n", ""))
    let list = try run("plugin", "list")
    #expect(list.output.contains("least (100): The least size that passes.") && list.output.contains("big_trades"), "\(list)")
    #expect(try run("list").output.contains("Passes trades of at least a size."))
    let described = try run("describe", "big_trades").output
    #expect(described.contains("Emits  trade") && described.contains("Inside 'options'\n  NAME"), "\(described)")
    #expect(described.contains("  least  number  100 ") && described.contains("The least size that passes."), "\(described)")
    folder.put(
      """
      sources: { ticks: { plugin: generator, symbols: 5, count: 20, seed: 42 } }
      processors: { mine: { plugin: big_trades, inputs: [ticks], options: { least: 900 } } }
      sinks: { out: { plugin: file_writer, inputs: [mine], path: "-" } }

      """, in: "elsewhere/plugins.yaml")
    let result = try run("run", "--quiet", "--log-level", "error", in: "elsewhere")
    let sizes = result.output.matches(of: /"size":([0-9.]+)/).map { Double($0.1) ?? 0 }
    #expect(result.status == 0 && !sizes.isEmpty && sizes.allSatisfy { $0 >= 900 }, "\(result)")
    #expect(try run("plugin", "remove", "big_trades") == (0, "removed \(bundle)\n", ""))
    #expect(try run("validate", in: "elsewhere").errors.contains("unknown plugin 'big_trades'"))
    #expect(try run("plugin", "remove", "big_trades").errors.hasPrefix("error: no plugin 'big_trades' is installed in "))
    #expect(try run("plugin", "remove", "../x").status == 64)
  }

  @Test func `a process reads columns and adds its own, as its description says`() throws {
    #expect(try run("plugin", "new", "double_vwap", "--kind", "processor", "--home", "process").status == 0)
    let program = """
      from stockbus_plugin import Processor, run

      class DoubleVWAP(Processor):
          takes, emits, columns = ["trade"], "trade", {"double": "number"}
          def process(self, event):
              vwap = event.get("vwap")
              yield {**event, "double": None if vwap is None else 2 * vwap}

      run(DoubleVWAP)

      """
    let manifest = """
      name: double_vwap
      kind: processor
      home: process
      doc: Doubles the VWAP.
      takes: [trade]
      emits: trade
      extra_columns: { double: number }
      run: [python3, plugin.py]

      """
    folder.put(program, in: "double_vwap/plugin.py")
    folder.put(manifest, in: "double_vwap/plugin.yaml")
    folder.put(
      "symbol,price,size,side,time,received\nA,100,1,buy,1700000001,1700000001\nA,101,1,buy,1700000002,1700000002\nA,100.01,1,buy,1700000003,1700000003\n",
      in: "trades.csv")
    let config = """
      sources: { ticks: { plugin: file_replay, path: trades.csv } }
      processors:
        marked: { plugin: derive, inputs: [ticks], columns: { vwap: first } }
        mine: { MINE, inputs: [marked] }
        few: { plugin: filter, inputs: [mine], where: double > 2 * vwap - 1 }
      sinks: { out: { plugin: file_writer, inputs: [few], path: "-", format: csv, fields: [price, vwap, double] } }

      """.replacing("vwap: first", with: "vwap: \"vwap(session)\"")
    #expect(try run("plugin", "check", "double_vwap") == (0, "double_vwap keeps the contract\n", ""))
    let own = "plugin: program_processor, run: [python3, double_vwap/plugin.py]"
    for mine in ["plugin: double_vwap", own + ", extra_columns: { double: number }"] {
      if mine == "plugin: double_vwap" { #expect(try run("plugin", "install", "double_vwap").status == 0) }
      folder.put(config.replacing("MINE", with: mine), in: "plugins.yaml")
      let result = try run("run", "--quiet", "--log-level", "error")
      // 201 / 2 and 301.01 / 3, to nine decimals.
      #expect(
        result.output == "price,vwap,double\n100,100,200\n101,100.5,201\n100.01,100.336666667,200.673333334\n", "\(result)")
    }
    folder.put(
      config.replacing("MINE", with: own).replacing("where: double > 2 * vwap - 1", with: "where: vwap > 1").replacing(
        ", double]", with: "]"), in: "plugins.yaml")
    let forgotten = try run("run", "--quiet")
    #expect(forgotten.status != 0 && forgotten.errors.contains("write 'extra_columns: { double: number }'"), "\(forgotten)")
    for (columns, error) in [
      ("{ double: numbr }", "plugin.yaml:7:26: error: 'extra_columns.double'"), ("{ price: number }", "a trade has a field 'price'"),
    ] {
      folder.put(manifest.replacing("{ double: number }", with: columns), in: "double_vwap/plugin.yaml")
      let check = try run("plugin", "check", "double_vwap")
      #expect(check.status != 0 && check.errors.contains(error), "\(check)")
    }
  }

  /// A library that was built, and which file it is.
  private struct Library: Hashable {
    var name: String
    var number: UInt64
  }

  private func libraries() throws -> [Library] {
    let bundle = "big_trades/build/big_trades.stockbusplugin"
    return try FileManager.default.contentsOfDirectory(atPath: folder.file(bundle)).filter { $0.hasSuffix(".so") }.map { name in
      let status = try FileManager.default.attributesOfItem(atPath: folder.file("\(bundle)/\(name)"))
      return Library(name: name, number: try #require(status[.systemFileNumber] as? UInt64))
    }
  }

  @Test(.enabled(if: compiler != nil, "there is no Swift compiler"))
  func `a library in Swift is built, keeps the contract and runs, and a rebuilt one is another library`() throws {
    let root = Repository.root.path
    #expect(
      try run("plugin", "new", "big_trades", "--kind", "processor", "--home", "loaded", "--stockbus", root).status == 0)
    #expect(try run("validate", in: "big_trades").errors.contains("plugin_path: "))
    let built = try run("plugin", "build", in: "big_trades")
    #expect(built.status == 0 && built.errors == "", "\(built)")
    // What is up to date is not built again: it is the same file.
    let library = try #require(libraries().first)
    #expect(try run("plugin", "check", in: "big_trades") == (0, "big_trades keeps the contract\n", ""))
    #expect(try libraries() == [library])
    let result = try run("run", "--quiet", "--log-level", "error", in: "big_trades")
    let sizes = result.output.matches(of: /"size":([0-9.]+)/).map { Double($0.1) ?? 0 }
    #expect(result.status == 0 && !sizes.isEmpty && sizes.allSatisfy { $0 >= 500 }, "\(result)")
    #expect(try run("plugin", "install", "big_trades").status == 0)
    #expect(try libraries() == [library])
    #expect(try run("describe", "big_trades").output.contains("The least size that passes."))
    #expect(try run("plugin", "remove", "big_trades").status == 0)
    // In a process of its own it does the same.
    let config = folder.text("big_trades/plugins.yaml")
    folder.put(config.replacing("plugin: big_trades,", with: "plugin: big_trades, isolation: process,"), in: "big_trades/isolated.yaml")
    let isolated = try run("run", "--quiet", "--log-level", "error", "isolated.yaml", in: "big_trades")
    #expect(isolated.status == 0 && isolated.output.matches(of: /"size":([0-9.]+)/).map { Double($0.1) ?? 0 } == sizes, "\(isolated)")
    // Another library, beside the former one.
    let source = "big_trades/Sources/BigTradesProcessor.swift"
    folder.put(folder.text(source).replacing("trade.size >= least", with: "trade.size < least"), in: source)
    #expect(try run("plugin", "build", "big_trades").status == 0)
    let other = try #require(libraries().first)
    #expect(other.name != library.name)
    // One that is damaged is built again.
    folder.put("", in: "big_trades/build/big_trades.stockbusplugin/\(other.name)")
    #expect(try run("plugin", "check", in: "big_trades") == (0, "big_trades keeps the contract\n", ""))
    #expect(try libraries().map(\.name) == [other.name])
    // One that traps while it is loaded ends only the process that tries it.
    folder.put("import StockbusPlugin\n\nextension Plugin { static let bigTrades: Plugin = { fatalError(\"not today\") }() }\n", in: source)
    #expect(try run("plugin", "build", "big_trades").status == 0)
    let traps = try run("validate", in: "big_trades")
    #expect(traps.status == 78 && traps.errors.hasPrefix("plugins.yaml:"), "\(traps)")
    #expect(traps.errors.contains("its library crashes the process that loads it: signal "), "\(traps)")
    #expect(traps.errors.contains("not today"), "\(traps)")
  }

  @Test func `what a broken process does wrong is told`() throws {
    #expect(try run("plugin", "new", "big_trades", "--kind", "processor", "--home", "process").status == 0)
    let code = folder.text("big_trades/plugin.py")
    folder.put(code.replacing("yield event", with: "raise ValueError('no good')"), in: "big_trades/plugin.py")
    let fails = try run("plugin", "check", "big_trades")
    #expect(
      fails.status == 1 && fails.output == "" && fails.errors.hasPrefix("big_trades: ") && fails.errors.contains("no good"), "\(fails)")
    folder.put(code.replacing("emits = \"trade\"", with: "emits = \"quote\""), in: "big_trades/plugin.py")
    #expect(try run("plugin", "check", "big_trades").errors.contains("emits 'quote', and its output is trade"))
    folder.put("print('hello')\n", in: "big_trades/plugin.py")
    #expect(try run("plugin", "check", "big_trades").errors.contains("sends an invalid message"))
    let manifest = folder.text("big_trades/plugin.yaml")
    folder.put(manifest.replacing("takes: [trade]", with: "takes: [trad]"), in: "big_trades/plugin.yaml")
    #expect(
      try run("plugin", "check", "big_trades").errors == "big_trades: There is no event type 'trad'; did you mean 'trade'?.\n")
    folder.put(manifest.replacing("run: [python3", with: "run: [python-that-is-not-there"), in: "big_trades/plugin.yaml")
    #expect(try run("plugin", "check", "big_trades").errors.contains("there is no program 'python-that-is-not-there'"))
  }

  @Test func `the options of a process that is not installed are held to the declaration beside it, which has to be whole`() throws {
    #expect(try run("plugin", "new", "big_trades", "--kind", "processor", "--home", "process").status == 0)
    let config = folder.text("big_trades/plugins.yaml")
    folder.put(config.replacing("least: 500", with: "count: 5"), in: "big_trades/plugins.yaml")
    let unknown = try run("validate", in: "big_trades")
    #expect(
      unknown.status == 78
        && unknown.errors.contains("unknown option 'count'; there are least; options are declared under 'options' in plugin.yaml\n"),
      "\(unknown)")
    folder.put(folder.text("big_trades/plugin.yaml").replacing("kind: processor", with: "kind: [processor"), in: "big_trades/plugin.yaml")
    let broken = try run("validate", in: "big_trades")
    #expect(broken.status == 78 && broken.errors.hasPrefix("plugin.yaml:4:5: error: "), "\(broken)")
    #expect(broken.errors.contains(" (it declares the options of processor 'mine')\n"), "\(broken)")
  }

  @Test func `the test of a new plugin says what to do where the plugin does something else`() throws {
    for (kind, code, change) in [("processor", ">= self.least", "< self.least"), ("source", "100 + ", "200 + "), ("sink", "+ 1", "+ 2")] {
      #expect(try run("plugin", "new", kind + "_x", "--kind", kind, "--home", "process").status == 0)
      let before = folder.text("\(kind)_x/plugin.py")
      folder.put(before.replacing(code, with: change), in: "\(kind)_x/plugin.py")
      let result = try run("plugin", "test", in: kind + "_x")
      #expect(result.status != 0, "\(kind): \(before)")
      #expect(
        (result.output + result.errors).contains("plugin.py does something else now: if it is meant to, write that into this test"),
        "\(result)")
    }
  }

  @Test func `options to check a process with are held to its declaration, as in a configuration`() throws {
    #expect(try run("plugin", "new", "big_trades", "--kind", "processor", "--home", "process").status == 0)
    let unknown = try run("plugin", "check", "big_trades", "--options", "leest: 5")
    #expect(
      unknown.status == 78 && unknown.errors.hasPrefix("--options:1:1: error: unknown option 'leest'; did you mean 'least'?"), "\(unknown)")
    let wrong = try run("plugin", "check", "big_trades", "--options", "least: five")
    #expect(
      wrong.status == 78 && wrong.errors.hasPrefix("--options:1:8: error: 'options.least' must be a number of at least 0, got 'five'"),
      "\(wrong)")
    let second = try run("plugin", "check", "big_trades", "--options", "least: 5, x: 1")
    #expect(second.status == 78 && second.errors.hasPrefix("--options:1:11: error: unknown option 'x'"), "\(second)")
    #expect(try run("plugin", "check", "big_trades", "--options", "least: 5") == (0, "big_trades keeps the contract\n", ""))
  }

  @Test func `a folder is written once, and folders without a plugin are told`() throws {
    #expect(try run("plugin", "new", "big_trades", "--kind", "sink", "--home", "process").status == 0)
    let again = try run("plugin", "new", "big_trades", "--kind", "sink", "--home", "process")
    #expect(again == (1, "", "error: 'big_trades' exists already; nothing was written\n"))
    let taken = try run("plugin", "new", "filter", "--kind", "sink", "--home", "process")
    #expect(taken.status == 64 && taken.errors.contains("the plugin 'filter' exists already"))
    let none = try run("plugin", "test")
    #expect(none.status == 78 && none.errors.hasPrefix("plugin.yaml: error: no such file; a plugin's folder needs one"))
    #expect(try run("plugin", "check", "nowhere").errors.hasPrefix("nowhere/plugin.yaml: error: no such file"))
    #expect(try run("plugin", "check", "null_sink") == (0, "null_sink keeps the contract\n", ""))
  }
}

/// Python, if it is installed where the tests look for it.
private let python = ["/usr/bin/python3", "/usr/local/bin/python3"].first { FileManager.default.isExecutableFile(atPath: $0) }

/// The folder of the Swift compiler, if it is along PATH.
private let compiler = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
  .first { FileManager.default.isExecutableFile(atPath: $0 + "/swiftc") }
