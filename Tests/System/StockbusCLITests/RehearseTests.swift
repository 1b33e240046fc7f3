import Foundation
import StockbusTestKit
import Testing

/// `rehearse`: what the rules of a configuration make of recordings.
@Suite(.enabled(if: ProgramTests.program != nil, "the program was not built")) struct RehearseTests {
  private let folder = TemporaryFolder()

  init() throws {
    // AAPL is above 100 from minute 1 and from minute 4 on, MSFT from minute 3 on.
    folder.put(
      """
      time,symbol,price,size
      2024-01-02T14:30:00Z,AAPL,100,10
      2024-01-02T14:30:00Z,MSFT,90,10
      2024-01-02T14:31:00Z,AAPL,101,10
      2024-01-02T14:32:00Z,AAPL,99,10
      2024-01-02T14:33:00Z,MSFT,102,10
      2024-01-02T14:34:00Z,AAPL,103,10
      2024-01-02T14:40:00Z,MSFT,102,10

      """, in: "monday.csv")
    folder.put(configuration("100"), in: "desk.yaml")
  }

  private func configuration(_ level: String) -> String {
    """
    sources:
      live: { plugin: generator, symbols: [AAPL, MSFT] }
    processors:
      broker: { plugin: paper_broker, inputs: [live], path: fund.db, accounts: [{ name: fund }] }
    sinks:
      desk:
        plugin: notification_dispatcher
        inputs: [live]
        rules:
          - { name: high, above: \(level), channels: [log] }
          - { name: silent, symbols: [AAPL], silent_for: 4m, resolve: true }
          - { name: never, above: 1000 }
        channels: [{ file: { name: log, path: alerts.log } }, { command: { run: [touch, called] } }]
      rows: { plugin: file_writer, inputs: [live], path: rows.csv }
      ends: { plugin: null_sink, inputs: [broker] }

    """
  }

  private func run(_ arguments: String...) throws -> (status: Int32, output: String, errors: String) {
    try ProgramTests.run(["rehearse"] + arguments, in: URL(filePath: folder.path))
  }

  @Test func `each rule is listed with its alerts, also one that has not fired, and nothing is written`() throws {
    let before = folder.names
    let result = try run("desk.yaml", "--over", "monday.csv")
    #expect(result.errors == "" && result.status == 0)
    #expect(
      result.output == """
        RULE    ALERTS  FIRST                 LAST                  INSTRUMENTS
        high    3       2024-01-02T14:31:00Z  2024-01-02T14:34:00Z  AAPL 2, MSFT 1
        silent  1       2024-01-02T14:38:00Z  2024-01-02T14:38:00Z  AAPL 1
        never   0

        2024-01-02T14:31:00Z ▏█       █   █               █▕ a bar is 15s, the highest 1

        ACCOUNT  ORDERS  REJECTED  FILLS  FIRST  LAST  REALISED  UNREALISED  EQUITY
        fund     0       0         0                   0         0           100000

        """)
    #expect(folder.names == before)
  }

  @Test func `against another configuration, what differs is shown`() throws {
    folder.put(configuration("100.5"), in: "same.yaml")
    folder.put(configuration("101"), in: "new.yaml")
    #expect(try run("same.yaml", "--over", "monday.csv", "--against", "desk.yaml", "--format", "json").output == "")
    let result = try run("new.yaml", "--over", "live=monday.csv", "--against", "desk.yaml")
    #expect(
      result.output.hasSuffix(
        """

        3 the same, 0 more, 1 less, 0 at another time
        - 2024-01-02T14:31:00Z  high  AAPL is above 100: 101

        """), "\(result.output)")
  }

  @Test func `alerts one by one are rows or lines`() throws {
    let rows = try run("desk.yaml", "--over", "monday.csv", "--format", "csv").output
    #expect(
      rows.split(separator: "\n").map { $0.split(separator: ",")[0...1].joined(separator: " ") } == [
        "component symbol", "desk AAPL", "desk MSFT", "desk AAPL", "desk AAPL", "component account", "broker fund",
      ])
    let lines = try run("desk.yaml", "--over", "monday.csv", "--format", "json").output.split(separator: "\n")
    #expect(lines.count == 5 && lines.dropLast().allSatisfy { $0.hasPrefix("{\"component\":\"desk\",\"symbol\":") })
  }

  @Test(arguments: [
    ([], "source 'live' has no recording: name the file with its trades, --over live=FILE"),
    (["--over", "life=monday.csv"], "--over life=monday.csv: there is no source 'life'; did you mean 'live'?"),
    (["--over", "quotes.csv"], "--over quotes.csv: it has quotes, which no source sends; there are live"),
  ])
  func `a recording that fits no source is an error that says what to write`(arguments: [String], message: String) throws {
    folder.put("time,symbol,bid,ask,bid_size,ask_size\n2024-01-02T14:30:00Z,AAPL,1,2,10,10\n", in: "quotes.csv")
    let result = try ProgramTests.run(["rehearse", "desk.yaml"] + arguments, in: URL(filePath: folder.path))
    #expect(result.status == 64 && result.output == "")
    #expect(result.errors == "Error: \(message)\n")
  }

  @Test func `a source of which there are two has to be named`() throws {
    folder.put(
      configuration("100").replacing("  live:", with: "  other: { plugin: generator }\n  live:").replacing(
        "inputs: [live]\n    rules", with: "inputs: [live, other]\n    rules"), in: "desk.yaml")
    #expect(
      try run("desk.yaml", "--over", "monday.csv").errors
        == "Error: --over monday.csv: 'other' and 'live' send trades; write which, --over other=monday.csv\n")
    #expect(try run("desk.yaml", "--over", "live=monday.csv", "--over", "other=monday.csv").status == 0)
  }

  // MARK: Orders

  /// A strategy that buys above the average of two trades and sells below it, once with an account and once with one that does not exist.
  private func trading(_ quantity: Int) -> String {
    """
    sources:
      live: { plugin: generator, symbols: [AAPL] }
    processors:
      follows: { plugin: demo_momentum, inputs: [live], account: fund, window: 2, quantity: \(quantity) }
      lost: { plugin: demo_momentum, inputs: [live], account: ghost, window: 2 }
      broker: { plugin: paper_broker, inputs: [live, follows, lost], path: fund.db, value_every: 1s, accounts: [{ name: fund }] }
    sinks:
      fills: { plugin: file_writer, inputs: [broker.fills], path: fills.csv }

    """
  }

  @Test func `what a paper broker did is said by account, and compared`() throws {
    // Each order is filled by the next trade: bought at 103 and sold at 104, bought again at 105, and 107 at the end.
    let prices = [100, 100, 102, 103, 100, 104, 105, 107, 107]
    let rows = prices.enumerated().map { "2024-01-02T14:3\($0):00Z,AAPL,\($1),1000\n" }
    folder.put("time,symbol,price,size\n" + rows.joined(), in: "prices.csv")
    folder.put(trading(100), in: "new.yaml")
    folder.put(trading(50), in: "old.yaml")
    let before = folder.names
    let result = try run("new.yaml", "--over", "prices.csv")
    #expect(result.errors == "" && result.status == 0)
    #expect(
      result.output == """
        ACCOUNT  ORDERS  REJECTED  FILLS  FIRST                 LAST                  REALISED  UNREALISED  EQUITY
        fund     3       0         3      2024-01-02T14:32:00Z  2024-01-02T14:35:00Z  100       200         100300
        ghost    3       3         0      2024-01-02T14:32:00Z  2024-01-02T14:35:00Z  0         0           0

        """)
    let lines = try run("new.yaml", "--over", "prices.csv", "--against", "old.yaml", "--format", "json").output
    let orders = #""orders":3,"rejected":0,"fills":3,"first":"2024-01-02T14:32:00Z","last":"2024-01-02T14:35:00Z""#
    #expect(
      lines == #"{"component":"broker","account":"fund",\#(orders),"realised":100,"unrealised":200,"equity":100300,"#
        + #""was":{\#(orders),"realised":50,"unrealised":100,"equity":100150}}"# + "\n")
    let table = try run("new.yaml", "--over", "prices.csv", "--against", "old.yaml", "--format", "csv").output
    #expect(
      table.hasSuffix(
        """

        component,account,change,orders,rejected,fills,first,last,realised,unrealised,equity
        broker,fund,now,3,0,3,2024-01-02T14:32:00Z,2024-01-02T14:35:00Z,100,200,100300
        broker,fund,was,3,0,3,2024-01-02T14:32:00Z,2024-01-02T14:35:00Z,50,100,100150

        """), "\(table)")
    #expect(folder.names == before)
  }

  // MARK: Symbols

  @Test func `symbols that the source does not have are left out, and counted`() throws {
    folder.put(configuration("100").replacing("[AAPL, MSFT]", with: "[AAPL, TSLA]"), in: "desk.yaml")
    let result = try run("desk.yaml", "--over", "monday.csv")
    #expect(result.errors == "live: left out 1 symbol of the recording that it does not have: MSFT\n" && result.status == 0)
    #expect(result.output.contains("high    2       2024-01-02T14:31:00Z  2024-01-02T14:34:00Z  AAPL 2\n"), "\(result.output)")
  }

  // MARK: Captures

  private func venue(_ source: String) -> String {
    """
    sources: { \(source) }
    sinks: { desk: { plugin: notification_dispatcher, inputs: [live], rules: [{ name: high, above: 200 }] } }

    """
  }

  private static let preset = "live: { plugin: websocket, preset: binance, symbols: [BTC/USDT] }"

  private func putCapture() throws {
    let trades = [("BTCUSDT", "199.5"), ("BTCUSDT", "201"), ("ETHUSDT", "199"), ("ETHUSDT", "202")].enumerated().map { number, trade in
      let time = 1_723_161_600_000 + number * 1000
      return #"\#(time)000000 {"stream":"x@trade","data":{"e":"trade","E":\#(time),"s":"\#(trade.0)","t":\#(number),"p":"\#(trade.1)","#
        + #""q":"1","T":\#(time),"m":true,"M":true}}"#
    }
    folder.put(#"1723161599000000000 {"result":null,"id":1}"# + "\n" + trades.joined(separator: "\n") + "\n", in: "venue.raw")
  }

  @Test func `a raw capture is decoded by the description of the source that it replaces`() throws {
    try putCapture()
    folder.put(venue(Self.preset), in: "venue.yaml")
    let result = try run("venue.yaml", "--over", "venue.raw", "--format", "csv")
    #expect(result.errors == "live: left out 1 symbol of the recording that it does not have: ETHUSDT\n" && result.status == 0)
    let rows = result.output.split(separator: "\n")
    #expect(rows.count == 2 && rows[1].hasPrefix("desk,BTC/USDT,201,"), "\(result.output)")

    let decoding = """
      messages: { t: { when: { data.e: trade }, event: trade, fields: { symbol: data.s, price: data.p, size: data.q, time: data.T } } }, time: ms
      """
    folder.put(venue("live: { plugin: http_poll, url: 'http://localhost/x', decoding: { \(decoding) } }"), in: "own.yaml")
    let own = try run("own.yaml", "--over", "venue.raw", "--format", "csv").output.split(separator: "\n")
    #expect(own.count == 3 && own[1].hasPrefix("desk,BTCUSDT,201,") && own[2].hasPrefix("desk,ETHUSDT,202,"), "\(own)")
  }

  @Test func `a raw capture goes to one source that decodes messages`() throws {
    try putCapture()
    let quotes = "quotes: { plugin: websocket, preset: binance, symbols: [BTC/USDT], event: quote }"
    let two = venue("\(Self.preset), \(quotes)").replacing("sinks: {", with: "sinks: { ends: { plugin: null_sink, inputs: [quotes] },")
    folder.put(two, in: "two.yaml")
    folder.put(venue("live: { plugin: generator, symbols: [A] }"), in: "none.yaml")
    #expect(
      try run("two.yaml", "--over", "venue.raw").errors
        == "Error: --over venue.raw: 'live' and 'quotes' take messages of a venue; write which, --over live=venue.raw\n")
    #expect(
      try run("none.yaml", "--over", "venue.raw").errors
        == "Error: --over venue.raw: it has messages of a venue, which no source takes; there are live\n")
    let result = try run("none.yaml", "--over", "live=venue.raw")
    #expect(
      result.status == 78
        && result.errors.hasPrefix(
          "none.yaml:1:28: error: 'venue.raw' is a raw capture, and source 'live' does not say how messages are decoded\n"),
      "\(result)")
    folder.put(venue(Self.preset), in: "venue.yaml")
    #expect(
      try run("venue.yaml", "--over", "live=venue.raw", "--over", "live=monday.csv").errors
        == "Error: --over live=monday.csv: it has rows, and venue.raw messages; one source reads one of both\n")
  }

  // MARK: Mistakes

  @Test func `a mistake names the configuration that it is about, if there are two`() throws {
    folder.put(configuration("100").replacing("live", with: "feed"), in: "old.yaml")
    #expect(
      try run("desk.yaml", "--over", "live=monday.csv", "--against", "old.yaml").errors
        == "Error: old.yaml: --over live=monday.csv: there is no source 'live'; there are feed\n")
    #expect(
      try run("old.yaml", "--over", "live=monday.csv", "--against", "desk.yaml").errors
        == "Error: old.yaml: --over live=monday.csv: there is no source 'live'; there are feed\n")
  }

  @Test func `a pipe is no recording`() throws {
    #expect(mkfifo(folder.file("pipe"), 0o600) == 0)
    let result = try run("desk.yaml", "--over", "pipe")
    #expect(
      result.errors == "Error: 'pipe' is a pipe or a device, which can be read only once: write what it gives to a file\n"
        && result.status == 64)
  }

  @Test func `the bars of a history are a recording, by default those of its shortest length`() throws {
    let bars = """
      sources: { ticks: { plugin: file_replay, path: monday.csv } }
      processors: { bars: { plugin: bars, inputs: [ticks], lengths: [1m, 5m] } }
      sinks: { kept: { plugin: history, inputs: [bars], path: kept.db } }
      """
    folder.put(bars, in: "keep.yaml")
    #expect(try ProgramTests.run(["run", "keep.yaml"], in: URL(filePath: folder.path)).status == 0)
    folder.put(
      """
      sources:
        live: { plugin: websocket, preset: binance, symbols: [AAPL], event: bar, decoding: { url: "ws://127.0.0.1:1/" } }
      sinks: { desk: { plugin: notification_dispatcher, inputs: [live], rules: [{ name: up, when: "close > prev(close)" }] } }
      """, in: "live.yaml")
    let result = try run("live.yaml", "--over", "kept.db")
    // AAPL closes at 100, 101, 99 and 103. What is true from the first verdict on has not become true.
    #expect(
      result.output.hasPrefix(
        """
        RULE  ALERTS  FIRST                 LAST                  INSTRUMENTS
        up    1       2024-01-02T14:34:00Z  2024-01-02T14:34:00Z  AAPL 1
        """), "\(result.output)")
    #expect((result.output + result.errors).contains("kept.db: assumed length: 1m; Which of its bars does the source send?"))
    let trades = try run("desk.yaml", "--over", "kept.db")
    #expect(trades.status == 64 && trades.errors.contains("--over kept.db: it has bars, which no source sends"), "\(trades)")
  }
}
