import StockbusConfig
import StockbusPlugin
import Testing

/// The exact text of every error between a configuration and its plugins.
@Suite struct TopologyProblemTests {
  @Test func `accepts what is right`() {
    #expect(
      topologyProblems(
        """
        sources:
          ticks: { plugin: ticker, symbols: [A], output: { capacity: 64 } }
          back: { plugin: echo, inputs: [ticks] }
          news: { plugin: links }
        processors:
          top: { plugin: rank, inputs: [back], supervision: { restarts: 0 } }
        sinks:
          all: { plugin: show, inputs: [back, { from: top, overflow: conflate, initial: true }] }
          log: { plugin: count, inputs: [news] }
          bad: { plugin: count, inputs: [dead_letters] }
        runtime: { drain_deadline: 5s }
        """) == "")
  }

  @Test func `an option that is indented as little as its component is recognised, and its component has it`() {
    let text = """
      sources:
        ticks:
          plugin: ticker
        symbols: [A]
        burst: { size: 3000 }
        quotes: { plugin: ticker, symbols: [B] }
        interval: 2s
        other:
          colour: red
      processors:
        top:
          plugin: rank
        inputs: [ticks]
      sinks:
        all: { plugin: count, inputs: [top] }
      """
    #expect(
      topologyProblems(text) == """
        plugins.yaml:4:3: error: 'symbols' is an option of source 'ticks' above: indent it as far as 'plugin' there
        plugins.yaml:5:3: error: 'burst' is an option of source 'ticks' above: indent it as far as 'plugin' there
        plugins.yaml:5:18: error: source 'ticks': 'burst.size' must be between 1 and 1000, got 3000
        plugins.yaml:7:3: error: 'interval' is an option of source 'quotes' above: write it inside its '{…}'
        plugins.yaml:8:3: error: source 'other' is missing 'plugin'
        plugins.yaml:13:3: error: 'inputs' is an option of processor 'top' above: indent it as far as 'plugin' there
        """)
  }

  @Test func `unknown keys, wherever they stand`() {
    let text = """
      sinkss: {}
      sources:
        ticks:
          plugin: ticker
          symbols: [A]
          intervall: 2s
          colour: red
          burst: { sizes: 3, shape: round }
          supervision: { restart: 1 }
          output: { size: 3 }
          supervison: {}
        quotes: { plugin: quoter, speed: 1, ouput: {} }
      processors:
        top: { plugin: rank, input: [ticks] }
      sinks:
        end: { plugin: count, inputs: [{ from: top, overfow: block, colour: red }, quotes] }
      runtime: { drain: 5s, sed: 3 }
      """
    #expect(
      topologyProblems(text) == """
        plugins.yaml:1:1: error: unknown key 'sinkss'; did you mean 'sinks'?
        plugins.yaml:6:5: error: source 'ticks': unknown option 'intervall'; did you mean 'interval'?
        plugins.yaml:7:5: error: source 'ticks': unknown option 'colour'; known are symbols, interval, burst
        plugins.yaml:8:14: error: source 'ticks': unknown option 'burst.sizes'; did you mean 'size'?
        plugins.yaml:8:24: error: source 'ticks': unknown option 'burst.shape'; known are size, pause
        plugins.yaml:9:20: error: source 'ticks': supervision: unknown option 'restart'; did you mean 'restarts'?
        plugins.yaml:10:15: error: source 'ticks': output: unknown option 'size'; known are capacity, memory
        plugins.yaml:11:5: error: source 'ticks': unknown option 'supervison'; known are symbols, interval, burst
        plugins.yaml:12:29: error: source 'quotes': unknown option 'speed'; there are none
        plugins.yaml:12:39: error: source 'quotes': unknown key 'ouput'; did you mean 'output'?
        plugins.yaml:14:24: error: processor 'top': unknown key 'input'; did you mean 'inputs'?
        plugins.yaml:16:47: error: sink 'end': input 'top': unknown option 'overfow'; did you mean 'overflow'?
        plugins.yaml:16:63: error: sink 'end': input 'top': unknown option 'colour'; known are overflow, capacity, initial, sample, memory
        plugins.yaml:16:78: error: sink 'end' reads events of only one type, but its input 'top' emits ranked and 'quotes' emits quote
        plugins.yaml:17:12: error: runtime: unknown option 'drain'; known are drain_deadline, seed, wait, symbols_per_source, zone, memory
        plugins.yaml:17:23: error: runtime: unknown option 'sed'; did you mean 'seed'?
        """)
  }

  @Test func `unknown plugins, and plugins in the wrong section`() {
    let text = """
      sources:
        a: { plugin: tickr }
        b: { plugin: kafka }
        c: { plugin: cuont }
        d: { plugin: rank, inputs: [a], top: 1000 }
      processors:
        e: { plugin: ticker, symbols: [A] }
        f: { plugin: count, inputs: [a] }
        g: { plugin: unheard_of }
      sinks:
        h: { plugin: ticker }
        i: { plugin: "a\\nb\\e[31m", inputs: [f, h] }
      """
    #expect(
      topologyProblems(text) == """
        plugins.yaml:2:16: error: source 'a': unknown plugin 'tickr'; did you mean 'ticker'?
        plugins.yaml:3:16: error: source 'b': unknown plugin 'kafka'; there are echo, links, quoter, ticker
        plugins.yaml:4:16: error: source 'c': unknown plugin 'cuont'; did you mean 'count', a sink?
        plugins.yaml:5:16: error: source 'd': plugin 'rank' is a processor; it belongs under 'processors'
        plugins.yaml:5:40: error: source 'd': 'top' must be between 1 and 100, got 1000
        plugins.yaml:7:16: error: processor 'e': plugin 'ticker' is a source; it belongs under 'sources'
        plugins.yaml:8:16: error: processor 'f': plugin 'count' is a sink; it belongs under 'sinks'
        plugins.yaml:9:3: error: processor 'g' is missing 'inputs'; a processor needs at least one
        plugins.yaml:9:16: error: processor 'g': unknown plugin 'unheard_of'; there are pass, rank
        plugins.yaml:11:6: error: sink 'h': 'symbols' is required: a list of symbols (What to trade.)
        plugins.yaml:11:16: error: sink 'h': plugin 'ticker' is a source; it belongs under 'sources'
        plugins.yaml:12:16: error: sink 'i': unknown plugin 'a\\nb\\u{1b}[31m'; there are count, either, show, tape
        plugins.yaml:12:39: error: sink 'i': its input 'f' is a sink, which emits nothing
        """)
  }

  @Test func `values of the wrong type, out of range, missing, and against a rule`() {
    let text = """
      sources:
        a: { plugin: ticker, interval: fast }
        b: { plugin: ticker, symbols: [A, B, C, D], interval: 0s, burst: { size: ten, pause: 2h } }
        c: { plugin: ticker, symbols: { A: 1 }, burst: 3, output: { capacity: 1 } }
      processors:
        d: { plugin: rank, inputs: [a], top: "", weights: [2, x] }
        e: { plugin: rank, inputs: [{ from: b, capacity: 0, initial: maybe, overflow: drop }], top: 1, weights: [0, 1] }
      sinks:
        f: { plugin: count, inputs: [c, d, e], supervision: { restarts: -1, on_failure: explode }, output: {} }
        g: { plugin: tape, inputs: c, supervision: often }
      runtime: { drain_deadline: 0s, seed: x }
      """
    #expect(
      topologyProblems(text) == """
        plugins.yaml:2:6: error: source 'a': 'symbols' is required: a list of symbols (What to trade.)
        plugins.yaml:2:34: error: source 'a': 'interval' must be a duration such as 250ms, got 'fast'
        plugins.yaml:3:33: error: source 'b': 'symbols' must have between 1 and 3 items, got 4
        plugins.yaml:3:57: error: source 'b': 'interval' must be between 1ms and 1h, got 0s
        plugins.yaml:3:76: error: source 'b': 'burst.size' must be a whole number, got 'ten'
        plugins.yaml:3:88: error: source 'b': 'burst.pause' must be between 1ms and 1m, got 2h
        plugins.yaml:4:33: error: source 'c': 'symbols' must be a list of symbols, got a mapping
        plugins.yaml:4:50: error: source 'c': 'burst' must be a mapping, got '3'
        plugins.yaml:4:73: error: source 'c': output: 'capacity' must be between 2 and 16777216, got 1
        plugins.yaml:6:40: error: processor 'd': 'top' must be a whole number, got ''
        plugins.yaml:6:54: error: processor 'd': 'weights[0]' must be between 0 and 1, got 2
        plugins.yaml:6:57: error: processor 'd': 'weights[1]' must be a whole number, got 'x'
        plugins.yaml:7:52: error: processor 'e': input 'b': 'capacity' must be between 1 and 16777216, got 0
        plugins.yaml:7:64: error: processor 'e': input 'b': 'initial' must be true or false, got 'maybe'
        plugins.yaml:7:81: error: processor 'e': input 'b': 'overflow' must be one of block, drop_oldest, drop_newest, conflate, got 'drop'
        plugins.yaml:7:98: error: processor 'e': more 'weights' than 'top'
        plugins.yaml:9:35: error: sink 'f' reads events of only one type, but its input 'c' emits trade and 'd' emits ranked
        plugins.yaml:9:67: error: sink 'f': supervision: 'restarts' must be between 0 and 1000000, got -1
        plugins.yaml:9:83: error: sink 'f': supervision: 'on_failure' must be one of isolate, stop, got 'explode'
        plugins.yaml:9:102: error: sink 'f': 'output' is for sources and processors; a sink emits nothing
        plugins.yaml:10:46: error: sink 'g': 'supervision' must be a mapping of options, got 'often'
        plugins.yaml:11:28: error: runtime: 'drain_deadline' must be between 1ms and 1d, got 0s
        plugins.yaml:11:38: error: runtime: 'seed' must be a whole number, got 'x'
        """)
  }

  @Test func `the zone of what is shown is one that there is`() {
    let text = """
      sources:
        ticks: { plugin: ticker, symbols: [A] }
      sinks:
        end: { plugin: count, inputs: [ticks] }
      runtime: { zone: America/New_Yrok }
      """
    #expect(
      topologyProblems(text)
        == "plugins.yaml:5:12: error: runtime: 'zone': unknown time zone 'America/New_Yrok'; did you mean 'America/New_York'?")
    #expect(topologyProblems(text.replacing("Yrok", with: "York")) == "")
  }

  @Test func `inputs that do not exist`() {
    let text = """
      sources:
        ticks: { plugin: ticker, symbols: [A] }
        quotes: { plugin: quoter }
      sinks:
        a: { plugin: count, inputs: [tiks] }
        b: { plugin: count, inputs: [everything] }
        c: { plugin: count, inputs: [a] }
        d: { plugin: count, inputs: [dead_leters] }
        e: { plugin: count, inputs: [e] }
        f: { plugin: count, inputs: ["x\\ny\\u202Ez"] }
      """
    #expect(
      topologyProblems(text) == """
        plugins.yaml:5:32: error: sink 'a': unknown input 'tiks'; did you mean 'ticks'?
        plugins.yaml:6:32: error: sink 'b': unknown input 'everything'; there are quotes, ticks
        plugins.yaml:7:32: error: sink 'c': its input 'a' is a sink, which emits nothing
        plugins.yaml:8:32: error: sink 'd': unknown input 'dead_leters'; did you mean 'dead_letters'?
        plugins.yaml:9:32: error: sink 'e' cannot be its own input
        plugins.yaml:10:32: error: sink 'f': unknown input 'x\\ny\\u{202e}z'; there are quotes, ticks
        """)
    #expect(
      topologyProblems("sinks: { a: { plugin: count, inputs: [b] } }") == """
        plugins.yaml:1:39: error: sink 'a': unknown input 'b'; there is no other component to read
        """)
    let many = (10...22).map { "  s\($0): { plugin: quoter }\n" }.joined()
    #expect(
      topologyProblems("sources:\n\(many)sinks: { a: { plugin: count, inputs: [everything] } }") == """
        plugins.yaml:15:39: error: sink 'a': unknown input 'everything'; there are s10, s11, s12, s13, s14, s15, s16, s17, s18, s19 and 3 more
        """)
  }

  @Test func `inputs where none belong, and none where some do`() {
    let text = """
      sources:
        a: { plugin: ticker, symbols: [A], inputs: [b] }
        b: { plugin: echo }
        c: { plugin: echo, inputs: [] }
        d: { plugin: quoter, inputs: [] }
      processors:
        e: { plugin: rank }
        f: { plugin: rank, inputs: }
        g: { plugin: rank, top: 0, Inputs: [d] }
      sinks:
        h: { plugin: tape, input: a }
        i: { plugin: unheard_of, input: a }
        j: { plugin: unheard_of }
        k: { plugin: tape, inputs: { from: a } }
      """
    #expect(
      topologyProblems(text) == """
        plugins.yaml:2:47: error: source 'a': plugin 'ticker' takes no inputs
        plugins.yaml:3:3: error: source 'b' is missing 'inputs'; plugin 'echo' needs at least one
        plugins.yaml:4:30: error: source 'c': 'inputs' is empty; plugin 'echo' needs at least one
        plugins.yaml:7:3: error: processor 'e' is missing 'inputs'; a processor needs at least one
        plugins.yaml:8:30: error: processor 'f': 'inputs' is empty; a processor needs at least one
        plugins.yaml:9:27: error: processor 'g': 'top' must be between 1 and 100, got 0
        plugins.yaml:9:30: error: processor 'g': unknown key 'Inputs'; did you mean 'inputs'?
        plugins.yaml:11:22: error: sink 'h': unknown key 'input'; did you mean 'inputs'?
        plugins.yaml:12:16: error: sink 'i': unknown plugin 'unheard_of'; there are count, either, show, tape
        plugins.yaml:12:28: error: sink 'i': unknown key 'input'; did you mean 'inputs'?
        plugins.yaml:13:3: error: sink 'j' is missing 'inputs'; a sink needs at least one
        plugins.yaml:13:16: error: sink 'j': unknown plugin 'unheard_of'; there are count, either, show, tape
        plugins.yaml:14:30: error: sink 'k': 'inputs' must be a list of ids, got a mapping
        """)
  }

  @Test func `cycles`() {
    let text = """
      processors:
        self: { plugin: pass, inputs: [self] }
        a: { plugin: pass, inputs: [b] }
        b: { plugin: pass, inputs: [a] }
        c: { plugin: pass, inputs: [b, f] }
        d: { plugin: pass, inputs: [c] }
        e: { plugin: pass, inputs: [d], nams: [] }
        f: { plugin: pass, inputs: [{ from: e, overflow: conflate }] }
      sinks:
        out: { plugin: count, inputs: [f] }
      """
    #expect(
      topologyProblems(text) == """
        plugins.yaml:2:34: error: processor 'self' cannot be its own input
        plugins.yaml:3:31: error: processor 'a': its input 'b' closes a cycle: a → b → a
        plugins.yaml:5:34: error: processor 'c': its input 'f' closes a cycle: c → d → e → f → c
        plugins.yaml:7:35: error: processor 'e': unknown option 'nams'; did you mean 'names'?
        """)
    let long = (0..<40).map { "  n\($0): { plugin: pass, inputs: [n\(($0 + 39) % 40)] }\n" }.joined()
    #expect(
      topologyProblems("processors:\n\(long)") == """
        plugins.yaml:2:32: error: processor 'n0': its input 'n39' closes a cycle: n0 → n1 → n2 → n3 → n4 → … (31 more) → n36 → n37 → n38 → n39 → n0
        """)
  }

  @Test func `events of the wrong type, and which would fit`() {
    let text = """
      sources:
        ticks: { plugin: ticker, symbols: [A] }
        more: { plugin: ticker, symbols: [B] }
        quotes: { plugin: quoter }
        news: { plugin: links }
      processors:
        top: { plugin: rank, inputs: [news] }
        some: { plugin: pass, inputs: [news] }
        both: { plugin: pass, inputs: [ticks, more, quotes] }
      sinks:
        screen: { plugin: show, inputs: [quotes, top] }
        tape: { plugin: tape, inputs: [ticks, quotes, top] }
        one: { plugin: either, inputs: [quotes] }
        two: { plugin: either, inputs: [quotes, ticks], event: quote }
        all: { plugin: count, inputs: [some, both, dead_letters] }
      """
    #expect(
      topologyProblems(text) == """
        plugins.yaml:7:33: error: processor 'top' reads events with a price (quote, ranked, trade), but its input 'news' emits connection_status; 'ticks' (trade), 'more' (trade), 'quotes' (quote) would fit
        plugins.yaml:8:34: error: processor 'some' reads events about a symbol (quote, ranked, trade), but its input 'news' emits connection_status; 'ticks' (trade), 'more' (trade), 'quotes' (quote), 'top' (ranked) would fit
        plugins.yaml:9:47: error: processor 'both' reads events of only one type, but its input 'ticks' emits trade and 'quotes' emits quote
        plugins.yaml:11:36: error: sink 'screen' reads trade, ranked, but its input 'quotes' emits quote; 'ticks' (trade), 'more' (trade) would fit
        plugins.yaml:12:41: error: sink 'tape' reads trade, but its input 'quotes' emits quote; 'more' (trade) would fit
        plugins.yaml:12:49: error: sink 'tape' reads trade, but its input 'top' emits ranked; 'more' (trade) would fit
        plugins.yaml:13:35: error: sink 'one' reads only trade with these options, but its input 'quotes' emits quote; 'ticks' (trade), 'more' (trade) would fit
        plugins.yaml:14:43: error: sink 'two' reads only quote with these options, but its input 'ticks' emits trade
        """)
  }

  @Test func `conflation and a beginning need a symbol`() {
    let text = """
      sources:
        news: { plugin: links }
      sinks:
        a: { plugin: count, inputs: [{ from: news, overflow: conflate, initial: true }] }
        b: { plugin: count, inputs: [{ from: dead_letters, initial: true }] }
        c: { plugin: count, inputs: [{ from: news, initial: false, overflow: drop_oldest }] }
      """
    #expect(
      topologyProblems(text) == """
        plugins.yaml:4:46: error: sink 'a': 'overflow: conflate' needs events about a symbol, but its input 'news' emits connection_status
        plugins.yaml:4:66: error: sink 'a': 'initial: true' needs events about a symbol, but its input 'news' emits connection_status
        plugins.yaml:5:54: error: sink 'b': 'initial: true' needs events about a symbol, but its input 'dead_letters' emits dead_letter
        """)
  }

  @Test func `components that nobody reads`() {
    let text = """
      sources:
        ticks: { plugin: ticker, symbols: [A] }
        quotes: { plugin: quoter }
      processors:
        top: { plugin: rank, inputs: [ticks] }
      sinks:
        a: { plugin: count, inputs: [dead_letters] }
      """
    #expect(
      topologyProblems(text) == """
        plugins.yaml:3:3: error: source 'quotes': nothing reads it; name it in the 'inputs' of a processor or sink, or remove it
        plugins.yaml:5:3: error: processor 'top': nothing reads it; name it in the 'inputs' of a processor or sink, or remove it
        """)
  }

  @Test(arguments: [
    "sinks: { a: { plugin: count, inputs: [quotees] } }",
    "sinks: { a: { plugin: count, inputs: [anything] } }",
    "sinks: { a: { plugin: count, inputs: [{ form: quotes }] } }",
    "sinks: { a: { plugin: count, input: [quotes] } }",
    "sinks: { a: { plugin: count } }",
    "sinks: { a: { plugin: count, inputs: [dead_letters], inputs: [quotes] } }",
    "sinks: { a: { plugin: count, inputs: [dead_letters] }, a: { plugin: count, inputs: [quotes] } }",
    "sinks: { a: { plugin: count, inputs: [dead_letters] }, quotes: { plugin: count, inputs: [quotes] } }",
    "sinks: { a: { inputs: [quotes] } }",
    "sinks: { a: *a }",
    "sinks: { a: { plugin: count, inputs: \"${X}\" } }",
    "sinks: { a: { plugin: either, event: quote, inputs: [news] } }",
    "processors: { a: { plugin: count, inputs: [quotes] } }",
    "sinks: []",
    "sink: { a: { plugin: count, inputs: [quotes] } }",
  ])
  func `does not blame what is unread by another mistake`(sinks: String) {
    let news = sinks.contains("news") ? ", news: { plugin: links }" : ""
    let problems = topologyProblems("sources: { quotes: { plugin: quoter }\(news) }\n" + sinks)
    #expect(problems.split(separator: "\n").count == 1, "\(problems)")
    #expect(!problems.contains("nothing reads"))
  }

  @Test(arguments: ["", "# nothing\n", "sources:\nsinks: {}\n", "runtime: {}", "x-a: 1"])
  func `nothing to run`(text: String) {
    #expect(topologyProblems(text) == "plugins.yaml:1:1: error: there is nothing to run: no sources, processors or sinks")
  }

  @Test func `says nothing about what holds a variable that is not set`() {
    let text = """
      sources:
        ticks: { plugin: ticker, symbols: ["${A}"], interval: "${B}" }
      processors:
        some: { plugin: pass, inputs: [ticks], names: ["${C}", "D"] }
      sinks:
        out: { plugin: either, inputs: [some], event: "${E}" }
      """
    #expect(
      topologyProblems(text) == """
        plugins.yaml:2:39: error: the variable 'A' is not set; set it or give a default: '${A:-…}'
        plugins.yaml:2:58: error: the variable 'B' is not set; set it or give a default: '${B:-…}'
        plugins.yaml:4:51: error: the variable 'C' is not set; set it or give a default: '${C:-…}'
        plugins.yaml:6:50: error: the variable 'E' is not set; set it or give a default: '${E:-…}'
        """)
  }
}
