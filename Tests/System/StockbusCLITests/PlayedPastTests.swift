import Foundation
import StockbusTestKit
import Testing

/// `past:` of a live source. What a venue sends behind it, Tests/System/Recovery/past.py tries.
@Suite(.enabled(if: ProgramTests.program != nil, "the program was not built"), .timeLimit(.minutes(15)))
struct PlayedPastTests {
  private let folder = TemporaryFolder()

  init() {
    folder.put(
      """
      time,symbol,price,size
      2024-01-02T14:30:00Z,AAPL-USD,100,10
      2024-01-02T14:31:00Z,AAPL-USD,101,10
      2024-01-02T14:32:00Z,MSFT-USD,90,10
      2024-01-02T14:33:00Z,XOM-USD,55,10
      2024-01-02T14:34:00Z,AAPL-USD,103,10

      """, in: "monday.csv")
    folder.put(desk("past: { from: monday.csv }"), in: "desk.yaml")
  }

  /// The venue is not there.
  private func desk(_ past: String, memory: String = "") -> String {
    """
    \(memory)
    sources:
      live:
        plugin: websocket
        preset: coinbase_exchange
        symbols: [AAPL-USD, MSFT-USD]
        decoding: { url: "ws://127.0.0.1:1/" }
        \(past)
    processors:
      minutes: { plugin: bars, inputs: [live], lengths: [1m] }
      broker: { plugin: paper_broker, inputs: [live], accounts: [{ name: fund }] }
    sinks:
      desk:
        plugin: notification_dispatcher
        inputs: [live]
        rules:
          - { name: high, above: 100.5, once: true }
          - { name: mean, when: "price > sma(price, 3)" }
          - { name: hour, when: "price > highest(prev(price), 1h)" }
        channels: [{ file: { name: log, path: alerts.log } }]
      minute_desk: { plugin: notification_dispatcher, inputs: [minutes], rules: [{ name: m, when: "close > sma(close, 2)" }] }
      rows: { plugin: file_writer, inputs: [live], path: rows.csv }
      bars: { plugin: file_writer, inputs: [minutes], path: bars.csv }
      ends: { plugin: null_sink, inputs: [broker] }

    """
  }

  private func text(_ name: String) -> String? {
    try? String(contentsOf: URL(filePath: folder.path).appending(path: name), encoding: .utf8)
  }

  /// Runs a configuration until `sign` is in what it says, and stops it; returns what it has said.
  private func run(_ config: String, until sign: String) throws -> String {
    let process = Process()
    process.executableURL = ProgramTests.program
    process.arguments = ["run", config]
    process.currentDirectoryURL = URL(filePath: folder.path)
    process.environment = [:]
    let errors = Pipe()
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = errors
    try process.run()
    var text = ""
    var isStopped = false
    while case let piece = errors.fileHandleForReading.availableData, !piece.isEmpty {
      text += String(decoding: piece, as: UTF8.self)
      if !isStopped, text.contains(sign) {
        isStopped = true
        process.terminate()
      }
    }
    process.waitUntilExit()
    return text
  }

  @Test func `the past is played without effects, and says what it was and what it was too short for`() throws {
    let said = try run("desk.yaml", until: "reconnecting")
    #expect(
      said.contains(
        "live: 4 events of the past, from 2024-01-02T14:30:00Z to 2024-01-02T14:34:00Z, in ") && said.contains("nothing is known from then")
    )
    #expect(said.contains("alerts that fired in the past, and were not sent: 1\n"))
    // AAPL-USD comes three times, and XOM is none of the source's symbols.
    #expect(said.contains("'desk' needs 3 trades of each symbol for sma(price, 3), and the past had 1 of MSFT-USD\n"))
    #expect(said.contains("'desk' needs 1h for highest(prev(price), 1h), and the past had 4m"))
    // The bar of the last minute goes on.
    #expect(said.contains("'minute_desk' needs 2 bars of each symbol for sma(close, 2), and the past had 1 of MSFT-USD\n"))
    #expect(said.contains("rows: records 0,") && said.contains("bars: records 1,"))
    #expect(text("bars.csv")?.contains("AAPL-USD,1m,103,103,103,103") == true)
    #expect((text("alerts.log") ?? "") == "")
  }

  @Test func `a run with a memory plays only what came since`() throws {
    folder.put(desk("past: { from: monday.csv }", memory: "runtime: { memory: desk.memory }"), in: "kept.yaml")
    let first = try run("kept.yaml", until: "reconnecting")
    #expect(first.contains("live: 4 events of the past"))
    let kept = try #require(text("desk.memory"))
    #expect(kept.contains("\"component\":\"desk\"") && kept.contains("end of the past"))
    let second = try run("kept.yaml", until: "reconnecting")
    #expect(second.contains("these go on: ") && !second.contains("events of the past") && !second.contains("fired in the past"))
  }

  @Test func `the history that a run keeps is its past the next time`() throws {
    let desk = """
      sources:
        live:
          plugin: websocket
          preset: binance
          symbols: [AAPL-USD, MSFT-USD]
          event: bar
          decoding: { url: "ws://127.0.0.1:1/" }
          past: { from: kept.db }
      sinks:
        kept: { plugin: history, inputs: [live], path: kept.db }
        desk: { plugin: notification_dispatcher, inputs: [live], rules: [{ name: mean, when: "close > sma(close, 2)" }] }
      """
    folder.put(desk, in: "bars.yaml")
    let first = try ProgramTests.run(["validate", "bars.yaml"], in: URL(filePath: folder.path))
    #expect(first.errors == "bars.yaml:8:19: warning: source 'live': past: 'from': sink 'kept' has not written 'kept.db' yet\n")
    folder.put(
      """
      sources: { ticks: { plugin: file_replay, path: monday.csv } }
      processors: { bars: { plugin: bars, inputs: [ticks], lengths: [1m, 2m] } }
      sinks: { kept: { plugin: history, inputs: [bars], path: kept.db } }
      """, in: "keep.yaml")
    #expect(try ProgramTests.run(["run", "keep.yaml"], in: URL(filePath: folder.path)).status == 0)
    let said = try run("bars.yaml", until: "reconnecting")
    // The source's symbols only.
    #expect(said.contains("live: 4 events of the past, from 2024-01-02T14:30:00Z to 2024-01-02T14:34:00Z, in "), "\(said)")
    #expect(said.contains("kept.db: assumed length: 1m\n"))
    #expect(said.contains("'desk' needs 2 bars of each symbol for sma(close, 2), and the past had 1 of MSFT-USD\n"))
  }

  @Test func `recordings that the source cannot have are an error at their place`() throws {
    func problem(_ event: String, _ file: String) throws -> String {
      let live = "plugin: websocket, preset: coinbase_advanced, symbols: [AAPL-USD], decoding: { url: 'ws://127.0.0.1:1/' }"
      folder.put(
        """
        sources:
          live: { \(live), event: \(event), past: { from: \(file) } }
        sinks: { seen: { plugin: null_sink, inputs: [live] } }
        """, in: "wrong.yaml")
      let result = try ProgramTests.run(["validate", "wrong.yaml"], in: URL(filePath: folder.path))
      #expect(result.status == 78)
      return result.errors
    }
    folder.put("a text\n", in: "text.db")
    let place = "wrong.yaml:2:"
    let bars = try problem("bar", "monday.csv")
    #expect(bars.hasPrefix(place) && bars.contains("source 'live': past: 'from': 'monday.csv', line 1: no columns for the open"), "\(bars)")
    let text = try problem("trade", "text.db")
    #expect(text.hasPrefix(place) && text.contains("source 'live': past: 'from': 'text.db'"), "\(text)")
    folder.put(
      """
      sources: { ticks: { plugin: file_replay, path: monday.csv } }
      processors: { bars: { plugin: bars, inputs: [ticks], lengths: [1m] } }
      sinks: { kept: { plugin: history, inputs: [bars], path: kept.db } }
      """, in: "keep.yaml")
    #expect(try ProgramTests.run(["run", "keep.yaml"], in: URL(filePath: folder.path)).status == 0)
    let history = try problem("quote", "kept.db")
    #expect(history.hasPrefix(place) && history.contains("'kept.db', which is a history, whose events are bars"), "\(history)")
  }

  @Test func `validate says what the past has and what components need`() throws {
    folder.put(desk("past: { from: monday.csv, last: 30m }"), in: "short.yaml")
    let short = try ProgramTests.run(["validate", "short.yaml"], in: URL(filePath: folder.path))
    #expect(short.status == 0)
    #expect(
      short.output.hasSuffix(
        """
        past: live plays the last 30m of monday.csv
        past: 'desk' needs 3 trades of each symbol for sma(price, 3), which is known once it is played
        past: 'desk' needs 2 trades of each symbol for highest(prev(price), 1h), which is known once it is played
        past: 'desk' needs 1h for highest(prev(price), 1h)
        past: 'desk' needs 2 trades of each symbol for prev(price), which is known once it is played
        past: 'minute_desk' needs 2 bars of each symbol for sma(close, 2): 2m of 30m

        """))
    #expect(short.errors == "warning: 'desk' needs 1h for highest(prev(price), 1h), and the past goes back 30m\n")
    // Each component has the past of its own sources.
    let live = "websocket, preset: coinbase_exchange, decoding: { url: 'ws://127.0.0.1:1/' }"
    let rules = "notification_dispatcher, rules: [{ name: hour, when: 'price > highest(price, 1h)' }]"
    folder.put(
      """
      sources:
        a: { plugin: \(live), symbols: [AAPL-USD], past: { from: monday.csv, last: 30m } }
        b: { plugin: \(live), symbols: [XOM-USD], past: { from: monday.csv, last: 2h } }
      sinks:
        one: { plugin: \(rules), inputs: [b] }
        both: { plugin: \(rules), inputs: [a, b], merge: received }
      """, in: "two.yaml")
    let two = try ProgramTests.run(["validate", "two.yaml"], in: URL(filePath: folder.path))
    #expect(two.output.contains("past: 'one' needs 1h for highest(price, 1h)\n"))
    #expect(two.errors == "warning: 'both' needs 1h for highest(price, 1h), and the past goes back 30m\n")
    folder.put(desk("past: { from: 'captures/*.raw', last: 2d }"), in: "none.yaml")
    let none = try ProgramTests.run(["validate", "none.yaml"], in: URL(filePath: folder.path))
    #expect(
      none.status == 0 && none.errors.contains("none.yaml:8:19: warning: source 'live': past: 'from': no file matches 'captures/*.raw' yet")
    )
  }

  @Test func `what is wrong with a past is said at its place`() throws {
    func problem(_ text: String) throws -> String {
      folder.put(text, in: "bad.yaml")
      let result = try ProgramTests.run(["validate", "bad.yaml"], in: URL(filePath: folder.path))
      #expect(result.status == 78)
      return result.errors
    }
    #expect(
      try problem(desk("past: { from: monda.csv }")).contains(
        "bad.yaml:8:19: error: source 'live': past: 'from': no such file 'monda.csv'; did you mean 'monday.csv'?"))
    #expect(
      try problem(desk("past: { from: monday.csv, last: 2 }")).contains(
        "bad.yaml:8:37: error: source 'live': past: 'last' must be a duration"))
    #expect(
      try problem(desk("past: monday.csv")).contains(
        "bad.yaml:8:11: error: source 'live': 'past' must be a mapping with 'from', got 'monday.csv'"))
    #expect(
      try problem(
        "sources: { made: { plugin: generator, past: { from: monday.csv } } }\nsinks: { end: { plugin: null_sink, inputs: [made] } }\n"
      )
      .contains(
        "bad.yaml:1:45: error: source 'made': 'past' is what is played before a live source begins, and 'generator' is none; these have one: http_poll, websocket"
      ))
  }
}
