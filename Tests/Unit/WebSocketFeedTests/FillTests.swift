import MarketData
import StockbusDecoding
import StockbusNetwork
import StockbusPlugin
import StockbusTestKit
import Synchronization
import TestServers
import TestSupport
import Testing

@testable import WebSocketFeed

/// A trade of a venue's own record. Its number is its price.
private struct Print: Hashable, Sendable {
  let symbol: String
  let number: Int64
  let time: Timestamp
  let isSell: Bool

  var line: String { "\(symbol) \(number) \(isSell ? "sell" : "buy") \(time)" }
}

/// How a venue writes its trades.
private enum Dialect: String, CaseIterable, Sendable {
  case binance, coinbaseExchange = "coinbase_exchange", kraken

  var series: String { self == .coinbaseExchange ? "match" : "trade" }

  /// The path and the query of a page.
  var path: String {
    switch self {
    case .binance: "/page?symbol={symbol}&fromId={from}"
    case .coinbaseExchange: "/page?symbol={symbol}&after={before}"
    case .kraken: "/page?symbol={symbol}&since={since:ns}"
    }
  }

  func name(_ symbol: String, rest: Bool) -> String {
    switch self {
    case .binance: symbol.replacing("-", with: "")
    case .coinbaseExchange: symbol
    case .kraken: rest ? symbol.replacing("BTC", with: "XBT").replacing("-", with: "") : symbol.replacing("-", with: "/")
    }
  }

  func message(_ print: Print) -> String {
    let (name, n) = (name(print.symbol, rest: false), print.number)
    return switch self {
    case .binance:
      #"{"e":"trade","s":"\#(name)","t":\#(n),"p":"\#(n)","q":"2","T":\#(print.time.ns / 1_000_000),"m":\#(print.isSell)}"#
    case .coinbaseExchange:
      #"{"type":"match","trade_id":\#(n),"side":"\#(print.isSell ? "buy" : "sell")","size":"2","price":"\#(n)","product_id":"\#(name)","time":"\#(print.time)"}"#
    case .kraken:
      #"{"channel":"trade","type":"update","data":[{"symbol":"\#(name)","side":"\#(print.isSell ? "sell" : "buy")","price":\#(n),"qty":2,"trade_id":\#(n),"timestamp":"\#(print.time)"}]}"#
    }
  }

  /// The rows of a page about one symbol, of which the record is ordered by number.
  func page(_ record: [Print], query: [String: String], size: Int) -> String {
    let prints = record.filter { name($0.symbol, rest: true) == query["symbol"] }
    func number(_ key: String) -> Int64 { query[key].flatMap { Int64($0) } ?? 0 }
    switch self {
    case .binance:
      let rows = prints.filter { $0.number >= number("fromId") }.prefix(size)
      let texts = rows.map {
        #"{"id":\#($0.number),"price":"\#($0.number)","qty":"2","time":\#($0.time.ns / 1_000_000),"isBuyerMaker":\#($0.isSell),"isBestMatch":true}"#
      }
      return "[\(texts.joined(separator: ","))]"
    case .coinbaseExchange:
      let rows = prints.reversed().filter { $0.number < number("after") }.prefix(size)
      let texts = rows.map {
        #"{"trade_id":\#($0.number),"side":"\#($0.isSell ? "buy" : "sell")","size":"2","price":"\#($0.number)","time":"\#($0.time)"}"#
      }
      return "[\(texts.joined(separator: ","))]"
    case .kraken:
      let rows = prints.filter { $0.time.ns > number("since") }.prefix(size)
      let texts = rows.map { print in
        let ms = print.time.ns / 1_000_000
        let decimals = String(ms % 1000 + 1000).dropFirst()
        return #"["\#(print.number)","2",\#(ms / 1000).\#(decimals),"\#(print.isSell ? "s" : "b")","m","",\#(print.number)]"#
      }
      return #"{"error":[],"result":{"THEPAIR":[\#(texts.joined(separator: ","))],"last":"\#(rows.last?.time.ns ?? 0)"}}"#
    }
  }

  /// A refusal of a page.
  var refusal: ScriptedServer.Reaction {
    switch self {
    case .binance: .answer(418, ["Retry-After": "3"], #"{"code":-1003,"msg":"Too many requests"}"#)
    case .coinbaseExchange: .answer(429, ["Retry-After": "2"], #"{"message":"rate limit exceeded"}"#)
    case .kraken: .answer(200, [:], #"{"error":["EGeneral:Too many requests"]}"#)
    }
  }
}

/// What a venue sends on each connection, and what it leaves out.
private struct Scenario: Sendable {
  var record: [Print] = []
  /// The numbers that are sent on each connection, in order.
  var visits: [[Print]] = [[]]
  /// What the REST does not have.
  var lost: Set<Print> = []
  let pageSize: Int

  static let symbols = ["BTC-USD", "ETH-USD"]

  init(seed: Int) {
    var random = SplitMix(seed)
    pageSize = 4 + random.upTo(6)
    var time: Int64 = 1_381_239_000_000
    var next: [Int64] = [Int64(random.upTo(50)), 9_000_000_000]
    for _ in 0..<(30 + random.upTo(60)) {
      let symbol = random.upTo(1)
      // Up to a few trades of a symbol have the same time.
      if !random.oneIn(3) { time += Int64(random.upTo(40)) }
      let ties = record.suffix(3).allSatisfy { $0.time.ns == time * 1_000_000 }
      if ties { time += 1 }
      record.append(
        Print(symbol: Self.symbols[symbol], number: next[symbol], time: Timestamp(ns: time * 1_000_000), isSell: random.oneIn(2)))
      next[symbol] += 1
    }
    if random.oneIn(3) { lost = Set(record.filter { _ in random.oneIn(10) }) }
    var sent: [Print] = []
    var index = 0
    while index < record.count {
      let print = record[index]
      index += 1
      let isLast = !record[index...].contains { $0.symbol == print.symbol }
      switch isLast ? 0 : random.upTo(30) {
      case 1...4: continue  // dropped
      case 5: index = min(index + random.upTo(12), record.count)  // many dropped
      case 6, 7:  // repeated
        if let again = sent.randomElement(using: &random) { visits[visits.count - 1].append(again) }
      case 8, 9:  // out of order
        if index < record.count, record[index...].dropFirst().contains(where: { $0.symbol == record[index].symbol }) {
          visits[visits.count - 1].append(record[index])
          sent.append(record[index])
          index += 1
        }
      case 10:  // reset, and some missed meanwhile
        visits.append([])
        if random.oneIn(2) { index = min(index + random.upTo(12), record.count) }
      default: break
      }
      visits[visits.count - 1].append(print)
      sent.append(print)
    }
    // The last trade of each symbol shows what is missing before it.
    for symbol in Self.symbols {
      if let last = record.last(where: { $0.symbol == symbol }), !sent.contains(last) { visits[visits.count - 1].append(last) }
    }
  }

  var sent: Set<Print> { Set(visits.joined()) }
  var repeats: Int { visits.joined().count - sent.count }

  /// The trades that can be known to exist: between a symbol's first and last that were sent.
  var knowable: Set<Print> {
    let sent = sent
    return Set(record.filter { print in sent.contains { $0.symbol == print.symbol && $0.number <= print.number } })
  }
}

private enum Rest { case works, dead, isNotAsked }

@Suite(.timeLimit(.minutes(15))) struct FillTests {
  private func feed(_ dialect: Dialect, _ venue: Venue, rest: String, fill: Bool = true, _ more: String = "") -> String {
    """
    preset: \(dialect.rawValue)
    url: "\(venue.url)"
    symbols: [BTC-USD, ETH-USD]
    gaps: \(fill ? "fill" : "report")
    decoding: { silence: 24h, fill: { \(dialect.series): { url: "\(rest)\(dialect.path)" } } }
    connection: { ping: 24h, connect_deadline: 10m, handshake_deadline: 10m }
    \(more)
    """
  }

  private static func query(_ path: String) -> [String: String] {
    let pairs = path.split(separator: "?").last?.split(separator: "&").map { $0.split(separator: "=").map(String.init) } ?? []
    return Dictionary(pairs.compactMap { $0.count == 2 ? ($0[0], $0[1]) : nil }) { first, _ in first }
  }

  private func line(_ trade: Trade) -> String { "\(trade.symbol) \(trade.price) \(trade.side) \(trade.time)" }

  /// The numbers that were told, by symbol, each as often as it was told.
  private func told(_ harness: PluginHarness, series: String) -> [String] {
    harness.notices.gaps.value.flatMap { gap in
      (gap.expected..<max(gap.expected, gap.got)).map { "\(gap.stream.dropFirst(series.count + 1)) \($0)" }
    }
  }

  /// Runs a scenario until every trade has come or was told.
  private func run(_ seed: Int, _ rest: Rest) async throws {
    let dialect = Dialect.allCases[seed % 3]
    let scenario = Scenario(seed: seed)
    let harness = PluginHarness(id: "live")
    let server = try await ScriptedServer { request, number in
      if rest == .dead { return number % 2 == 0 ? .answer(503) : .hangUp }
      var random = SplitMix(seed * 1000 + number)
      switch random.upTo(15) {
      case 0: return .answer(503)
      case 1: return dialect.refusal
      case 2: return .hangUp
      case 3: return .answer(200, [:], dialect.page([], query: [:], size: 0))  // behind the feed
      default:
        let known = scenario.record.filter { !scenario.lost.contains($0) }
        return .answer(200, [:], dialect.page(known, query: Self.query(request.path), size: scenario.pageSize))
      }
    }
    let venue = try await Venue(clock: harness.clock) { visit in
      try await visit.hear(dialect == .coinbaseExchange ? 2 : 1)
      guard visit.number <= scenario.visits.count else { return await visit.stay() }
      for print in scenario.visits[visit.number - 1] { visit.connection.queue(text: dialect.message(print)) }
      try await visit.connection.flush()
      if visit.number == scenario.visits.count { return await visit.stay() }
      await visit.connection.close(.goingAway, within: .seconds(2))
    }
    let running = try harness.start(
      Plugin.webSocketFeed, options: feed(dialect, venue, rest: server.origin, fill: rest != .isNotAsked), emitting: Trade.self)
    let all = rest == .isNotAsked ? scenario.visits.joined().count : scenario.knowable.count
    while running.output.count + (rest == .isNotAsked ? 0 : told(harness, series: dialect.series).count) < all {
      // Eight replies that fail take minutes.
      harness.clock.advance(by: .milliseconds(rest == .dead ? 200 : 20))
      await networkTurn()
    }
    try await running.stop()
    await venue.server.stop()
    await server.close()
    judge(scenario, harness, running.output, dialect, rest)
  }

  private func judge(_ scenario: Scenario, _ harness: PluginHarness, _ output: [Trade], _ dialect: Dialect, _ rest: Rest) {
    let told = told(harness, series: dialect.series)
    guard rest != .isNotAsked else {
      #expect(output.map(line) == scenario.visits.joined().map(\.line))
      var last: [String: Int64] = [:]
      var gaps: [String] = []
      for print in scenario.visits.joined() {
        if let before = last[print.symbol], print.number != before + 1 { gaps.append("\(print.symbol) \(before + 1) \(print.number)") }
        last[print.symbol] = print.number
      }
      #expect(harness.notices.gaps.value.map { "\($0.stream.dropFirst(dialect.series.count + 1)) \($0.expected) \($0.got)" } == gaps)
      return
    }
    let missed = scenario.knowable.subtracting(scenario.sent)
    let gone = rest == .dead ? missed : missed.intersection(scenario.lost)
    // No double, none lost, and the gaps have the right numbers.
    #expect(output.map(line).sorted() == scenario.knowable.subtracting(gone).map(\.line).sorted())
    #expect(told.sorted() == gone.map { "\($0.symbol) \($0.number)" }.sorted())
    #expect(output.allSatisfy { $0.size == 2 })
    #expect(harness.counter("filled") == missed.count - gone.count)
    #expect(harness.counter("doubles") == scenario.repeats)
    // Receipts never go back, and fetched trades are older than their receipt.
    #expect(zip(output, output.dropFirst()).allSatisfy { $0.received <= $1.received })
  }

  @Test(arguments: 0..<100) func `a venue that drops, repeats, reorders and resets gives its own record`(seed: Int) async throws {
    try await run(seed, .works)
  }

  @Test(arguments: 0..<100) func `without a REST that works the gaps have the numbers of what is missing`(seed: Int) async throws {
    try await run(seed, .dead)
  }

  @Test(arguments: 0..<10) func `without being asked to, a feed fetches nothing and reports each break`(seed: Int) async throws {
    try await run(seed, .isNotAsked)
  }

  /// A venue that sends these numbers of BTC-USD and then is silent.
  private func venue(_ clock: any Timekeeper, _ numbers: [Int64]) async throws -> Venue {
    try await Venue(clock: clock) { visit in
      try await visit.hear(1)
      for number in numbers {
        try await visit.say(
          Dialect.binance.message(
            Print(symbol: "BTC-USD", number: number, time: Timestamp(ns: 1_381_239_000_000_000_000), isSell: false)))
      }
      await visit.stay()
    }
  }

  @Test func `a REST that never answers delays neither live trades nor the end, and what is missing is a gap`() async throws {
    let server = try await ScriptedServer { _, _ in .hang }
    let harness = PluginHarness(id: "live")
    let venue = try await venue(harness.clock, [1, 4, 5, 9])
    let running = try harness.start(
      Plugin.webSocketFeed, options: feed(.binance, venue, rest: server.origin), emitting: Trade.self)
    #expect(await running.output(count: 4).map(\.price) == [1, 4, 5, 9])
    while server.received.value.isEmpty {
      harness.clock.advance(by: .milliseconds(20))
      await networkTurn()
    }
    try await running.stop()
    await venue.server.stop()
    await server.close()
    #expect(harness.notices.gaps.value.map { [$0.expected, $0.got] } == [[2, 4], [6, 9]])
    #expect(harness.counter("filled") == 0)
  }

  @Test func `a pause that the venue asks for is kept, and the keys in an address are not logged`() async throws {
    let harness = PluginHarness(id: "live")
    let times = Watched<[Duration]>([])
    let clock = harness.clock
    let server = try await ScriptedServer { _, number in
      times.update { $0.append(clock.uptime) }
      return number == 0
        ? .answer(429, ["Retry-After": "30"])
        : .answer(200, [:], #"[{"id":2,"price":"2","qty":"2","time":1381239000000,"isBuyerMaker":false}]"#)
    }
    let venue = try await venue(harness.clock, [1, 3])
    let options = feed(.binance, venue, rest: server.origin, "credentials: { key: s3cret }")
      .replacing(Dialect.binance.path, with: Dialect.binance.path + "&key={credentials.key}")
    let running = try harness.start(Plugin.webSocketFeed, options: options, emitting: Trade.self)
    while running.output.count < 3 {
      harness.clock.advance(by: .milliseconds(50))
      await networkTurn()
    }
    try await running.stop()
    await venue.server.stop()
    await server.close()
    #expect(running.output.map(\.price) == [1, 3, 2])
    #expect(server.received.value.map(\.path) == Array(repeating: "/page?symbol=BTCUSD&fromId=2&key=s3cret", count: 2))
    #expect(times.value[1] - times.value[0] >= .seconds(30))
    #expect(!harness.log.lines.contains { "\($0)".contains("s3cret") })
    #expect(harness.counter("fill failures") == 1 && harness.notices.gaps.value.isEmpty)
  }
}
