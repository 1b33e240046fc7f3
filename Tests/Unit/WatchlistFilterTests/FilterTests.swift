import StockbusTestKit
import Testing
import WatchlistFilter

func trade(_ symbol: Symbol) -> Trade {
  Trade(symbol: symbol, price: 1, size: 1, time: Timestamp(ns: 0), received: Timestamp(ns: 0))
}

func pass(_ options: String, _ symbols: [Symbol]) async throws -> [String] {
  let passed: [Trade] = try await PluginHarness().output(of: Plugin.watchlistFilter, options: options, inputs: [symbols.map(trade)])
  return passed.map(\.symbol.description)
}

@Suite(.timeLimit(.minutes(15))) struct FilterTests {
  static let symbols: [Symbol] = ["AAPL", "BRK.A", "BRK.B", "NVDA", "AAPL", "brk.a", "BRK"]

  @Test func `names and patterns pass, in order, everything else does not`() async throws {
    #expect(try await pass("symbols: [BRK.?, NVDA]", Self.symbols) == ["BRK.A", "BRK.B", "NVDA"])
    #expect(try await pass("symbols: BRK*", Self.symbols) == ["BRK.A", "BRK.B", "BRK"])
    #expect(try await pass("symbols: ['*']", Self.symbols) == Self.symbols.map(\.description))
    #expect(try await pass("symbols: [GOOG]", Self.symbols) == [])
  }

  @Test func `names that never came are told at the end`() async throws {
    func notes(_ options: String) async throws -> [String] {
      let harness = PluginHarness()
      let _: [Trade] = try await harness.output(of: Plugin.watchlistFilter, options: options, inputs: [Self.symbols.map(trade)])
      return harness.notes
    }
    #expect(try await notes("symbols: [APPL, NVDA]") == ["'APPL' never came; did you mean 'AAPL'?"])
    #expect(try await notes("{ symbols: [nvda, 'BRK.?'], invert: true }") == ["'nvda' never came; did you mean 'NVDA'?"])
    #expect(try await notes("symbols: ['MS*']") == ["no symbol that came matches 'MS*'"])
    #expect(try await notes("symbols: [AAPL, '*']") == [])
  }

  @Test func `invert passes what is not listed`() async throws {
    #expect(try await pass("{ symbols: [BRK*, NVDA], invert: true }", Self.symbols) == ["AAPL", "AAPL", "brk.a"])
  }

  @Test func `says by which entry a symbol passes, or that none lists it`() async throws {
    func said(_ options: String) async throws -> [String] {
      let running: RunningPlugin<Trade> = try PluginHarness().start(
        Plugin.watchlistFilter, options: options, taking: Trade.self, emitting: Trade.self)
      let said = await running.explain("BRK.A")
      try await running.stop()
      return said.map { "\($0.verdict) \($0.reason) by \($0.setting?.description ?? "")" }
    }
    #expect(try await said("symbols: [AAPL, BRK.A]") == ["passes 'symbols' lists it by symbols[1]"])
    #expect(try await said("symbols: [AAPL, 'BRK.*']") == ["passes 'BRK.*' in 'symbols' matches it by symbols[1]"])
    #expect(try await said("symbols: [AAPL]") == ["filters 'symbols' does not list it by symbols"])
    #expect(
      try await said("{ symbols: [BRK.A], invert: true }") == ["filters 'symbols' lists it, and 'invert' passes the others by invert"])
    #expect(
      try await said("{ symbols: [AAPL], invert: true }") == ["passes 'symbols' does not list it, and 'invert' passes the others by invert"]
    )
    let folder = TemporaryFolder()
    folder.put("BRK.A\n", in: "mine.txt")
    let path = folder.file("mine.txt")
    #expect(try await said("file: '\(path)'") == ["passes the file '\(path)' lists it by file"])
    folder.put("AAPL\n", in: "mine.txt")
    #expect(try await said("file: '\(path)'") == ["filters the file '\(path)' does not list it by file"])
    #expect(
      try await said("{ symbols: [AAPL], file: '\(path)' }") == ["filters neither 'symbols' nor the file '\(path)' lists it by symbols"])
  }

  @Test func `agrees with the plain meaning for thousands of symbols`() async throws {
    var random = RandomStream(seed: 3)
    let symbols = try (0..<8000).map { _ in
      try Symbol(String((0..<Int.random(in: 1...4, using: &random)).map { _ in "ABC".randomElement(using: &random)! }))
    }
    let patterns = ["A?", "*BA", "C", "B*C*"]
    let expected = symbols.map(\.description).filter { name in
      patterns.contains { matchesPlainly(Array(name.unicodeScalars)[...], Array($0.unicodeScalars)[...]) }
    }
    #expect(try await pass("symbols: ['A?', '*BA', C, 'B*C*']", symbols) == expected)
    #expect(expected.count > 500)
  }

  @Test func `what does not pass is counted as filtered`() async throws {
    let harness = try PipelineHarness(
      """
      sources: { ticks: { plugin: five } }
      processors: { mine: { plugin: watchlist_filter, inputs: [ticks], symbols: [A, C] } }
      sinks: { end: { plugin: forget, inputs: [mine] } }
      """, plugins: [.watchlistFilter, .five, .forget])
    let report = await harness.run()
    let counts = try #require(report.ledger.edges.first { $0.to == "mine" }?.counts)
    #expect(counts.published == 5)
    #expect(counts.filtered == 3)
    #expect(counts.delivered == 2)
    #expect(report.exitStatus == 0)
  }

  @Test(arguments: [
    ("", "1:1: error: 'symbols' or 'file' is needed"),
    (
      "symbols: [A, 'B,C']",
      "1:14: error: 'symbols': 'B,C': a symbol cannot contain control characters, quotation marks, backslashes or commas"
    ),
    ("{ symbols: [A], check: 1ms }", "1:24: error: 'check' must be between 10ms and 1h, got 1ms"),
  ])
  func `options that are not allowed`(options: String, message: String) async throws {
    await #expect {
      _ = try await pass(options, [])
    } throws: {
      ($0 as? Problems)?.description == "options.yaml:" + message
    }
  }
}

actor Five: Source {
  init(_ settings: NoOptions, _ context: Context) {}
  func run(into output: inout Outlet<Trade>) async throws {
    for symbol: Symbol in ["A", "B", "C", "D", "E"] { output.send(trade(symbol)) }
  }
}

actor Forget: Sink {
  init(_ settings: NoOptions, _ context: Context) {}
  func receive(_ events: Span<Trade>) {}
}

extension Plugin {
  static let five = Plugin("five", "Sends five.", .source(Five.self))
  static let forget = Plugin("forget", "Forgets.", .sink(Forget.self))
}
