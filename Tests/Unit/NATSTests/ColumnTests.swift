import NIOCore
import StockbusConfig
import StockbusTestKit
import TestServers
import TestSupport
import Testing

@testable import NATS

private let layout = ColumnLayout([
  ColumnInfo("vwap", .number), ColumnInfo("away", .percent), ColumnInfo("age", .duration), ColumnInfo("since", .time),
  ColumnInfo("rising", .flag),
])

/// A sink that reads one column.
private actor Seen: Sink {
  static let lines = Watched<[String]>([])
  private let vwap: BatchColumn?

  init(_: NoOptions, _ context: Context) { vwap = context.columns["vwap"] }

  func receive(_ events: Span<Trade>) {
    for i in events.indices { Self.lines.update { $0.append("\(events[i].size) \(vwap?[i].map { "\($0)" } ?? "-")") } }
  }
}

/// Columns beside events, in messages.
@Suite(.timeLimit(.minutes(15))) struct ColumnTests {
  /// What was sent to a new server.
  private func sent(_ trades: [Trade], _ rows: [[Int64?]], _ more: String = "", columns: ColumnLayout = layout) async throws
    -> [FakeNATS.Message]
  {
    let server = try await FakeNATS()
    try await PluginHarness().consume(
      [Feed(trades, columns: columns, rows: rows)], by: Plugin.natsOut,
      options: server.options("stream: TICKS\nsubject: ticks.all\n" + more))
    await server.close()
    return server.stored
  }

  private func message(_ stored: FakeNATS.Message) throws -> NATSMessage {
    var reader = NATSReader(limits: NATSLimits())
    let head = stored.headers.isEmpty ? "NATS/1.0\r\n\r\n" : stored.headers
    reader.append(
      ByteBuffer(
        bytes: Array("HMSG \(stored.subject) 1 \(head.utf8.count) \(head.utf8.count + stored.bytes.count)\r\n\(head)".utf8) + stored.bytes
          + [13, 10]))
    guard case .message(let message) = try reader.next() else { throw CancellationError() }
    return message
  }

  /// What a reader of some columns makes of messages: an event with its row, or why there is none.
  private func read(_ messages: [FakeNATS.Message], _ wanted: ColumnLayout = layout) async throws -> [String] {
    let topic = Topic<Trade>("it", capacity: 1 << 12, columns: wanted)
    let lines = Watched<[String]>([])
    let subscription = topic.subscribeToRows { event, row in
      let values = row.map { $0 == ColumnLayout.missing ? "-" : "\($0)" }
      lines.update { $0.append("\(event.size) \(values.joined(separator: " "))") }
    }
    defer { subscription.cancel() }
    guard var outlet = topic.claim() else { return [] }
    var reading = Reading<Trade>(.open, isWhole: true, columns: wanted)
    var (count, all) = (0, [String]())
    for stored in messages {
      do throws(Reading<Trade>.Refusal) { count += try reading.take(try! message(stored), into: &outlet) } catch {
        all.append(error.reason)
      }
      outlet.commit()
    }
    await lines.wait { [count] in $0.count == count }
    return all + lines.value
  }

  private let rows: [[Int64?]] = [
    [99_500_000_000, -250_000_000, 1_500_000_000, 1_381_239_000_500_000_000, 1], [nil, nil, nil, nil, nil], [0, .max, -1, 0, 0],
  ]
  private let texts = ["1 99500000000 -250000000 1500000000 1381239000500000000 1", "2 - - - - -", "3 0 9223372036854775807 -1 0 0"]

  @Test func `in JSON they are members behind the fields, and a header names them`() async throws {
    let messages = try await sent(trades(0..<3), rows)
    #expect(
      messages.map { $0.header("Stockbus-Columns") }
        == Array(repeating: "vwap:number,away:percent,age:duration,since:time,rising:flag", count: 3))
    #expect(
      messages.map { String($0.payload.suffix(from: $0.payload.firstRange(of: #""vwap""#)!.lowerBound)) } == [
        #""vwap":99.5,"away":-0.25,"age":1.5,"since":"2013-10-08T13:30:00.500Z","rising":true}"#,
        #""vwap":null,"away":null,"age":null,"since":null,"rising":null}"#,
        #""vwap":0,"away":9223372036.854775807,"age":-0.000000001,"since":"1970-01-01T00:00:00Z","rising":false}"#,
      ])
    #expect(try await read(messages) == texts)
    // A reader that does not know columns says which field it does not know.
    let said = messages[0].bytes.withUnsafeBufferPointer { bytes in
      var text = ByteReader(bytes)
      do { _ = try Trade.schema.decodeJSON(&text) } catch { return "\(error)" }
      return "nothing"
    }
    #expect(said.hasPrefix("'vwap': no such field at byte"))
  }

  @Test func `packed they are in the batch, before the events`() async throws {
    let messages = try await sent(trades(0..<3), rows, "batch: 100")
    #expect(messages.map { $0.header("Stockbus-Packed") } == ["3"] && messages[0].header("Stockbus-Columns") == nil)
    #expect(try await read(messages) == texts)
    #expect(try await read(try await sent(trades(0..<3), rows, "batch: 2")) == texts)
  }

  @Test(arguments: ["", "batch: 100"]) func `a reader takes those that it was told of, in its order, and no others`(batch: String)
    async throws
  {
    let messages = try await sent(trades(0..<3), rows, batch)
    #expect(
      try await read(messages, ColumnLayout([ColumnInfo("rising", .flag), ColumnInfo("more", .number), ColumnInfo("vwap", .number)]))
        == ["1 1 - 99500000000", "2 - - -", "3 0 - 0"])
    #expect(try await read(messages, ColumnLayout()) == ["1 ", "2 ", "3 "])
  }

  @Test func `a column of another kind makes a dead letter`() async throws {
    let wanted = ColumnLayout([ColumnInfo("away", .number)])
    #expect(
      try await read(try await sent(trades(0..<1), [rows[0]]), wanted)
        == ["the column 'away' is a percent, but a number is expected"])
    let packed = try await read(try await sent(trades(0..<1), [rows[0]], "batch: 1"), wanted)
    #expect(packed.count == 1 && packed[0].hasPrefix("bad packed events: the column 'away' is a percent, but a number is expected at byte"))
  }

  @Test func `messages of others may have them as members, and what cannot be read is a dead letter`() async throws {
    let trade = Trade.schema.json(trades(0..<1)[0])
    func message(_ members: String, header: String? = nil) -> FakeNATS.Message {
      .init(
        subject: "ticks.all", headers: header.map { "NATS/1.0\r\nStockbus-Columns: \($0)\r\n\r\n" } ?? "",
        payload: "{" + members + trade.dropFirst())
    }
    let plain = try await read([
      message(""), message(#""vwap":1.5,"#), message(#""away" : null , "rising":false,"since":1000,"age":2.5,"#),
    ])
    #expect(plain == ["1 - - - - -", "1 1500000000 - - - -", "1 - - 2500000000 1000 0"])
    let bad = try await read([
      message(#""vwap":x,"#), message(#""vwap":1,"vwap":2,"#), message(#""other":{"a":[1,"}"]},"#), message(#""rising":1,"#),
      message(#""since":"now","#), message(#""vwap":{"a":1},"#), message("", header: "vwap:money"),
      message("", header: "vwap:number,vwap:number"),
      .init(subject: "ticks.all", payload: "{\"vwap\":1"), .init(subject: "ticks.all", payload: "[1]"),
      .init(subject: "ticks.all", payload: ""),
    ])
    #expect(
      bad.prefix(8) == [
        "'vwap': unexpected text at byte 9", "'vwap': there twice at byte 11",
        "'other': no such field at byte 2; a trade has symbol, price, size, side, time, received, condition, vwap, away, age, since, rising",
        "'rising': unexpected text at byte 11", "'since': not a time at byte 11", "'vwap': unexpected text at byte 9",
        "its columns are not known: 'vwap:money'", "its columns are not known: 'vwap:number,vwap:number'",
      ], "\(bad)")
    #expect(bad.count == 11)
  }

  @Test func `members are read in any order, with blanks between them`() async throws {
    var random = SplitMix(23)
    var (messages, wanted) = ([FakeNATS.Message](), [String]())
    let encoder = EventEncoder<Trade>(columns: layout)
    for (number, trade) in trades(0..<rounds(300)).enumerated() {
      let row = layout.columns.map { column -> Int64 in
        if random.oneIn(3) { return ColumnLayout.missing }
        return column.kind == .flag ? Int64(random.upTo(1)) : Int64(bitPattern: random.next()) / 4
      }
      var out = ByteWriter(capacity: 512)
      encoder.encodeJSON(trade, row: row, to: &out)
      // No value of a trade has a comma.
      var members = out.string.dropFirst().dropLast().split(separator: ",").map(String.init)
      if random.oneIn(2) { members.removeAll { $0.hasSuffix(":null") } }
      members.shuffle(using: &random)
      let text = members.map { [$0, " \($0)", "\($0)\n", "\t\($0) "][random.upTo(3)] }.joined(separator: ",")
      messages.append(.init(subject: "ticks.all", payload: "{\(text)}"))
      wanted.append("\(number + 1) \(row.map { $0 == ColumnLayout.missing ? "-" : "\($0)" }.joined(separator: " "))")
    }
    #expect(try await read(messages) == wanted)
  }

  @Test(arguments: ["", "batch: 100"]) func `damaged messages are events or dead letters, and no trap`(batch: String) async throws {
    let good = try await sent(trades(0..<3), rows, batch)
    var random = SplitMix(21)
    var damaged: [FakeNATS.Message] = []
    for _ in 0..<rounds(2000) {
      var message = good[random.upTo(good.count - 1)]
      var bytes = message.bytes
      for _ in 0...random.upTo(2) {
        let place = random.upTo(bytes.count - 1)
        switch random.upTo(2) {
        case 0: bytes[place] = UInt8(truncatingIfNeeded: random.next())
        case 1: bytes.remove(at: place)
        default: bytes.insert(UInt8(truncatingIfNeeded: random.next()), at: place)
        }
      }
      message = .init(subject: message.subject, headers: message.headers, bytes: bytes)
      damaged.append(message)
    }
    for wanted in [layout, ColumnLayout(), ColumnLayout([ColumnInfo("rising", .flag)])] {
      let found = try await read(damaged, wanted)
      #expect(found.count >= damaged.count)
    }
  }

  @Test(arguments: ["", "batch: 64"]) func `whatever is lost on the way, each event is there once with its columns`(batch: String)
    async throws
  {
    var random = SplitMix(22)
    let plan = (0..<200).map { _ in random.oneIn(5) ? 1 + random.upTo(1) : 0 }
    let server = try await FakeNATS { number, _ in
      switch number < plan.count ? plan[number] : 0 {
      case 1: .cut
      case 2: .storeAndCut
      default: .store
      }
    }
    let rows = (0..<1000).map { i -> [Int64?] in
      let away: Int64? = i % 3 == 0 ? nil : Int64(i)
      return [Int64(i) * 1_000_000_000, away, nil, nil, Int64(i % 2)]
    }
    let harness = PluginHarness()
    try await harness.withShortPauses {
      try await harness.consume(
        [Feed(trades(0..<1000), columns: layout, rows: rows)], by: Plugin.natsOut,
        options: server.options("stream: TICKS\nsubject: 'ticks.{partition}'\npartitions: 4\n" + batch))
    }
    let wanted = rows.enumerated().map { i, row -> String in
      let values = row.map { value -> String in value.map { "\($0)" } ?? "-" }
      return "\(i + 1) \(values.joined(separator: " "))"
    }
    let found = try await read(server.stored)
    #expect(found.count == 1000 && Set(found) == Set(wanted))
    #expect(server.connections > 1)
    await server.close()
  }

  @Test func `a reader has its columns, and keeps the contract`() async throws {
    let server = try await FakeNATS()
    let options = server.options("stream: TICKS\nextra_columns: { vwap: number, rising: flag }")
    let writing = Task {
      var asked = 0
      while !Task.isCancelled {
        let before = asked
        await server.lines.wait { $0.count { $0.contains("CONSUMER.MSG.NEXT") } > before }
        asked += 1
        for trade in trades(0..<50) {
          server.store(.init(subject: "ticks.0", payload: Trade.schema.json(trade).dropLast() + #","vwap":1.5,"rising":true}"#))
        }
      }
    }
    #expect(await checkContract(.natsIn, options: options, jumps: .milliseconds(100)) == [])
    writing.cancel()
    await writing.value
    await server.close()
  }

  private static func run(_ columns: String, _ options: String) throws(Problems) -> PipelineHarness {
    let source = "plugin: nats_in\nextra_columns: \(columns)\n" + options
    let indented = source.split(separator: "\n").map { "    \($0)" }.joined(separator: "\n")
    return try PipelineHarness(
      "sources:\n  it:\n\(indented)\nsinks: { out: { plugin: seen, inputs: [it] } }\n",
      plugins: [.natsIn, Plugin("seen", "Takes trades.", .sink(Seen.self))])
  }

  @Test func `columns go over NATS from one run to another`() async throws {
    let server = try await FakeNATS()
    for (from, batch) in [(0, ""), (3, "batch: 2")] {
      try await PluginHarness().consume(
        [Feed(trades(from..<(from + 3)), columns: layout, rows: rows)], by: Plugin.natsOut,
        options: server.options("stream: TICKS\nsubject: ticks.all\n" + batch))
    }
    let harness = try Self.run("{ vwap: number }", server.options("stream: TICKS"))
    async let report = harness.run()
    await Seen.lines.wait { $0.count == 6 }
    #expect(Seen.lines.value == ["1 99500000000", "2 -", "3 0", "4 99500000000", "5 -", "6 0"])
    harness.stop()
    #expect(await report.exitStatus == 0)
    await server.close()
  }

  @Test func `a reader's columns are known when the configuration is checked`() {
    func problems(_ columns: String) -> [String] {
      do throws(Problems) {
        let harness = try Self.run(columns, "servers: nats://127.0.0.1:1\nsubject: a")
        return harness.topology.nodes.first { $0.id == "it" }?.topic.columns.columns.map { "\($0.name) \($0.kind)" } ?? []
      } catch { return error.list.map(\.message) }
    }
    #expect(problems("{ vwap: number, since: time }") == ["vwap number", "since time"])
    #expect(problems("{ size: number }") == ["source 'it': 'extra_columns': a trade has a field 'size'; a column needs another name"])
  }
}
