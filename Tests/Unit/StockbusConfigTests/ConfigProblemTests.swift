import StockbusConfig
import StockbusPlugin
import Testing

/// The exact text of every error in a pipeline that is found without the plugins.
@Suite struct ConfigProblemTests {
  private static let keys = "'sources', 'processors', 'sinks', 'runtime', 'instruments', 'calendars', 'history' or 'plugin_path'"

  @Test func `a blank that is missing behind a colon is told, without what follows`() {
    let text = """
      sources:
        a: {plugin:s3cret, path: x}
        b: {path: x, plugin:generator}
        c:
          plugin:s3cret
        d: {plugins:x}
      """
    #expect(
      problems(text) == """
        plugins.yaml:2:7: error: source 'a': a space is missing after the colon of 'plugin:'; write 'plugin: …'
        plugins.yaml:3:16: error: source 'b': a space is missing after the colon of 'plugin:'; write 'plugin: …'
        plugins.yaml:5:5: error: source 'c': a space is missing after the colon of 'plugin:'; write 'plugin: …'
        plugins.yaml:6:3: error: source 'd' is missing 'plugin'
        """)
  }

  @Test func `what a component must have`() {
    let text = """
      sources:
        a: {}
        b: generator
        c: [1]
        d:
        e: { plgin: x }
        e2: { type: x }
        f: { plugin: }
        g: { plugin: "" }
        h: { plugin: [x] }
      processors:
        i: { plugin: p }
        j: { plugin: p, inputs: [] }
        k: { plugin: p, inputs: }
        l: { plugin: p, input: [a] }
      sinks:
        m: { plugin: p, inputs: { from: a } }
        n: {}
      """
    #expect(
      problems(text) == """
        plugins.yaml:2:3: error: source 'a' is missing 'plugin'
        plugins.yaml:3:6: error: source 'b' must be a mapping with 'plugin', got 'generator'
        plugins.yaml:4:6: error: source 'c' must be a mapping with 'plugin', got a list
        plugins.yaml:5:5: error: source 'd' must be a mapping with 'plugin', got nothing
        plugins.yaml:6:3: error: source 'e' is missing 'plugin'; did you misspell it as 'plgin'?
        plugins.yaml:7:3: error: source 'e2' is missing 'plugin'; what 'type' is elsewhere is 'plugin' here
        plugins.yaml:8:16: error: source 'f': 'plugin' must be the name of a plugin, got nothing
        plugins.yaml:9:16: error: source 'g': 'plugin' must be the name of a plugin, got ''
        plugins.yaml:10:16: error: source 'h': 'plugin' must be the name of a plugin, got a list
        plugins.yaml:17:27: error: sink 'm': 'inputs' must be a list of ids, got a mapping
        plugins.yaml:18:3: error: sink 'n' is missing 'plugin'
        plugins.yaml:18:3: error: sink 'n' is missing 'inputs'
        """)
  }

  @Test func `what an input must be`() {
    let text = """
      sinks:
        a: { plugin: p, inputs: [x, y, x, { from: y }] }
        b: { plugin: p, inputs: [[x], {}, { overflow: block }, { form: x }] }
        c: { plugin: p, inputs: [~, ""] }
        d: { plugin: p, inputs: [{ from: }, { from: [x] }] }
        e: { plugin: p, inputs: "" }
      """
    #expect(
      problems(text) == """
        plugins.yaml:2:34: error: sink 'a': the input 'x' is given twice, first at plugins.yaml:2:28
        plugins.yaml:2:45: error: sink 'a': the input 'y' is given twice, first at plugins.yaml:2:31
        plugins.yaml:3:28: error: sink 'b': an input must be the id of a component, got a list
        plugins.yaml:3:33: error: sink 'b': an input's mapping is missing 'from', the id of a component
        plugins.yaml:3:37: error: sink 'b': an input's mapping is missing 'from', the id of a component
        plugins.yaml:3:58: error: sink 'b': an input's mapping is missing 'from', the id of a component; did you misspell it as 'form'?
        plugins.yaml:4:28: error: sink 'c': an input must be the id of a component, got nothing
        plugins.yaml:4:31: error: sink 'c': an input must be the id of a component, got ''
        plugins.yaml:5:36: error: sink 'd': 'from' must be the id of a component, got nothing
        plugins.yaml:5:47: error: sink 'd': 'from' must be the id of a component, got a list
        plugins.yaml:6:27: error: sink 'e': an input must be the id of a component, got ''
        """)
  }

  @Test func `how an id is written`() {
    let long = String(repeating: "a", count: 65)
    let text = """
      sources:
        Ticks: { plugin: p }
        my feed!: { plugin: p }
        9to5: { plugin: p }
        "": { plugin: p }
        "12": { plugin: p }
        Größe: { plugin: p }
        a.b: { plugin: p }
        \(long): { plugin: p }
        dead_letters: { plugin: p }
        Dead_Letters: { plugin: p }
        ok-1_x: { plugin: p }
      """
    let rule = "an id begins with a lower-case letter and continues with lower-case letters, digits, '_' and '-'"
    #expect(
      problems(text) == """
        plugins.yaml:2:3: error: source 'Ticks': \(rule); did you mean 'ticks'?
        plugins.yaml:3:3: error: source 'my feed!': \(rule); did you mean 'my_feed'?
        plugins.yaml:4:3: error: source '9to5': \(rule); did you mean 'to5'?
        plugins.yaml:5:3: error: source '': \(rule)
        plugins.yaml:6:3: error: source '12': \(rule)
        plugins.yaml:7:3: error: source 'Größe': \(rule); did you mean 'gr_e'?
        plugins.yaml:8:3: error: source 'a.b': \(rule); did you mean 'a_b'?
        plugins.yaml:9:3: error: source '\(long.prefix(57))…': an id has at most 64 characters, this one has 65
        plugins.yaml:10:3: error: source 'dead_letters': the id 'dead_letters' is reserved for the topic of dead letters; choose another id
        plugins.yaml:11:3: error: source 'Dead_Letters': \(rule)
        """)
    #expect(problems("sources: { \(String(repeating: "a", count: 64)): { plugin: p } }") == "")
  }

  @Test func `an id twice in one file, across sections and across files names both places`() {
    let config = ConfigLoader(environment: { _ in nil }).load(texts: [
      ("a.yaml", "sources:\n  a: { plugin: p }\n  b: { plugin: p }\n  a: { plugin: q }"),
      ("b.yaml", "sinks:\n  b: { plugin: p, inputs: [a] }"),
      ("c.yaml", "sinks:\n  b: { plugin: p, inputs: [a] }"),
    ])
    #expect(
      config.problems.description == """
        a.yaml:4:3: error: the key 'a' is given twice, first at a.yaml:2:3
        b.yaml:2:3: error: sink 'b': the id is given twice, first at a.yaml:3:3
        c.yaml:2:3: error: sink 'b': the id is given twice, first at a.yaml:3:3
        """)
    #expect(config.description.components.map(\.title) == ["source 'a'", "source 'b'"])
  }

  @Test func `a runtime option twice names both places`() {
    let config = ConfigLoader(environment: { _ in nil }).load(texts: [
      ("a.yaml", "runtime: { x: 1 }"), ("b.yaml", "runtime: { y: 1, x: 2 }"), ("c.yaml", "runtime: 5"),
    ])
    #expect(
      config.problems.description == """
        b.yaml:1:18: error: runtime: the option 'x' is given twice, first at a.yaml:1:12
        c.yaml:1:10: error: 'runtime' must be a mapping of options, got '5'
        """)
    #expect(config.description.runtime.map { written($0, marks: false) } == "{x: 1, y: 1}")
  }

  @Test func `what stands at the top`() {
    #expect(
      problems("sink: {}\nsource: {}\nProcessors: {}\ntransforms: {}\nx: 1\nx-fine: 1\nruntim: {}") == """
        plugins.yaml:1:1: error: unknown key 'sink'; did you mean 'sinks'?
        plugins.yaml:2:1: error: unknown key 'source'; did you mean 'sources'?
        plugins.yaml:3:1: error: unknown key 'Processors'; did you mean 'processors'?
        plugins.yaml:4:1: error: unknown key 'transforms'; expected 'sources', 'processors', 'sinks', 'runtime', 'instruments', 'calendars', 'history' or 'plugin_path'
        plugins.yaml:5:1: error: unknown key 'x'; expected 'sources', 'processors', 'sinks', 'runtime', 'instruments', 'calendars', 'history' or 'plugin_path'
        plugins.yaml:7:1: error: unknown key 'runtim'; did you mean 'runtime'?
        """)
    #expect(
      problems("- a") == "plugins.yaml:1:1: error: expected a mapping with \(Self.keys), got a list")
    #expect(
      problems("a b") == "plugins.yaml:1:1: error: expected a mapping with \(Self.keys), got 'a b'")
    #expect(
      problems("sources: []\nsinks: 5") == """
        plugins.yaml:1:10: error: 'sources' must be a mapping of ids to components, got a list
        plugins.yaml:2:8: error: 'sinks' must be a mapping of ids to components, got '5'
        """)
  }

  @Test func `says nothing more about what could not be read`() {
    let text = """
      sources:
        a: *gone
        b: { plugin: *gone }
        c: { <<: *gone }
        d: { <<: [*gone] }
      processors:
        e: { plugin: p, inputs: *gone }
        f: { plugin: p, inputs: [*gone, { from: *gone }, { <<: *gone }] }
      sinks: *gone
      runtime: *gone
      """
    let places = ["2:6", "3:16", "4:12", "5:13", "7:27", "8:28", "8:43", "8:58", "9:8", "10:10"]
    #expect(
      problems(text)
        == places.map {
          "plugins.yaml:\($0): error: unknown anchor; an anchor must come before its aliases; write text that begins with '*' in quotation marks"
        }.joined(separator: "\n"))
  }

  @Test func `reports problems of all kinds in all files at once, in order`() {
    let config = ConfigLoader(environment: { _ in nil }).load(texts: [
      ("b.yaml", "sinks:\n  s: { plugin: p, inputs: [\"${X}\"], inputs: [] }\n  t: {}"),
      ("a.yaml", "sources: [\n"),
    ])
    #expect(
      config.problems.description == """
        a.yaml:2:1: error: expected a value, but the file ends; nothing else in a.yaml was checked
        b.yaml:2:29: error: the variable 'X' is not set; set it or give a default: '${X:-…}'
        b.yaml:2:37: error: the key 'inputs' is given twice, first at b.yaml:2:19
        b.yaml:3:3: error: sink 't' is missing 'plugin'
        b.yaml:3:3: error: sink 't' is missing 'inputs'
        """)
  }
}
