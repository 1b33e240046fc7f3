import Foundation
import StockbusConfig
import StockbusLoading
import StockbusPlugin
import TestSupport
import Testing

@testable import Stockbus
@testable import StockbusProgram

private actor All: EventProcessor {
  init(_: NoOptions, _: Context) {}
  func process(_ trade: Trade, into output: inout Outlet<Trade>) { output.send(trade) }
}

/// Installed plugins: where they are found, what they become, and what is told of bad ones.
@Suite struct PluginInstallTests {
  private let workshop = Workshop()
  private var program: Program { Program(name: "stockbus", catalogue: Catalogue(.builtIn), userPlugins: workshop.file("user")) }

  private static let manifest = """
    name: big_trades
    kind: processor
    home: process
    doc: Passes trades of at least a size.
    takes: [trade, quote]
    emits: trade
    run: [python3, plugin.py]
    options:
      least: { default: 100, doc: The least size that passes. }
      by: { doc: What it goes by. }
    """

  private func put(_ manifest: String = manifest, _ code: String = "1", in folder: String = "user", as name: String = "big_trades") {
    workshop.put(manifest, in: "\(folder)/\(name).stockbusplugin/plugin.yaml")
    workshop.put(code, in: "\(folder)/\(name).stockbusplugin/plugin.py")
  }

  private func topology(_ component: String, _ more: String = "", plugins: String = "trade") throws(Problems) -> Topology {
    let text = """
      sources: { ticks: { plugin: file_replay, path: a.csv, event: \(plugins) } }
      processors: { mine: \(component) }
      sinks: { end: { plugin: null_sink, inputs: [mine] } }
      \(more)
      """
    return try program.topology(ConfigLoader(environment: { _ in nil }).load(text: text, file: "desk.yaml"), looksAtFiles: false)
  }

  private func problems(_ component: String, _ more: String = "", plugins: String = "trade") -> [String] {
    do throws(Problems) {
      _ = try topology(component, more, plugins: plugins)
      return []
    } catch { return error.sorted.map { $0.description.replacing(workshop.path, with: "") } }
  }

  @Test func `an installed process is a plugin by its own name, for each type that it takes`() throws {
    put()
    for type in ["trade", "quote"] {
      let node = try #require(
        try topology("{ plugin: big_trades, inputs: [ticks], options: { by: size } }", plugins: type).nodes.first { $0.id == "mine" })
      #expect(node.blueprint.inputs.map { $0.eventName } == [type] && node.blueprint.output?.eventName == "trade")
    }
    #expect(
      problems("{ plugin: big_trades, inputs: [ticks], options: { by: size } }", plugins: "bar").map {
        $0.contains("reads trade, quote")
      }
        == [true])
  }

  @Test func `its options are those that it declares`() {
    put()
    #expect(
      problems("{ plugin: big_trades, inputs: [ticks], options: { lest: 5, by: size } }") == [
        "desk.yaml:2:71: error: processor 'mine': unknown option 'lest'; did you mean 'least'?"
      ])
    #expect(
      problems("{ plugin: big_trades, inputs: [ticks] }") == [
        "desk.yaml:2:21: error: processor 'mine': 'options' is missing 'by': What it goes by."
      ])
    #expect(
      problems("{ plugin: big_trades, inputs: [ticks], run: [x], options: { by: size } }").map { $0.contains("unknown option 'run'") } == [
        true
      ])
  }

  private static let typed = """
    name: typed
    kind: processor
    home: process
    doc: Passes trades.
    takes: [trade]
    emits: trade
    run: [python3, plugin.py]
    options:
      every: { type: whole_number, default: 5, min: 1, max: 1000, doc: How many. }
      ratio: { default: 0.5, doc: A share. }
      live: { default: false, doc: Whether. }
      window: { type: duration, default: 30s, min: 1s, doc: How long. }
      by: { values: [size, price], default: size, doc: What it goes by. }
      only: { type: symbol, default: "1", doc: Which one. }
      many: { default: [], doc: More of them. }
    """

  @Test(arguments: [
    ("every: five", "'options.every' must be a whole number from 1 to 1000, got 'five'"),
    ("every: 1.5", "'options.every' must be a whole number from 1 to 1000, got '1.5'"),
    ("every: 0", "'options.every' must be a whole number from 1 to 1000, got '0'"),
    ("every: 1001", "'options.every' must be a whole number from 1 to 1000, got '1001'"),
    ("every: \"${N:-x}\"", "'options.every' must be a whole number from 1 to 1000, got a value of N"),
    ("ratio: half", "'options.ratio' must be a number, got 'half'"),
    ("ratio: 1e-5", "'options.ratio' must be a number, got '1e-5'"),
    ("live: yes", "'options.live' must be true or false, got 'yes'; write true"),
    ("window: 30", "'options.window' must be a duration of at least 1s, got '30'; write a unit, such as 30s"),
    ("window: 10ms", "'options.window' must be a duration of at least 1s, got '10ms'"),
    ("by: prize", "'options.by' must be one of size, price, got 'prize'; did you mean 'price'?"),
    ("only: []", "'options.only' must be a symbol, got a list"),
    ("many: one", "'options.many' must be a list, got 'one'"),
  ])
  func `an option of a process is checked as it is declared, with its place`(_ what: (written: String, error: String)) {
    put(Self.typed, as: "typed")
    let found = problems("{ plugin: typed, inputs: [ticks], options: { \(what.written) } }")
    #expect(found.count == 1 && found[0].hasPrefix("desk.yaml:2:"), "\(found)")
    if !what.written.contains("$") { #expect(found[0].contains("processor 'mine': \(what.error): "), "\(found)") }
  }

  @Test func `the process gets its options in the type that it declares`() throws {
    put(Self.typed, as: "typed")
    let bundle = try PluginBundle(at: workshop.file("user/typed.stockbusplugin"))
    let document = YAMLParser.parse(Array(#"{ every: "7", by: , ratio: "0.50", only: 5, window: 1m }"#.utf8), file: "o")
    let options = try bundle.manifest.checked(document.root, at: ConfigNode.Mark(line: 1, column: 1))
    let read = try ProcessPluginSettings.decode(
      ConfigNode(.map([.init(key: "options", mark: options.mark, value: options)]), at: options.mark), at: options.mark)
    #expect(
      read.options.entries.map { "\($0.name)=\($0.value.json)" } == [
        "every=7", "ratio=0.50", #"only="5""#, #"window="1m""#, "live=false", #"by="size""#, "many=[]",
      ])
  }

  @Test(arguments: [
    ("every: { type: whole_number, default: x, doc: A. }", "option 'every': its default must be a whole number, got 'x'"),
    ("every: { default: 5, max: 3, doc: A. }", "option 'every': its default must be a number of at most 3, got '5'"),
    ("every: { default: x, max: 3, doc: A. }", "option 'every': 'min' and 'max' are for numbers and durations: write its 'type'"),
    ("every: { type: number, min: x, doc: A. }", "option 'every': 'x' is not a number"),
    ("every: { type: number, min: 5, max: 3, doc: A. }", "option 'every': 'min' is above 'max'"),
    ("every: { type: number, values: [1], doc: A. }", "option 'every': 'values' are words: leave out 'type', or write text"),
    ("every: { default: 5, doc: A }", "option 'every': 'doc' must be a sentence with a full stop"),
  ])
  func `a bad declaration of an option is told`(_ what: (declared: String, error: String)) {
    put(
      Self.typed.replacing("every: { type: whole_number, default: 5, min: 1, max: 1000, doc: How many. }", with: what.declared), as: "typed"
    )
    let found = problems("{ plugin: typed, inputs: [ticks], options: { } }")
    #expect(found.contains { $0.contains(what.error) }, "\(found)")
  }

  @Test func `a process that is named by its program is checked by the description beside it`() {
    workshop.put(Self.typed, in: "desk/plugin.yaml")
    workshop.put("1", in: "desk/plugin.py")
    workshop.put("1", in: "desk/other.py")
    func found(_ file: String, _ options: String) -> [String] {
      problems("{ plugin: program_processor, inputs: [ticks], run: [python3, \(workshop.file(file))], options: { \(options) } }")
    }
    #expect(found("desk/plugin.py", "every: 5") == [])
    let bad = found("desk/plugin.py", "every: five")
    #expect(
      bad.count == 1
        && bad[0].contains("processor 'mine': 'options.every' must be a whole number from 1 to 1000, got 'five': How many."), "\(bad)")
    #expect(found("desk/plugin.py", "evry: 5").map { $0.contains("unknown option 'evry'; did you mean 'every'?") } == [true])
    // The description is of another program.
    #expect(found("desk/other.py", "every: five") == [])
  }

  @Test(arguments: ["plugin.yaml", "plugin.py"])
  func `what is no plain file is told, and nothing waits for it`(_ name: String) {
    put()
    let path = workshop.file("user/big_trades.stockbusplugin/\(name)")
    unlink(path)
    #expect(mkfifo(path, 0o600) == 0)
    let found = problems("{ plugin: big_trades, inputs: [ticks], options: { by: size } }")
    let told = ["/user/big_trades.stockbusplugin/plugin.yaml: error: must be a regular file"]
    #expect(found == (name == "plugin.yaml" ? told : []))
  }

  @Test func `made-up events have many symbols, sizes, sides and prices that move both ways`() {
    let trades = MadeUpEvents.of(Trade.self)
    #expect(trades.count == MadeUpEvents.count)
    #expect(Set(trades.map(\.symbol)).count == 40)
    #expect(Set(trades.map(\.side)).count == 3)
    #expect(Set(trades.map(\.condition)).count > 5)
    #expect(Set(trades.map(\.size)).count == 9)
    #expect(zip(trades, trades.dropFirst()).allSatisfy { $0.received <= $1.received })
    let prices = trades.filter { $0.symbol == trades[0].symbol }.map(\.price)
    let moves = zip(prices, prices.dropFirst())
    #expect(moves.contains { $0 < $1 } && moves.contains { $0 > $1 })
    let quotes = MadeUpEvents.of(Quote.self)
    #expect(quotes.contains { $0.bid > $0.ask } && quotes.contains { $0.bid < $0.ask })
    #expect(MadeUpEvents.of(Bar.self).allSatisfy { $0.low <= $0.open && $0.open <= $0.high && $0.low <= $0.close && $0.close <= $0.high })
    #expect(MadeUpEvents.of(Mover.self).count == MadeUpEvents.count)
    #expect(MadeUpEvents.of(Order.self).count == MadeUpEvents.count)
  }

  @Test func `clashes of names are told where the plugin is named`() {
    put()
    put(in: "other")
    put(Self.manifest.replacing("big_trades", with: "filter"), as: "filter")
    let place = "desk.yaml:2:31: error: processor 'mine': "
    #expect(
      problems("{ plugin: filter, inputs: [ticks], where: size > 1 }") == [
        place + "two plugins have the name 'filter': the program's own, and '/user/filter.stockbusplugin'"
      ])
    put(in: "third")
    #expect(
      problems("{ plugin: big_trades, inputs: [ticks] }", "plugin_path: [\(workshop.file("other")), \(workshop.file("third"))]") == [
        place + "two plugins have the name 'big_trades': '/other/big_trades.stockbusplugin' and '/third/big_trades.stockbusplugin'"
      ])
    // Nobody who does not name it hears of it.
    #expect(problems("{ plugin: watchlist_filter, inputs: [ticks], symbols: [A] }") == [])
  }

  @Test func `a plugin in a folder that the configuration names goes before an installed one of that name`() throws {
    put()
    put(Self.manifest.replacing("emits: trade", with: "emits: quote"), in: "other")
    let component = "{ plugin: big_trades, inputs: [ticks], options: { by: size } }"
    func emitted(_ more: String) throws -> String? {
      try topology(component, more).nodes.first { $0.id == "mine" }?.blueprint.output?.eventName
    }
    #expect(try emitted("") == "trade")
    #expect(try emitted("plugin_path: \(workshop.file("other"))") == "quote")
    func folder(_ name: String, _ mark: ConfigNode.Mark?) -> PluginFolders.Place { .init(path: workshop.file(name), mark: mark) }
    let folders = PluginFolders([folder("other", ConfigNode.Mark(line: 1, column: 1)), folder("user", nil)])
    #expect(folders.bundles == [workshop.file("other/big_trades.stockbusplugin")])
  }

  @Test func `a description that says something else than the code is told`() throws {
    func told(_ kind: PluginManifest.Kind, _ takes: [String], _ emits: String?) -> [String] {
      var manifest = PluginManifest()
      (manifest.kind, manifest.takes, manifest.emits) = (kind, takes, emits)
      return PluginCheck.differences(manifest, Plugin("all", "Passes all.", .processor(All.self)))
    }
    #expect(told(.processor, ["trade"], "trade") == [])
    #expect(
      told(.processor, ["quote"], "bar") == [
        "Its plugin.yaml says 'takes: [quote]', and its code 'takes: [trade]'.",
        "Its plugin.yaml says 'emits: bar', and its code 'emits: trade'.",
      ])
    #expect(told(.sink, ["trade"], nil).first == "Its plugin.yaml says 'kind: sink', and its code 'kind: processor'.")
  }

  @Test func `folders and bundles that cannot be used are told`() {
    let mine = "{ plugin: watchlist_filter, inputs: [ticks], symbols: [A] }"
    #expect(problems(mine, "plugin_path: [\(workshop.file("none"))]") == ["desk.yaml:4:15: error: plugin_path: '/none' is not a folder"])
    #expect(
      problems(mine, "plugin_path: [{ a: b }]").map { $0.contains("desk.yaml:4:15: error: 'plugin_path' must be a folder") } == [true])
    put(Self.manifest.replacing("takes: [trade, quote]", with: "takes: [trad]"))
    #expect(
      problems("{ plugin: big_trades, inputs: [ticks] }") == [
        "desk.yaml:2:31: error: processor 'mine': plugin '/user/big_trades.stockbusplugin': there is no event type 'trad'; did you mean 'trade'?"
      ])
    put(Self.manifest.replacing("home: process", with: "home: nowhere"))
    #expect(
      problems("{ plugin: big_trades, inputs: [ticks] }").map { $0.hasPrefix("/user/big_trades.stockbusplugin/plugin.yaml:3:7: error: ") }
        == [true])
    put(Self.manifest.replacing("name: big_trades", with: "name: other"))
    #expect(problems("{ plugin: big_trades, inputs: [ticks] }").map { $0.contains("must be other.stockbusplugin") } == [true])
    put()
    #expect(
      problems("{ plugin: big_trade, inputs: [ticks] }") == [
        "desk.yaml:2:31: error: processor 'mine': unknown plugin 'big_trade'; did you mean 'big_trades'?"
      ])
    #expect(
      problems(mine, "plugin_path: \(workshop.file("build"))").map { $0.hasSuffix("'/build' is not a folder; 'plugin build' makes it") }
        == [
          true
        ])
    // A name is no path.
    #expect(problems("{ plugin: ../user/big_trades, inputs: [ticks] }").map { $0.contains("unknown plugin") } == [true])
  }

  @Test func `a plugin whose files have changed is replaced by a reload, and nothing else`() throws {
    let component = "{ plugin: big_trades, inputs: [ticks], options: { by: size } }"
    put()
    let before = try topology(component)
    #expect(before.difference(to: try topology(component)).ids(.replaced) == [])
    put(Self.manifest, "2")
    #expect(before.difference(to: try topology(component)).ids(.replaced) == ["mine"])
  }

  @Test func `lists know installed plugins, and go on without those that are wrong`() {
    put()
    put("kind: sink", as: "broken")
    let (all, faults) = program.catalogue.adding(PluginFolders([.init(path: workshop.file("user"), mark: nil)]))
    #expect(all["big_trades"]?.kind == .processor && all.plugins.count == program.catalogue.plugins.count + 1)
    #expect(!faults.isEmpty && faults.allSatisfy { $0.contains("broken.stockbusplugin/plugin.yaml:1:1: error: ") }, "\(faults)")
    #expect(all.configSchema.description.contains(#""plugin_big_trades":{"description":"Passes trades of at least a size.""#))
    #expect(Describe.text(all["big_trades"]!, in: all, width: 100).contains("Takes  trade, quote"))
  }
}
