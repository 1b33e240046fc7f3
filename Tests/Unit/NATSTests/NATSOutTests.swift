import TestSupport
import StockbusTestKit
import TestServers
import Testing

@testable import NATS

@Suite(.timeLimit(.minutes(15))) struct NATSOutTests {
  private static let stream = "stream: TICKS\nsubject: 'ticks.{partition}'\npartitions: 4"

  @Test func `each event is one message with its position, its place and the stream's last number`() async throws {
    let server = try await FakeNATS()
    let harness = PluginHarness()
    try await harness.consume([trades(0..<3, symbols: 1)], by: Plugin.natsOut, options: server.options("stream: TICKS\nsubject: ticks.all"))
    let stored = server.stored
    #expect(stored.map(\.subject) == ["ticks.all", "ticks.all", "ticks.all"])
    #expect(stored.map { $0.header("Nats-Expected-Last-Sequence") } == ["0", "1", "2"])
    #expect(server.positions.map(\.number) == [0, 1, 2])
    #expect(server.positions.map(\.place) == [0, 1, 2])
    #expect(Set(server.positions.map(\.writer)).count == 1)
    #expect(stored[0].header("Stockbus-Event") == EventMark(Trade.self).text)
    #expect(stored.map(\.payload) == trades(0..<3, symbols: 1).map { Trade.schema.json($0) })
    #expect(harness.counter("messages") == 3)
    #expect(harness.counter("sent again") == 0)
    await server.close()
  }

  @Test func `the fingerprint is that of the declaration as text`() {
    let declaration =
      "trade(symbol:symbol,price:decimal.0,size:decimal.1,side:unknown|buy|sell,time:time,received:time,condition:regular|sweep|opening|closing"
      + "|corrected_close|derivatively_priced|prior_reference_price|out_of_sequence|extended_hours|odd_lot|average_price|price_variation"
      + "|special_settlement|contingent|official_price|cancelled)"
    #expect(EventMark.declaration(of: Trade.self) == declaration)
    // Computed by another program.
    #expect(EventMark(Trade.self).text == "trade 1f1aefa002ec789e")
    #expect(
      EventMark.declaration(of: Ranked.self).hasPrefix(
        "ranked(symbol:symbol,rank:uint32,previous_rank:uint32,price:decimal.0,change:decimal.0,"))
  }

  @Test func `it keeps the contract`() async throws {
    let server = try await FakeNATS()
    for options in [
      Self.stream, Self.stream + "\nbatch: 7\nlinger: 10ms", "stream: TICKS\nsubject: ticks.all\nids: [symbol, size]", "subject: other.all",
    ] {
      let violations = await checkContract(
        .natsOut, options: server.options(options), inputs: [Feed(trades(0..<50))], jumps: .milliseconds(100))
      #expect(violations == [], "\(options)")
    }
    await server.close()
  }

  @Test func `the hash is FNV-1a, by its published values`() {
    #expect(EventMark.hash("".utf8) == 0xcbf2_9ce4_8422_2325)
    #expect(EventMark.hash("a".utf8) == 0xaf63_dc4c_8601_ec8c)
    #expect(EventMark.hash("foobar".utf8) == 0x8594_4171_f739_67e8)
  }

  @Test func `a symbol has one partition, and the places of each partition follow each other`() async throws {
    let server = try await FakeNATS()
    try await PluginHarness().consume([trades(0..<3000, symbols: 40)], by: Plugin.natsOut, options: server.options(Self.stream))
    #expect(server.sizes == Array(1...3000))
    #expect(server.positions.map(\.number) == Array(0..<3000))
    var places: [String: Int64] = [:]
    for (message, position) in zip(server.stored, server.positions) {
      #expect(position.place == places[message.subject, default: 0])
      places[message.subject, default: 0] += 1
    }
    #expect(places.keys.sorted() == ["ticks.0", "ticks.1", "ticks.2", "ticks.3"])
    for n in 0..<40 {
      let symbol: Symbol = try Symbol("SYM\(n)")
      let partition = SubjectTemplate.partition(of: symbol.utf8, among: 4)
      #expect(partition == Int(EventMark.hash("SYM\(n)".utf8) % 4))
    }
    await server.close()
  }

  @Test func `symbols become one part of the subject`() async throws {
    let server = try await FakeNATS()
    var trade = Trade.schema.example
    trade.symbol = "BRK.B"
    try await PluginHarness().consume([[trade]], by: Plugin.natsOut, options: server.options("stream: TICKS\nsubject: 'ticks.{symbol}.x'"))
    #expect(server.stored.map(\.subject) == ["ticks.BRK%2EB.x"])
    #expect(server.positions.map(\.place) == [nil])
    await server.close()
  }

  /// Connections that are lost before or after a message was stored, and acknowledgements that never come, at random places: the stream
  /// holds every event once and in order.
  @Test(arguments: 1...8) func `whatever is lost on the way, the stream holds each event once and in order`(seed: Int) async throws {
    let fates = (0..<4000).map { _ in 0 }
    var random = SplitMix(UInt64(seed))
    let plan = fates.map { _ in random.oneIn(60) ? 1 + random.upTo(1) : 0 }
    let server = try await FakeNATS { number, _ in
      switch number < plan.count ? plan[number] : 0 {
      case 1: .cut
      case 2: .storeAndCut
      default: .store
      }
    }
    let harness = PluginHarness()
    let inFlight = [1, 7, 100, 1024][seed % 4]
    try await harness.withShortPauses {
      try await harness.consume(
        [trades(0..<1500)], by: Plugin.natsOut, options: server.options(Self.stream + "\nin_flight: \(inFlight)"))
    }
    #expect(server.sizes == Array(1...1500))
    #expect(server.positions.map(\.number) == Array(0..<1500))
    #expect(server.connections > 1)
    #expect(harness.lost == 0)
    await server.close()
  }

  @Test func `where an acknowledgement does not come, the next connection finds what is there`() async throws {
    let server = try await FakeNATS { number, _ in number == 3 || number == 9 ? .storeSilently : .store }
    let harness = PluginHarness()
    let writer = try harness.start(Plugin.natsOut, options: server.options(Self.stream), taking: [Trade.self])
    try await writer.send(trades(0..<10))
    await server.lines.wait { $0.count { $0.hasPrefix("HPUB ticks.") } == 10 }
    #expect(server.connections == 1)
    while server.connections < 2 {
      harness.clock.advance(by: .seconds(600))
      await Task.yield()
    }
    try await harness.withShortPauses {
      await writer.delivered()
      try await writer.stop()
    }
    #expect(server.sizes == Array(1...10))
    #expect(server.positions.map(\.number) == Array(0..<10))
    #expect(harness.counter("sent again") == 0)
    await server.close()
  }

  @Test func `a server that drops a message without a word is told, and the writer goes on once it stores again`() async throws {
    let server = try await FakeNATS { number, _ in (3..<30).contains(number) ? .drop : .store }
    let harness = PluginHarness()
    try await harness.withShortPauses {
      try await harness.consume([trades(0..<10)], by: Plugin.natsOut, options: server.options(Self.stream))
    }
    let words =
      "the messages after 3 of the stream were sent by another writer, or were not stored; the server's log has the reason, such as a full disk"
    #expect(harness.notices.connections.value.contains { $0.reason == words })
    #expect(server.sizes == Array(1...10))
    #expect(server.positions.map(\.number) == Array(0..<10))
    await server.close()
  }

  @Test func `a server that drops the only message is told once the stream was looked at again`() async throws {
    let server = try await FakeNATS { number, _ in number < 3 ? .drop : .store }
    let harness = PluginHarness()
    let writer = try harness.start(Plugin.natsOut, options: server.options(Self.stream), taking: [Trade.self])
    let silence = "a reply did not come in time"
    let words = "nothing was stored after message 0 of the stream; the server's log has the reason, such as a full disk"
    @Sendable func told(_ notices: [ConnectionStatus]) -> [String] { notices.map(\.reason).filter { $0 == silence || $0 == words } }
    try await writer.send(trades(0..<1))
    try await harness.withShortPauses {
      for attempt in 1...3 {
        await server.lines.wait { $0.count { $0.hasPrefix("HPUB ticks.") } == attempt }
        harness.clock.advance(by: .seconds(601))
        await harness.notices.connections.wait { told($0).count == attempt }
      }
      await writer.delivered()
      try await writer.stop()
    }
    #expect(told(harness.notices.connections.value) == [silence, words, words])
    #expect(server.sizes == [1])
    await server.close()
  }

  @Test func `a live writer that starts again goes on behind the last message, with places of each partition`() async throws {
    let server = try await FakeNATS()
    try await PluginHarness().consume([trades(0..<10)], by: Plugin.natsOut, options: server.options(Self.stream))
    try await PluginHarness().consume([trades(10..<25)], by: Plugin.natsOut, options: server.options(Self.stream))
    #expect(server.sizes == Array(1...25))
    #expect(server.positions.map(\.number) == Array(0..<25))
    #expect(Set(server.positions.map(\.writer)).count == 2)
    for partition in 0..<4 {
      let own = zip(server.stored, server.positions).filter { $0.0.subject == "ticks.\(partition)" }
      #expect(own.map { $0.1.place } == own.indices.map { Int64($0) })
    }
    await server.close()
  }

  @Test(arguments: [0, 1, 1023, 1024, 1025, 2999, 3000]) func `a replay passes over what the stream holds`(held: Int) async throws {
    let server = try await FakeNATS()
    let options = server.options(Self.stream + "\ninput: replay")
    if held > 0 { try await PluginHarness().consume([trades(0..<held)], by: Plugin.natsOut, options: options) }
    let harness = PluginHarness()
    try await harness.consume([trades(0..<3000)], by: Plugin.natsOut, options: options)
    #expect(server.sizes == Array(1...3000))
    #expect(server.positions.map(\.number) == Array(0..<3000))
    #expect(harness.counter("already there") == held)
    #expect(harness.counter("messages") == 3000 - held)
    await server.close()
  }

  @Test func `a second writer ends with an error, and the first too`() async throws {
    let server = try await FakeNATS()
    let harness = PluginHarness()
    let first = try harness.start(Plugin.natsOut, options: server.options(Self.stream), taking: [Trade.self])
    try await first.send(trades(0..<5))
    await first.delivered()
    server.store(.init(subject: "ticks.0", payload: "{}"))
    let said = await failure {
      try await harness.withShortPauses {
        try await first.send(trades(5..<10))
        try await first.stop()
      }
    }
    #expect(
      said.contains(
        "the stream 'TICKS' has another writer: its message 6 was not sent by this component; a stream has one writer, unless 'ids' are given"
      ))
    #expect(Array(server.sizes.prefix(5)) == Array(1...5))
    await server.close()
  }

  @Test func `with ids several writers fill a stream, and what comes twice is there once`() async throws {
    let server = try await FakeNATS()
    let options = server.options("stream: TICKS\nsubject: ticks.all\nids: [symbol, size]")
    try await PluginHarness().consume([trades(0..<50)], by: Plugin.natsOut, options: options)
    try await PluginHarness().consume([trades(25..<75)], by: Plugin.natsOut, options: options)
    #expect(server.sizes == Array(1...75))
    #expect(server.stored[0].header("Nats-Msg-Id") == "SYM0,1")
    #expect(server.stored[0].header("Nats-Expected-Last-Sequence") == nil)
    await server.close()
  }

  @Test func `a stream that cannot be written is told, and nothing is delivered`() async throws {
    func said(_ server: FakeNATS, _ options: String) async -> String {
      let harness = PluginHarness()
      return await failure {
        try await harness.withShortPauses {
          try await harness.consume([trades(0..<3)], by: Plugin.natsOut, options: server.options(options))
        }
      }
    }
    let server = try await FakeNATS()
    server.store(.init(subject: "ticks.0", headers: "NATS/1.0\r\nStockbus-Event: quote 0123456789abcdef\r\n\r\n", payload: "{}"))
    #expect(await said(server, Self.stream).contains("the stream 'TICKS' has 'quote 0123456789abcdef', but this component writes 'trade "))
    #expect(
      await said(server, "stream: TICKS\nsubject: other.a").contains("the stream 'TICKS' does not have the subject 'other.a', only ticks.>")
    )
    server.store(.init(subject: "ticks.0", payload: "{}"))
    #expect(
      await said(server, Self.stream + "\ninput: replay").contains(
        "the last message of the stream 'TICKS' (2) has no position, so it is not known where the replay must continue"))
    server.deleteStream()
    #expect(await said(server, Self.stream).contains("there is no stream 'TICKS'; 'create: {}' creates it"))
    #expect(server.stored.count == 2)
    await server.close()
    let old = try await FakeNATS(version: "2.10.22")
    #expect(await said(old, Self.stream).contains("is 2.10.22; servers before 2.10.23 can lose acknowledged messages"))
    #expect(await said(old, Self.stream + "\nold_servers: true") == "nothing was thrown")
    await old.close()
  }

  @Test func `a stream keeps its number of partitions`() async throws {
    let server = try await FakeNATS()
    server.deleteStream()
    func options(_ partitions: Int) -> String {
      server.options("stream: TICKS\nsubject: 'ticks.{partition}'\ncreate: {}\npartitions: \(partitions)")
    }
    for _ in 0..<2 { try await PluginHarness().consume([trades(0..<3)], by: Plugin.natsOut, options: options(4)) }
    let said = await failure { try await PluginHarness().consume([trades(0..<3)], by: Plugin.natsOut, options: options(8)) }
    #expect(
      said.contains(
        "the stream 'TICKS' was created for 4 partitions, but this component writes 8: symbols would be in two partitions; use another stream"
      ))
    #expect(server.sizes == [1, 2, 3, 1, 2, 3])
    await server.close()
  }

  @Test func `a replay of other events is told, and so is one that ends before the stream does`() async throws {
    let server = try await FakeNATS()
    let options = server.options(Self.stream + "\ninput: replay")
    try await PluginHarness().consume([trades(0..<1000)], by: Plugin.natsOut, options: options)
    let said = await failure { try await PluginHarness().consume([trades(1..<2000)], by: Plugin.natsOut, options: options) }
    #expect(
      said.contains(
        "the stream 'TICKS' has another replay: its last message (1000) is not event 999 of this one; use another stream, or 'input: live' for events that follow"
      ))
    #expect(server.sizes == Array(1...1000))
    let short = PluginHarness()
    try await short.consume([trades(0..<900)], by: Plugin.natsOut, options: options)
    #expect(
      short.log.texts(.warning) == [
        "warning plugin: the replay has ended before position 999, the last one of the stream 'TICKS', so no event was stored"
      ])
    let long = PluginHarness()
    try await long.consume([trades(0..<1200)], by: Plugin.natsOut, options: options)
    #expect(server.sizes == Array(1...1200) && long.log.texts(.warning) == [])
    await server.close()
  }

  @Test func `a stream that is not there is made where that is asked for`() async throws {
    let server = try await FakeNATS()
    server.deleteStream()
    try await PluginHarness().consume([trades(0..<3)], by: Plugin.natsOut, options: server.options(Self.stream + "\ncreate: {}"))
    #expect(server.sizes == [1, 2, 3])
    await server.close()
  }

  @Test func `an event that is too large is a dead letter, and the positions have no hole`() async throws {
    let server = try await FakeNATS()
    let harness = PluginHarness()
    var letters = Array(repeating: DeadLetter.schema.example, count: 3)
    letters[1].payload = String(repeating: "x", count: 70_000)
    try await harness.consume([letters], by: Plugin.natsOut, options: server.options("stream: TICKS\nsubject: ticks.all"))
    #expect(server.positions.map(\.number) == [0, 1])
    #expect(harness.deadLetters.count == 1)
    #expect(harness.deadLetters[0].reason.hasSuffix("bytes; with its headers it is larger than the server allows"))
    await server.close()
  }

  @Test func `without a stream whoever listens gets the events`() async throws {
    let server = try await FakeNATS(subjects: [])
    let heard = PluginHarness()
    let listener = try heard.start(Plugin.natsIn, options: server.options("subject: 'ticks.*'"), emitting: Trade.self)
    await heard.notices.connections.wait { $0.contains { $0.state == .connected } }
    while !server.lines.value.contains(where: { $0.hasPrefix("SUB ticks.*") }) { await Task.yield() }
    try await PluginHarness().consume([trades(0..<2000)], by: Plugin.natsOut, options: server.options("subject: 'ticks.{symbol}'"))
    #expect(await listener.output(count: 2000) == trades(0..<2000))
    try? await listener.stop()
    await server.close()
  }

  @Test(arguments: [
    ("subject: 'a b'", "'subject': 'a b' contains a space or a control character"),
    ("subject: 'a.*'", "'subject': 'a.*' has a wildcard"),
    ("subject: 'a.{partition}'", "'subject' has {partition}, so 'partitions' is needed"),
    ("subject: 'a{symbol}'", "'subject': {partition} and {symbol} must stand alone between dots, as in ticks.{partition}"),
    ("subject: 'a.{part}'", "'subject': only {partition} and {symbol} are allowed in braces"),
    ("subject: 'a.{symbol}.{symbol}'", "'subject': it can contain {partition} or {symbol} only once, and not both"),
    ("subject: a\npartitions: 3", "'partitions' needs {partition} in 'subject'"),
    ("subject: a\nids: [symbol]", "'ids' needs a 'stream'"),
    ("subject: a\nstream: 'a.b'", "'stream' may contain only letters, digits, - and _"),
    ("subject: 'a.{symbol}'\nbatch: 10", "'batch' and {symbol} exclude each other: a message has events of one subject"),
    ("subject: a\nstream: A\nbatch: 10\nids: [symbol]", "'batch' and 'ids' exclude each other: an id identifies one event"),
    ("subject: a\nlinger: 1s", "'linger' needs 'batch'"),
    ("subject: a\ninput: replay", "'input: replay' needs a 'stream', whose last message says where to continue"),
    ("subject: a\nstream: A\nids: [symbl]", "'ids': trade has no field 'symbl'; did you mean 'symbol'?"),
    ("subject: a\nlogin: { user: u }", "'user' needs 'password'"),
    ("subject: a\nlogin: { user: u, password: p, token: t }", "only one of 'user', 'token', 'nkey' and 'credentials' can be given"),
    ("subject: a\nlogin: { nkey: SUX }", "'nkey' is not the seed of a user's NKey"),
  ])
  func `options that make no sense are refused`(_ options: String, _ words: String) {
    do throws(Problems) {
      let lines = options.split(separator: "\n").joined(separator: ", ")
      _ = try PipelineHarness(
        """
        sources: { ticks: { plugin: trades } }
        sinks: { out: { plugin: nats_out, inputs: [ticks], servers: ['nats://h'], \(lines) } }
        """, plugins: [.natsOut, Plugin("trades", "Trades.", .source(NATSIn<Trade>.self))])
      #expect(Bool(false), "nothing was refused")
    } catch { #expect("\(error)".contains(words), "\(error)") }
  }
}
