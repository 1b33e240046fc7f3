import FileWriter
import MarketData
import StockbusPlugin
import StockbusTables
import StockbusTestKit
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct TableTests {
  let folder = TemporaryFolder()

  private func write<E: Event>(_ events: [E], _ name: String, _ options: String = "") async throws {
    try await PluginHarness().consume([events], by: Plugin.fileWriter, options: "path: \(folder.file(name))\n\(options)")
  }

  /// Written as both forms, all values come back.
  private func check<E: Event>(_: E.Type, seed: Int, _ make: (inout SplitMix) -> (E, [String: String])) async throws {
    var random = SplitMix(seed)
    let made = (0..<20_000).map { _ in make(&random) }
    for name in ["x.arrows", "x.parquet"] {
      try await write(made.map(\.0), name)
      let found = try folder.table(name)
      #expect(Set(found.names) == Set(made[0].1.keys) && found.names.starts(with: E.schema.fields.map(\.name)))
      #expect(found.ending == .finished && found.rows.count == made.count)
      for (row, (event, wanted)) in zip(found.rows, made) where Dictionary(uniqueKeysWithValues: zip(found.names, row)) != wanted {
        Issue.record("\(row) of \(event)")
      }
      #expect(folder.names == [name])
      folder.remove(name)
    }
  }

  private static let symbols: [Symbol] = ["A", "BRK.B", "ÄÖ", "1", "EURUSD"]
  private static func word(_ random: inout SplitMix) -> Int64 {
    random.oneIn(4) ? [.min, .max, 0, -1][random.upTo(3)] : Int64(truncatingIfNeeded: random.next()) >> Int64(random.upTo(62))
  }

  @Test func `every trade comes back`() async throws {
    try await check(Trade.self, seed: 1) { random in
      let trade = Trade(
        symbol: Self.symbols[random.upTo(4)], price: Price(raw: Self.word(&random)), size: Quantity(raw: Self.word(&random)),
        time: Timestamp(ns: Self.word(&random)), received: Timestamp(ns: Self.word(&random)), side: Side.allCases[random.upTo(2)],
        priceDecimals: UInt8(random.upTo(9)), sizeDecimals: UInt8(random.upTo(9)),
        condition: TradeCondition.allCases[random.upTo(TradeCondition.allCases.count - 1)])
      return (
        trade,
        [
          "symbol": trade.symbol.description, "price": "\(trade.price.raw)", "size": "\(trade.size.raw)", "side": trade.side.fieldName,
          "time": "\(trade.time.ns)", "received": "\(trade.received.ns)", "condition": trade.condition.fieldName,
          "price_decimals": "\(trade.priceDecimals)", "size_decimals": "\(trade.sizeDecimals)",
        ]
      )
    }
  }

  @Test func `every quote comes back`() async throws {
    try await check(Quote.self, seed: 2) { random in
      let quote = Quote(
        symbol: Self.symbols[random.upTo(4)], bid: Price(raw: Self.word(&random)), ask: Price(raw: Self.word(&random)),
        bidSize: Quantity(raw: Self.word(&random)), askSize: Quantity(raw: Self.word(&random)), time: Timestamp(ns: Self.word(&random)),
        received: Timestamp(ns: Self.word(&random)), priceDecimals: UInt8(random.upTo(9)), sizeDecimals: UInt8(random.upTo(9)))
      return (
        quote,
        [
          "symbol": quote.symbol.description, "bid": "\(quote.bid.raw)", "ask": "\(quote.ask.raw)", "bid_size": "\(quote.bidSize.raw)",
          "ask_size": "\(quote.askSize.raw)", "time": "\(quote.time.ns)", "received": "\(quote.received.ns)",
          "bid_decimals": "\(quote.priceDecimals)", "bid_size_decimals": "\(quote.sizeDecimals)",
        ]
      )
    }
  }

  @Test func `every bar comes back`() async throws {
    try await check(Bar.self, seed: 3) { random in
      let bar = Bar(
        symbol: Self.symbols[random.upTo(4)], open: Price(raw: Self.word(&random)), high: Price(raw: Self.word(&random)),
        low: Price(raw: Self.word(&random)), close: Price(raw: Self.word(&random)), volume: Quantity(raw: Self.word(&random)),
        time: Timestamp(ns: Self.word(&random)), received: Timestamp(ns: Self.word(&random)), priceDecimals: UInt8(random.upTo(9)),
        sizeDecimals: UInt8(random.upTo(9)), length: .time(Int64(1 + random.upTo(58)) * 60_000_000_000),
        turnover: Amount(raw: Int128(random.upTo(1_000_000)) * 1_000_000_000_000_000_000), vwap: Price(raw: Self.word(&random)),
        count: UInt32(truncatingIfNeeded: random.next()), revision: UInt32(random.upTo(9)),
        session: MarketSession.allCases[random.upTo(3)], status: BarStatus.allCases[random.upTo(1)])
      return (
        bar,
        [
          "symbol": bar.symbol.description, "length": bar.length.description, "open": "\(bar.open.raw)", "high": "\(bar.high.raw)",
          "low": "\(bar.low.raw)", "close": "\(bar.close.raw)", "volume": "\(bar.volume.raw)", "vwap": "\(bar.vwap.raw)",
          "turnover": "\(bar.turnover.raw / 1_000_000_000_000_000_000)", "count": "\(bar.count)", "session": bar.session.fieldName,
          "status": bar.status.fieldName, "revision": "\(bar.revision)", "time": "\(bar.time.ns)", "received": "\(bar.received.ns)",
          "open_decimals": "\(bar.priceDecimals)", "volume_decimals": "\(bar.sizeDecimals)",
        ]
      )
    }
  }

  @Test func `every ranking comes back`() async throws {
    try await check(Ranked.self, seed: 4) { random in
      let ranked = Ranked(
        symbol: Self.symbols[random.upTo(4)], rank: UInt32(truncatingIfNeeded: random.next()), previousRank: UInt32(random.upTo(99)),
        price: Price(raw: Self.word(&random)), change: Price(raw: Self.word(&random)), percent: Percent(raw: Self.word(&random)),
        volume: Quantity(raw: Self.word(&random)), time: Timestamp(ns: Self.word(&random)), received: Timestamp(ns: Self.word(&random)),
        priceDecimals: UInt8(random.upTo(9)), sizeDecimals: UInt8(random.upTo(9)))
      return (
        ranked,
        [
          "symbol": ranked.symbol.description, "rank": "\(ranked.rank)", "previous_rank": "\(ranked.previousRank)",
          "price": "\(ranked.price.raw)", "change": "\(ranked.change.raw)", "percent": "\(ranked.percent.raw)",
          "volume": "\(ranked.volume.raw)", "time": "\(ranked.time.ns)", "received": "\(ranked.received.ns)",
          "price_decimals": "\(ranked.priceDecimals)", "volume_decimals": "\(ranked.sizeDecimals)",
        ]
      )
    }
  }

  @Test func `columns beside the events and chosen fields are written`() async throws {
    let columns = ColumnLayout([ColumnInfo("vwap", .number), ColumnInfo("rising", .flag)])
    let feed = Feed(sizes(1..<4), columns: columns, rows: [[5, 1], [nil, 0], [-7, nil]])
    try await PluginHarness().consume(
      [feed], by: Plugin.fileWriter, options: "path: \(folder.file("c.parquet"))\nfields: [rising, size, vwap]")
    let found = try folder.table("c.parquet")
    #expect(found.names == ["rising", "size", "vwap", "size_decimals"])
    #expect(found.rows == [["1", "1000000000", "5", "0"], ["0", "2000000000", "-", "0"], ["-", "3000000000", "-7", "0"]])
  }

  /// Alerts have texts, with a MiB of which a batch is full: here with four.
  @Test func `long texts end a batch`() async throws {
    let alerts = (0..<40).map { i in
      var alert = Alert.schema.example
      alert.message = "\(i) " + String(repeating: "x", count: 300_000)
      return alert
    }
    try await write(alerts, "a.arrows", "fields: [message]")
    let reader = try ArrowReader(try TableFile(path: folder.file("a.arrows")).source)
    while try reader.next() != nil {}
    #expect(reader.rows == 40 && reader.batches == 10)
    #expect(try folder.table("a.arrows").rows.map { $0[0] } == alerts.map(\.message))
  }

  /// With `flush: 0s` each batch of the bus is one of the stream. Behind the header each can be read alone, as in a file that another
  /// program has emptied.
  @Test func `what counts as delivered is in the stream, and each batch has its texts`() async throws {
    let sink = try PluginHarness().start(
      Plugin.fileWriter, options: "path: \(folder.file("n.parquet"))\nfields: [symbol, size]\nflush: 0s", taking: [Trade.self])
    var ends: [Int] = []
    for (i, symbol) in (["A", "B", "A", "C"] as [Symbol]).enumerated() {
      var trades = sizes(i..<i + 1)
      trades[0].symbol = symbol
      try await sink.send(trades)
      await sink.delivered()
      #expect(try folder.table("n.arrows").rows.count == i + 1)
      ends.append(folder.bytes("n.arrows").count)
    }
    let bytes = folder.bytes("n.arrows")
    // Before its first batch a reader has read the header.
    ends.insert(try ArrowReader(TableSource(bytes)).wholeEnd, at: 0)
    for (i, symbol) in ["A", "B", "A", "C"].enumerated() {
      folder.put(Array(bytes[..<ends[0]] + bytes[ends[i]..<ends[i + 1]]), in: "alone")
      #expect(try folder.table("alone").rows == [[symbol, rows(i..<i + 1)[0], "0"]])
    }
    try await sink.stop()
    folder.remove("alone")
    #expect(folder.names == ["n.parquet"])
    #expect(try folder.table("n.parquet").rows.map { $0[0] } == ["A", "B", "A", "C"])
  }

  @Test(arguments: ["r.arrows", "r.parquet"]) func `rotation splits no batch, and the newest files have the largest numbers`(name: String)
    async throws
  {
    let ending = name.dropFirst(1)
    try await write(sizes(1..<401), name, "fields: [size]\nrotate: 4KiB\nkeep: 100")
    let files = folder.names
    #expect(files.count > 3 && files.allSatisfy { $0.hasSuffix(ending) } && files.contains("r.1\(ending)") && files.contains(name))
    for file in files { #expect(try folder.table(file).ending == .finished && (ending != ".arrows" || folder.bytes(file).count <= 4096)) }
    #expect(try folder.allRows("r") == rows(1..<401))
    // Numbers go on, and the oldest go.
    let before = files.count - 1
    try await write(sizes(401..<801), name, "fields: [size]\nrotate: 4KiB\nkeep: 3")
    #expect(folder.names.count == 4 && !folder.names.contains("r.\(before)\(ending)"))
    let left = try folder.allRows("r")
    #expect(left == rows(801 - left.count..<801))
  }

  @Test func `faults of options stand at their places`() throws {
    func faults(_ options: String) -> [String] {
      do {
        _ = try PipelineHarness(
          """
          sources: { ticks: { plugin: trades } }
          sinks:
            file: { plugin: file_writer, inputs: [ticks], \(options) }
          """, plugins: [.trades, .fileWriter])
        return []
      } catch { return "\(error)".split(separator: "\n").map(String.init).filter { $0.contains("error") || $0.contains(":") } }
    }
    let parquet = "is for JSON lines and CSV, and a Parquet file has typed columns"
    #expect(faults("path: a.parquet, times: ns").joined().contains("3:66: error: sink 'file': 'times' \(parquet)"))
    #expect(faults("path: a.parquet, header: true").joined().contains("'header' \(parquet)"))
    #expect(
      faults("path: a, format: arrow, formulas: keep").joined().contains(
        "'formulas' is for JSON lines and CSV, and an Arrow stream has typed columns"))
    #expect(faults("path: '-', format: parquet").joined().contains("3:49: error: sink 'file': a Parquet file cannot go to standard output"))
    for path in ["a.pq", ".parquet", "b/.parquet"] {
      #expect(faults("path: \(path), format: parquet").joined().contains("the name of a Parquet file ends in .parquet"))
    }
    #expect(faults("path: a.parquet, fields: [prise]").joined().contains("did you mean 'price'?"))
    #expect(faults("path: a.parquet") == [] && faults("path: a.arrows") == [] && faults("path: '-', format: arrow") == [])
    folder.put("symbol,size\n", in: "c.parquet")
    #expect(
      faults("path: \(folder.file("c.parquet"))").joined().contains(
        "is no Parquet file: use another path to keep it, or 'append: false' to empty it first"))
    #expect(faults("path: \(folder.file("c.parquet")), append: false") == [])
    folder.put("symbol,size\n", in: "d.arrows")
    #expect(faults("path: \(folder.file("d.arrows"))").joined().contains("is no Arrow stream"))
    #expect(faults("path: \(folder.file("d.parquet"))").joined().contains("is no Arrow stream"))
  }
}
