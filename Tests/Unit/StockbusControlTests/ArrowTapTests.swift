import EventBus
import Logging
import MarketData
import StockbusPlugin
import StockbusRuntime
import StockbusTestKit
import TestSupport
import Testing

@testable import StockbusControl
@testable import StockbusTables
@testable import StockbusWeb

/// What a client reads of an Arrow stream.
struct ArrowTap {
  var names: [String] = []
  var rows: [[String]] = []
  /// The rows of each batch, and what its message says.
  var batches: [(rows: Int, leftOut: String?, end: String?)] = []
  var isFinished: Bool

  init(_ bytes: [UInt8]) throws {
    let reader = try ArrowReader(TableSource(bytes))
    names = reader.schema.columns.map(\.name)
    while let batch = try reader.next() {
      for row in 0..<batch.rows {
        rows.append(
          batch.schema.columns.indices.map { column in
            batch.text(row, column) ?? batch[row, column].map { "\($0)" } ?? "-"
          })
      }
    }
    isFinished = reader.ending == .finished && reader.isChecked && reader.wholeEnd == bytes.count
    let input = ArrowInput(TableSource(bytes), TableLimits())
    while case .message(let message) = try input.read() {
      guard message.kind == ArrowMessage.Kind.batch.rawValue, let header = try message.root.table(2) else { continue }
      let pairs = try message.root.pairs(4)
      func value(_ name: String) -> String? { pairs.first { $0.name == "stockbus." + name }?.value }
      batches.append((Int(try header.number(0, default: Int64(0))), value("left_out"), value("end")))
    }
  }

  var leftOut: Int { batches.last?.leftOut.flatMap { Int($0) } ?? -1 }
}

extension TapTests {
  private func random(_ count: Int, _ random: inout SplitMix) -> [Trade] {
    (0..<count).map { _ in
      var trade = Trade.schema.example
      trade.symbol = (["AAPL", "MSFT", "BRK.B"] as [Symbol])[random.upTo(2)]
      trade.price = Price(raw: Int64(1 + random.upTo(200_000_000_000)))
      trade.size = Quantity(raw: Int64(1 + random.upTo(1_000_000_000_000)))
      trade.time = Timestamp(ns: Int64(1_700_000_000_000_000_000 + random.upTo(1_000_000_000)))
      return trade
    }
  }

  @Test(arguments: 0..<30) func `an Arrow stream has the rows of the JSON records, whenever the client takes them`(seed: Int) throws {
    var generator = SplitMix(seed)
    let limit = generator.oneIn(2) ? 1 + generator.upTo(200) : Int.max
    let query = "where=price%20%3E%3D%2050&fields=price,symbol,size,time" + (limit < .max ? "&limit=\(limit)" : "")
    let arrow = try TapRecords<Trade>(request(query + "&format=arrow"), ColumnLayout())
    let json = try TapRecords<Trade>(request(query), ColumnLayout())
    var (wanted, table, text): ([Trade], [UInt8], [UInt8]) = ([], [], [])
    var isOver = false
    func drain() {
      if isOver { return }
      let (bytes, over) = arrow.drain(alsoLeftOut: 0)
      table += bytes
      isOver = over
    }
    for _ in 0...generator.upTo(30) {
      let trades = random(generator.upTo(40), &generator)
      wanted += trades.filter { $0.price.raw >= 50_000_000_000 }
      trades.withUnsafeBufferPointer { batch in for records in [arrow, json] { _ = records.take(batch, BatchColumns()) } }
      if generator.oneIn(3) { drain() }
      if generator.oneIn(3) { text += json.drain(alsoLeftOut: 0).bytes }
    }
    let isLimited = wanted.count >= limit
    wanted = Array(wanted.prefix(limit))
    for records in [arrow, json] { records.end("it is over") }
    drain()
    text += json.drain(alsoLeftOut: 0).bytes
    #expect(isOver)
    var reader = ServerEvents()
    let records = reader.take(text).filter { $0.name.isEmpty }.map(\.data)
    let encoder = try #require(EventEncoder<Trade>(fields: ["price", "symbol", "size", "time"]))
    #expect(
      records
        == wanted.map { trade in
          var out = ByteWriter()
          encoder.encodeJSON(trade, to: &out)
          return out.string
        })
    let found = try ArrowTap(table)
    #expect(found.names == ["price", "symbol", "size", "time"] && found.isFinished && found.leftOut == 0)
    #expect(found.rows == wanted.map { ["\($0.price.raw)", $0.symbol.description, "\($0.size.raw)", "\($0.time.ns)"] })
    #expect(found.batches.last?.rows == 0 && found.batches.last?.end == (isLimited ? "the limit is reached" : "it is over"))
    #expect(found.batches.dropLast().allSatisfy { $0.end == nil && $0.leftOut == "0" })
  }

  @Test func `an Arrow stream begins at once, has what came, and says why it ends`() async throws {
    let found = try await follow("ranked", "fields=symbol,rank&format=arrow").table
    #expect(found.names == ["symbol", "rank"] && found.isFinished)
    #expect(Set(found.rows.map { $0[0] }) == ["AAPL", "MSFT", "NVDA"] && found.rows.count == 3)
    #expect(found.batches.first?.rows == 0 && found.batches.first?.end == nil)
    #expect(found.batches.last?.end == "the component has ended, or was removed from the run" && found.batches.last?.rows == 0)
    let limited = try await follow("ticks", "limit=2&fields=symbol&format=arrow").table
    #expect(limited.rows == [["AAPL"], ["MSFT"]] && limited.batches.last?.end == "the limit is reached" && limited.isFinished)
  }

  @Test func `without events an Arrow stream has a batch without rows every 15 s`() async throws {
    let asked = try await Asked()
    _ = try await asked.status { $0.edges.last?.delivered == 3 }
    let clock = try #require((asked.pipeline.clock as? SteadyTimekeeper)?.machine as? ManualTimekeeper)
    let reader = Reader()
    let tap = try Tap(try #require(asked.pipeline.topic("dead_letters")), request("for=31s&format=arrow"), clock: clock)
    #expect(tap.response.fields["content-type"] == "application/vnd.apache.arrow.stream")
    let stream = try #require(tap.response.stream)
    async let followed: Void = stream(reader.stream)
    await reader.heard.wait { !$0.isEmpty }
    for (second, batches) in [(15, 2), (30, 3)] {
      await clock.waitForSleeper(until: .seconds(second))
      clock.advance(by: .seconds(15))
      await reader.heard.wait { (try? ArrowTap($0).batches.count) == batches }
    }
    await clock.waitForSleeper(until: .seconds(31))
    clock.advance(by: .seconds(1))
    await followed
    let found = try reader.table
    #expect(found.rows.isEmpty && found.isFinished && found.batches.map(\.end) == [nil, nil, nil, "the time is over"])
    _ = await asked.end()
  }

  @Test func `an Arrow client that does not read is told how much was left out, and as much is missing`() async throws {
    let number = 300_000
    let pipeline = Pipeline(
      try topology(
        """
        sources: { ticks: { plugin: generator, symbols: 3, rate: max, count: \(number), seed: 1 } }
        sinks: { end: { plugin: null_sink, inputs: [ticks] } }
        """), logger: .init(label: "test") { _ in SwiftLogNoOpLogHandler() })
    let reader = Reader(isOpen: false)
    let tap = try Tap(try #require(pipeline.topic("ticks")), request("fields=symbol&format=arrow"), clock: ManualTimekeeper())
    let stream = try #require(tap.response.stream)
    async let followed: Void = stream(reader.stream)
    await reader.heard.wait { !$0.isEmpty }
    let report = await pipeline.run()
    #expect(report.exitStatus == 0 && report.ledger.edges.map(\.counts.delivered) == [number] && report.ledger.total.dropped == 0)
    reader.isOpen.update { $0 = true }
    await followed
    let found = try reader.table
    #expect(found.isFinished && found.leftOut > 0 && found.rows.count + found.leftOut == number, "\(found.rows.count), \(found.leftOut)")
    // A batch, and the events that wait for the next one.
    #expect(found.rows.count <= 3 << 16)
    let told = found.batches.compactMap { $0.leftOut.flatMap { Int($0) } }
    #expect(told == told.sorted() && told.first == 0)
  }
}
