import StockbusConfig
import StockbusPlugin
import Testing

@Suite struct ConfigLoaderTests {
  @Test func `reads the pipeline of the design`() throws {
    let description = try load(validConfig).checked()
    #expect(
      description.components.map(\.title) == [
        "source 'ticks'", "source 'echo'", "processor 'ranked'", "processor 'mine'", "sink 'screen'", "sink 'flashes'", "sink 'alerts'",
      ])
    #expect(
      description.components.map(\.plugin) == [
        "generator", "echo_socket", "sorting_feed", "watchlist_filter", "console_viewer", "flash_logger", "notification_dispatcher",
      ])
    #expect(
      description.components.map { $0.inputs.map(\.from) } == [
        [], ["ticks"], ["echo"], ["ranked"], ["ranked"], ["mine", "ranked"], ["mine"],
      ])
    #expect(description.components.map { $0.inputsMark != nil } == [false, true, true, true, true, true, true])
    #expect(description.runtime.map { written($0) } == "{drain@30:12: 5s@30:19}@30:10")
  }

  @Test func `keeps options, edges and reserved keys with their places`() throws {
    let components = try load(validConfig).checked().components
    let mine = components[3]
    #expect(mine.idMark == .init(line: 9, column: 3))
    #expect(mine.pluginMark == .init(line: 9, column: 21))
    #expect(mine.inputs[0].mark == .init(line: 9, column: 48))
    #expect(mine.inputs[0].edge == nil)
    #expect(written(mine.options) == "{symbols@9:57: [AAPL@9:67, 'NVDA'@9:73, 'TSLA'@9:81]@9:66}@9:11")
    #expect(components[4].inputs[0].edge.map { written($0) } == "{overflow@2:17: conflate@2:27, capacity@2:37: 128@2:47}@12:47")
    let flashes = components[5]
    #expect(flashes.inputs[1].mark == .init(line: 17, column: 15))
    #expect(flashes.inputs[1].edge.map { written($0) } == "{overflow@18:9: drop_oldest@18:19}@17:9")
    #expect(flashes.supervision.map { written($0) } == "{restarts@20:20: 3@20:30}@20:18")
    #expect(flashes.output == nil)
    #expect(written(flashes.options) == "{fade@19:5: 1s@19:11}@14:5")
  }

  @Test func `takes one id for a list of one`() throws {
    let sink = try #require(load("sinks: { s: { plugin: p, inputs: a } }").checked().components.first)
    #expect(sink.inputs.map(\.from) == ["a"])
    #expect(sink.inputs[0].mark == .init(line: 1, column: 34))
  }

  @Test(arguments: ["", "sources:", "sources: {}\nsinks: ~\nruntime:", "x-only: { a: 1 }"])
  func `an empty configuration describes nothing`(text: String) throws {
    let description = try load(text).checked()
    #expect(description.components.isEmpty)
    #expect(description.runtime == nil)
  }

  @Test func `a source may have no inputs, an empty list of them, or some`() throws {
    let text = "sources: { a: { plugin: p }, b: { plugin: p, inputs: [] }, c: { plugin: p, inputs: }, d: { plugin: p, inputs: [a] } }"
    let components = try load(text).checked().components
    #expect(components.map { $0.inputs.map(\.from) } == [[], [], [], ["a"]])
    #expect(components.map { $0.inputsMark != nil } == [false, true, true, true])
  }

  @Test func `takes nothing for keys without a value`() throws {
    let source = try #require(load("sources: { a: { plugin: p, supervision: , output: ~, option: } }").checked().components.first)
    #expect(source.supervision == nil)
    #expect(source.output == nil)
    #expect(written(source.options, marks: false) == "{option: }")
  }

  @Test func `joins files`() throws {
    let config = ConfigLoader(environment: { _ in nil }).load(texts: [
      ("a.yaml", "sources: { a: { plugin: p } }\nruntime: { x: 1 }"),
      ("b.yaml", "sinks: { b: { plugin: q, inputs: [a] } }\nruntime: { y: 2 }\nsources: { c: { plugin: r } }"),
      ("c.yaml", ""),
    ])
    let description = try config.checked()
    #expect(description.components.map(\.id) == ["a", "b", "c"])
    #expect(description.components.map(\.idMark.file) == ["a.yaml", "b.yaml", "b.yaml"])
    #expect(description.runtime.map { written($0, marks: false) } == "{x: 1, y: 2}")
    #expect(config.files == ["a.yaml", "b.yaml", "c.yaml"])
  }

  @Test func `an anchor holds within its file`() {
    let config = ConfigLoader(environment: { _ in nil }).load(texts: [("a.yaml", "x-a: &a 1"), ("b.yaml", "runtime: { b: *a }")])
    #expect(
      config.problems.description
        == "b.yaml:1:15: error: unknown anchor; an anchor stands before its aliases, and text that begins with '*' in quotation marks")
  }

  @Test func `goes on with whatever could be understood`() {
    let config = load("sources: { a: { plugin: p }, b: 1, c: *gone, d: { plugin: } }\nsinks: { e: { plugin: q, inputs: [a, *gone] } }")
    #expect(config.description.components.map(\.id) == ["a", "e"])
    #expect(config.description.components[1].inputs.map(\.from) == ["a"])
    #expect(config.rejected == ["b", "c", "d"])
    #expect(!config.isIncomplete)
    #expect(config.standIns == [.init(line: 1, column: 39), .init(line: 2, column: 38)])
    #expect(throws: Problems.self) { try config.checked() }
  }

  @Test(arguments: ["a: [", "sources: *gone", "sources: []", "sorces: {}", "[]", "<<: *gone"])
  func `knows when components may be missing`(text: String) {
    #expect(load(text).isIncomplete)
  }

  @Test func `two components may share a mapping`() throws {
    let components = try load("sources: { a: &a { plugin: p, x: 1 }, b: *a, c: { <<: *a, x: 2 } }").checked().components
    #expect(components.map { written($0.options, marks: false) } == ["{x: 1}", "{x: 1}", "{x: 2}"])
    #expect(components.map(\.plugin) == ["p", "p", "p"])
  }
}
