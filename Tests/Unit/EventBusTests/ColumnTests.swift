import Testing
import TestSupport

@testable import EventBus
@testable import MarketData

/// The rows of a topic, as its readers see them: of every event those with which it was sent.
struct ColumnTests {
  private static let layout = ColumnLayout([
    ColumnInfo("a", .number), ColumnInfo("b", .duration), ColumnInfo("c", .flag),
  ])

  /// The columns of event `n`: none for every third, which is sent without.
  private static func row(_ n: Int) -> [Int64?] {
    n % 3 == 0 ? [nil, nil, nil] : [Int64(n) * 7, n % 2 == 0 ? nil : -Int64(n), Int64(n % 2)]
  }

  private static func event(_ n: Int, _ symbols: [Symbol]) -> Trade {
    var trade = Trade.schema.example
    trade.symbol = symbols[n % symbols.count]
    trade.size = Quantity(raw: Int64(n))
    return trade
  }

  private static func send(_ n: Int, _ symbols: [Symbol], into outlet: inout Outlet<Trade>, _ places: [OutputColumn]) {
    outlet.send(event(n, symbols))
    if n % 3 == 0 { return }
    for (place, value) in zip(places, row(n)) { outlet.set(place, value) }
  }

  /// Reads until the end; returns the numbers that came, and those with other columns than they were sent with.
  private static func read(_ inlet: Inlet<Trade>, batch: Int) async -> (seen: [Int], wrong: [Int]) {
    let columns = BatchColumns(layout)
    inlet.columns = columns
    let parts = layout.names.compactMap { columns[$0] }
    var (seen, wrong): ([Int], [Int]) = ([], [])
    while await inlet.waitUntilReady() {
      let events = inlet.nextBatch(limit: batch)
      inlet.begin(events)
      for i in events.indices {
        let n = Int(events[i].size.raw)
        seen.append(n)
        if parts.map({ $0[i] }) != row(n) { wrong.append(n) }
      }
      inlet.finish(events.count)
      await Task.yield()
    }
    return (seen, wrong)
  }

  @Test(arguments: 1...12) func `every reader sees the columns with which an event was sent`(seed: UInt64) async throws {
    var random = SplitMix(seed)
    let symbols = try (1...5).map { try Symbol("COL\($0)") }
    let topic = Topic<Trade>("marked", capacity: 1 << (1 + random.upTo(5)), keepsLatest: true, columns: Self.layout)
    let options: [SubscriptionOptions] = [
      SubscriptionOptions(), SubscriptionOptions(overflow: .dropOldest, capacity: 3),
      SubscriptionOptions(overflow: .dropNewest, capacity: 4),
      SubscriptionOptions(overflow: .conflate), SubscriptionOptions(initial: true),
    ]
    let count = 400 + random.upTo(600)
    let sizes = options.map { _ in 1 + random.upTo(40) }
    var outlet = Outlet(topic)
    let places = Self.layout.names.compactMap { outlet.column($0) }
    // The reader with `initial` begins with rows of events before it.
    for n in 0..<3 { Self.send(n, symbols, into: &outlet, places) }
    try await outlet.flush()
    let inlets = options.map { topic.attach(Parker(), options: $0) }
    let results = try await withThrowingTaskGroup(of: (Int, [Int], [Int]).self) { group in
      for (i, inlet) in inlets.enumerated() {
        group.addTask {
          let (seen, wrong) = await Self.read(inlet, batch: sizes[i])
          return (i, seen, wrong)
        }
      }
      var n = 3
      while n < count {
        let batch = 1 + random.upTo(random.upTo(3) == 0 ? 100 : 8)
        if random.upTo(4) == 0 {
          // What is rolled back leaves nothing behind.
          for k in 0..<random.upTo(60) { Self.send(100_000 + k, symbols, into: &outlet, places) }
          outlet.rollback()
        }
        for _ in 0..<batch {
          Self.send(n, symbols, into: &outlet, places)
          n += 1
        }
        try await outlet.flush()
      }
      topic.close()
      var results: [(Int, [Int], [Int])] = []
      for try await result in group { results.append(result) }
      return results
    }
    for (i, seen, wrong) in results {
      #expect(wrong.isEmpty, "reader \(i) of seed \(seed): \(wrong.prefix(5))")
      #expect(!seen.isEmpty)
      if i == 0 { #expect(seen == Array(3..<seen.count + 3) && seen.count >= count - 3) }
      if i == 4 { #expect(seen == Array(0..<seen.count) && seen.count >= count) }
    }
  }

  @Test func `events are passed on with their columns, whichever input they come from`() async throws {
    let symbols: [Symbol] = ["COL1"]
    let left = Topic<Trade>("left", columns: ColumnLayout([ColumnInfo("a", .number), ColumnInfo("b", .duration)]))
    let right = Topic<Trade>("right", columns: ColumnLayout([ColumnInfo("c", .flag), ColumnInfo("a", .number)]))
    let plain = Topic<Trade>("plain")
    let read = ColumnLayout.union([left.columns, right.columns, plain.columns])
    #expect(read.names == ["a", "b", "c"])
    var all = read
    all.add(ColumnInfo("d", .number))
    let output = Topic<Trade>("output", capacity: 4, columns: all)
    let columns = BatchColumns(read)
    let inlets = [left, right, plain].map { topic in
      let inlet = topic.attach(Parker())
      inlet.columns = columns
      return inlet
    }
    let values: [[Int64?]] = [[1, 2], [3, 4], []]
    for (topic, own) in zip([left, right, plain], values) {
      var outlet = Outlet(topic)
      for n in 0..<3 {
        outlet.send(Self.event(n, symbols))
        for (name, value) in zip(topic.columns.names, own) {
          if let column = outlet.column(name) { outlet.set(column, value.map { $0 * 10 + Int64(n) }) }
        }
      }
      outlet.commit()
      topic.close()
    }
    let reader = output.attach(Parker())
    var outlet = Outlet(output, passing: columns)
    var expected: [[Int64?]] = []
    for (number, inlet) in inlets.enumerated() {
      let batch = inlet.nextBatch(limit: 10)
      inlet.begin(batch)
      // One by one, filtered, and with a column of its own: the middle one goes through the spill.
      switch number {
      case 0: for i in 0..<3 { outlet.pass(batch.span, i) }
      case 1: outlet.pass(batch.span.extracting(1..<3)) { $0 == 1 }
      default: outlet.pass(batch.span) { range, row, stride in for i in range { row[(i - range.lowerBound) * stride + 3] = Int64(i) } }
      }
      inlet.finish(3, filtered: outlet.takeFiltered())
    }
    for n in 0..<3 { expected.append([10 + Int64(n), 20 + Int64(n), nil, nil]) }
    expected.append([42, nil, 32, nil])
    for n in 0..<3 { expected.append([nil, nil, nil, Int64(n)]) }
    let (end, own) = (expected.count, BatchColumns(all))
    reader.columns = own
    var found: [[Int64?]] = []
    outlet.commit()
    while found.count < end {
      let batch = reader.nextBatch(limit: 3)
      reader.begin(batch)
      for i in batch.indices { found.append(all.names.map { own[$0]?[i] }) }
      reader.finish(batch.count)
      try await outlet.flush()
    }
    #expect(found == expected)
    #expect(inlets[1].counts.filtered == 1 && inlets[1].counts.delivered == 2)
  }

  @Test func `what waits at the end of a run keeps its columns, also in a topic with others`() throws {
    let symbols: [Symbol] = ["COL1"]
    let topic = Topic<Trade>("marked", columns: Self.layout)
    let (ring, box) = (topic.attach(Parker()), topic.attach(Parker(), options: SubscriptionOptions(overflow: .conflate)))
    var outlet = Outlet(topic)
    let places = Self.layout.names.compactMap { outlet.column($0) }
    for n in [1, 2, 3, 5] { Self.send(n, symbols, into: &outlet, places) }
    outlet.commit()
    // `b` is a number there, and so has other values; `c` comes first.
    let other = ColumnLayout([ColumnInfo("c", .flag), ColumnInfo("b", .number), ColumnInfo("a", .number)])
    for (inlet, numbers) in [(ring, [1, 2, 3, 5]), (box, [5])] {
      let next = Topic<Trade>("marked", columns: other)
      let left = try written(inlet.waiting)
      let reader = try #require(next.attachReader(Parker(), options: SubscriptionOptions(), waiting: left) as? Inlet<Trade>)
      let columns = BatchColumns(other)
      reader.columns = columns
      let batch = reader.nextBatch(limit: 10)
      reader.begin(batch)
      let found = batch.indices.map { i in other.names.map { columns[$0]?[i] } }
      #expect(batch.map { Int($0.size.raw) } == numbers)
      #expect(found == numbers.map { [Self.row($0)[2], nil, Self.row($0)[0]] })
      reader.finish(batch.count)
      #expect(columns["a"]?[0] == nil || reader.nextBatch(limit: 1).isEmpty)
    }
  }

  @Test func `columns are written behind the fields`() throws {
    var trade = Trade.schema.example
    trade.symbol = "COL1"
    let layout = ColumnLayout([
      ColumnInfo("vwap", .number), ColumnInfo("age", .duration), ColumnInfo("hot", .flag), ColumnInfo("at", .time),
      ColumnInfo("part", .percent),
    ])
    let encoder = try #require(EventEncoder<Trade>(fields: ["at", "symbol", "hot", "vwap", "age"], columns: layout))
    #expect(encoder.csvHeader == "symbol,at,hot,vwap,age")
    func texts(_ row: [Int64], _ encoder: EventEncoder<Trade>) -> (json: String, csv: String) {
      var json = ByteWriter()
      var csv = ByteWriter()
      encoder.encodeJSON(trade, row: row, to: &json)
      encoder.encodeCSV(trade, row: row, to: &csv)
      return (json.string, csv.string)
    }
    let full = texts([1_250_000_000, 1_500_000_000, 1, 1_000_000_000, 0], encoder)
    #expect(full.json == #"{"symbol":"COL1","at":"1970-01-01T00:00:01Z","hot":true,"vwap":1.25,"age":1.5}"#)
    #expect(full.csv == "COL1,1970-01-01T00:00:01Z,true,1.25,1.5")
    let empty = texts([Int64](repeating: .min, count: 5), encoder)
    #expect(empty.json == #"{"symbol":"COL1","at":null,"hot":null,"vwap":null,"age":null}"#)
    #expect(empty.csv == "COL1,,,,")
    let alone = try #require(EventEncoder<Trade>(fields: ["part", "at"], times: .epoch(.seconds), columns: layout))
    let epoch = texts([0, 0, 0, -1, -500_000_000], alone)
    #expect(epoch.json == #"{"part":-0.5,"at":-1}"# && epoch.csv == "-0.5,-1")
    #expect(EventEncoder<Trade>(fields: ["symbol", "vwpa"], columns: layout) == nil)
  }
}
