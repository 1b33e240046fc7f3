import FileReplay
import FileWriter
import Generator
import HTTPPoll
import NullSink
import SortingFeed
import StockbusTestKit
import Testing
import WatchlistFilter
import WebSocketFeed

@Suite(.timeLimit(.minutes(15))) struct BuiltInContractTests {
  static let trades: [Trade] = (0..<500).map { i in
    let symbols: [Symbol] = ["AAPL", "NVDA", "TSLA"]
    let price = Int64(100 + i * 37 % 23) * 1_000_000_000
    let time = Timestamp(ns: Int64(i))
    return Trade(symbol: symbols[i % 3], price: Price(raw: price), size: 100, time: time, received: time)
  }

  @Test(arguments: ["", "count: 7", "{ rate: max, symbols: 3 }", "{ rate: 50/s, model: step }", "model: uniform"])
  func `generator keeps the contract`(options: String) async {
    let violations = await checkContract(.generator, options: options)
    #expect(violations == [])
  }

  @Test func `watchlist_filter keeps the contract`() async {
    let violations = await checkContract(.watchlistFilter, options: "symbols: [AAPL, T*]", inputs: [Feed(Self.trades), Feed(Self.trades)])
    #expect(violations == [])
  }

  @Test(arguments: ["", "{ by: volume, order: ascending, top: 2 }"])
  func `sorting_feed keeps the contract`(options: String) async {
    let violations = await checkContract(.sortingFeed, options: options, inputs: [Feed(Self.trades)])
    #expect(violations == [])
    let others = await checkContract(.sortingFeed, options: options, inputs: [Feed([Quote.schema.example])])
    #expect(others == [])
  }

  @Test(arguments: ["/dev/null", "-"])
  func `file_writer keeps the contract`(path: String) async {
    // Standard output belongs to the test runner, so nothing is written there.
    let violations = await checkContract(.fileWriter, options: "path: '\(path)'", inputs: [Feed(path == "-" ? [] : Self.trades)])
    #expect(violations == [])
  }

  @Test func `null_sink keeps the contract with every event type of the house`() async {
    func check<E: Event>(_: E.Type) async {
      let violations = await checkContract(.nullSink, inputs: [Feed([E.schema.example, E.schema.example])])
      #expect(violations == [])
    }
    await check(Trade.self)
    await check(Quote.self)
    await check(Bar.self)
    await check(Ranked.self)
    await check(Mover.self)
    await check(Alert.self)
    await check(ConnectionStatus.self)
    await check(DeadLetter.self)
  }

  @Test(arguments: [Plugin.fileReplay, .webSocketFeed, .httpPoll])
  func `each word of the option that chooses the events has events of its own`(plugin: Plugin) throws {
    let words = try #require(plugin.options.describe().first { $0.name == "event" }?.rangeText).split(separator: ", ").map(String.init)
    let outputs = words.map { word in
      plugin.blueprint(for: [], options: ConfigNode(.object([.init("event", .string(word))])))?.output?.eventName
    }
    #expect(Set(outputs).count == words.count)
  }
}
