import ArgumentParser
import NullSink
import StockbusConfig
import StockbusPlugin
import Testing

@testable import StockbusProgram

/// The exact output of the commands.
@Suite struct TextTests {
  @Test func `list on endless lines`() throws {
    try expect(List.text(fixedCatalogue, width: nil), is: "list.txt")
    try expect(List.json(fixedCatalogue).pretty, is: "list.json")
  }

  @Test func `describe of a plugin at 80 and 120 columns`() throws {
    let plugin = try #require(fixedCatalogue["probe"])
    try expect(Describe.text(plugin, in: fixedCatalogue, width: 80), is: "describe-probe-80.txt")
    try expect(Describe.text(plugin, in: fixedCatalogue, width: 120), is: "describe-probe-120.txt")
  }

  @Test func `describe of a plugin with options inside options, and of these`() throws {
    let plugin = Plugin("nested", "Has options inside options.", .sink(Nest.self))
    try expect(Describe.text(plugin, in: fixedCatalogue, width: 100), is: "describe-nested.txt")
    try expect(Describe.text(option: "rules", of: plugin, width: 100), is: "describe-nested-rules.txt")
    try expect(Describe.text(option: "rules.window.length", of: plugin, width: 60), is: "describe-nested-length.txt")
  }

  @Test(arguments: [
    ("rule", "plugin 'nested' has no option 'rule'; did you mean 'rules'?"),
    ("rules.x", "option 'rules' has no option 'x'; there are name, window"),
    ("path.x", "option 'path' has no option 'x'; it has no options inside it"),
    ("", "plugin 'nested' has no option ''; there are path, rules"),
  ])
  func `describe of an option that there is not`(option: String, message: String) throws {
    let plugin = Plugin("nested", "Has options inside options.", .sink(Nest.self))
    let error = #expect(throws: ValidationError.self) { try Describe.text(option: option, of: plugin, width: 100) }
    #expect(error?.message == message)
  }

  @Test func `describe of a plugin without options`() throws {
    let plugin = try #require(fixedCatalogue["null_sink"])
    try expect(Describe.text(plugin, in: fixedCatalogue, width: 100), is: "describe-null-sink.txt")
  }

  @Test func `describe of event types`() throws {
    try expect(Describe.text(Trade.self, in: fixedCatalogue, width: 100), is: "describe-trade.txt")
    try expect(Describe.text(DeadLetter.self, in: fixedCatalogue, width: 60), is: "describe-dead-letter.txt")
  }

  @Test func `describe without a name lists plugins and event types`() throws {
    try expect(Describe.overview(fixedCatalogue, width: 100), is: "describe.txt")
  }

  @Test(arguments: [
    ("generatr", "no plugin or event type 'generatr'; did you mean 'generator'?"),
    ("trades", "no plugin or event type 'trades'; did you mean 'trade'?"),
    (
      "x\u{1b}[31m",
      "no plugin or event type 'x\\u{1b}[31m'; plugins are file_writer, generator, null_sink, probe, sorting_feed, watchlist_filter; "
        + "event types are bar, connection_status, dead_letter, gap, health, quote, ranked, trade"
    ),
  ])
  func `describe of what there is not`(name: String, message: String) {
    #expect(Describe.unknown(name, fixedCatalogue) == message)
  }

  @Test(arguments: ["generator", "dead_letter", "quote"])
  func `describe knows plugins and event types`(name: String) { #expect(Describe.unknown(name, fixedCatalogue) == nil) }

  @Test func `graph as a table, for Mermaid and for Graphviz`() throws {
    let drawing = Drawing([Drawing.Part(title: "plugins.yaml", topology: try drawnTopology())])
    try expect(drawing.asText(width: nil), is: "graph.txt")
    try expect(drawing.asMermaid, is: "graph.mmd")
    try expect(drawing.asDOT, is: "graph.dot")
  }

  @Test func `validate counts`() throws {
    #expect(try Validate.text(drawnTopology()) == "valid: 6 components, 6 edges")
    let one = ConfigLoader(environment: { _ in nil }).load(text: "sinks: { a: { plugin: null_sink, inputs: [dead_letters] } }")
    #expect(try Validate.text(Topology.check(one, catalogue: fixedCatalogue)) == "valid: 1 component, 1 edge")
  }

  @Test func `problems are counted, and what came of them is said`() {
    var problems = Problems()
    problems.add("sink 'a': wrong", at: ConfigNode.Mark(file: "a\u{1b}.yaml", line: 2, column: 3))
    #expect(
      ConfigArguments.report(problems, "; nothing was started")
        == "a\\u{1b}.yaml:2:3: error: sink 'a': wrong\n1 problem; nothing was started")
    problems.add("sink 'a': wrong as well\n", at: ConfigNode.Mark(file: "a.yaml", line: 1, column: 3))
    #expect(
      ConfigArguments.report(problems, "") == """
        a\\u{1b}.yaml:2:3: error: sink 'a': wrong
        a.yaml:1:3: error: sink 'a': wrong as well\\n
        2 problems
        """)
  }

  @Test func `the schema of a configuration`() throws {
    let small = Catalogue([.probe, .nullSink])
    try expect(small.configSchema.pretty, is: "schema.json")
  }

  @Test func `a column gives way down to its longest word`() {
    let table = TextTable(rows: [
      ["NAME", "TAKES", "TEXT"], ["a", "one, two and three", "What it does, in many words that need their room."],
    ])
    #expect(
      table.lines(width: 44) == [
        "NAME  TAKES  TEXT",
        "a     one,   What it does, in many words",
        "      two    that need their room.",
        "      and",
        "      three",
      ])
    #expect(table.lines(width: nil)[1] == "a     one, two and three  What it does, in many words that need their room.")
    #expect(table.lines(width: 10).allSatisfy { $0.count <= 20 })
  }
}

private actor Nest: Sink {
  struct Settings: Options {
    struct Rule: Options {
      struct Window: Options {
        @Setting("How long it is.", in: .seconds(1) ... .seconds(3600)) var length = Duration.seconds(60)
        init() {}
      }

      @Setting("What it is called.", length: 1...) var name: String
      @Setting("When it counts.") var window = Window()
      init() {}
    }

    @Setting("Where the results go.", length: 1...) var path: String
    @Setting("What is looked for.", count: 0...10) var rules: [Rule] = []
    init() {}
  }

  init(_: Settings, _: Context) {}
  func receive(_: Span<Trade>) {}
}
