import Logging
import MarketData
import StockbusPlugin
import StockbusRuntime
import StockbusTestKit
import Synchronization
import Testing

@testable import StockbusControl
@testable import StockbusWeb

/// What a component publishes, shown to a client.
@Suite(.timeLimit(.minutes(15))) struct TapTests {
  /// A client that takes everything at once, or only when it is let.
  final class Reader: Sendable {
    let heard = Watched<[UInt8]>([])
    let isOpen: Watched<Bool>

    init(isOpen: Bool = true) { self.isOpen = Watched(isOpen) }

    var stream: WebStream {
      WebStream { [heard, isOpen] bytes in
        heard.update { $0 += bytes }
        await isOpen.wait { $0 }
        return !Task.isCancelled
      }
    }

    var events: [ServerEvent] {
      var reader = ServerEvents()
      return reader.take(heard.value)
    }

    var table: ArrowTap { get throws { try ArrowTap(heard.value) } }
  }

  func request(_ query: String) throws -> TapRequest {
    try TapRequest(try #require(WebTarget("/components/ranked/tap?\(query)")))
  }

  /// Follows a component through one round of three trades; returns its client.
  func follow(_ id: String, _ query: String) async throws -> Reader {
    let asked = try await Asked()
    _ = try await asked.status { $0.edges.last?.delivered == 3 }
    let clock = try #require((asked.pipeline.clock as? SteadyTimekeeper)?.machine as? ManualTimekeeper)
    let reader = Reader()
    let tap = try Tap(try #require(asked.pipeline.topic(id)), request(query), clock: clock)
    let follow = try #require(tap.response.stream)
    async let followed: Void = follow(reader.stream)
    // It follows before it says anything.
    await reader.heard.wait { !$0.isEmpty }
    await clock.waitForSleeper(until: .seconds(3600))
    clock.advance(by: .seconds(3600))
    // Not by the client, whose connection has been idle for an hour.
    while asked.pipeline.edges.last?.counts.delivered != 6 { await Task.yield() }
    #expect(await asked.end().exitStatus == 0)
    await followed
    return reader
  }

  @Test func `every event from then on is shown, and then the end`() async throws {
    let events = try await follow("ranked", "fields=symbol,rank").events
    let records = events.filter { $0.name.isEmpty }.map(\.data)
    #expect(records.count == 3)
    #expect(Set(records.map { $0.prefix(16) }) == ["{\"symbol\":\"AAPL\"", "{\"symbol\":\"MSFT\"", "{\"symbol\":\"NVDA\""])
    #expect(events.last == ServerEvent(name: "end", data: "the component has ended, or was removed from the run"))
    #expect(events.count == 4)
  }

  @Test func `conditions, fields, formats and limits are heeded`() async throws {
    let one = try await follow("ticks", "where=symbol%20==%20%22MSFT%22&fields=symbol&format=csv").events
    #expect(one.map(\.data) == ["symbol", "MSFT", "the component has ended, or was removed from the run"] && one[0].name == "header")
    let limited = try await follow("ticks", "limit=2&fields=symbol").events
    #expect(limited.map(\.data) == ["{\"symbol\":\"AAPL\"}", "{\"symbol\":\"MSFT\"}", "the limit is reached"])
  }

  @Test func `without chosen fields a record is as in files`() async throws {
    let record = try #require(try await follow("ticks", "limit=1").events.first?.data)
    #expect(record.hasPrefix("{\"symbol\":\"AAPL\",\"price\":"))
    #expect(!record.contains("condition"), "a regular condition is left out: \(record)")
  }

  @Test func `a time ends it, although nothing came`() async throws {
    let asked = try await Asked()
    _ = try await asked.status { $0.edges.last?.delivered == 3 }
    let clock = try #require((asked.pipeline.clock as? SteadyTimekeeper)?.machine as? ManualTimekeeper)
    let reader = Reader()
    let tap = try Tap(try #require(asked.pipeline.topic("dead_letters")), request("for=2s"), clock: clock)
    let follow = try #require(tap.response.stream)
    async let followed: Void = follow(reader.stream)
    await clock.waitForSleeper(until: .seconds(2))
    clock.advance(by: .seconds(2))
    await followed
    #expect(reader.events == [ServerEvent(name: "end", data: "the time is over")])
    _ = await asked.end()
  }

  @Test func `a request that means nothing is a mistake`() async throws {
    let asked = try await Asked()
    let topic = try #require(asked.pipeline.topic("ranked"))
    func mistake(_ query: String) throws -> String? {
      do throws(TapRequest.Mistake) {
        guard let target = WebTarget("/components/ranked/tap?\(query)") else { return "no target" }
        _ = try Tap(topic, TapRequest(target), clock: SystemTimekeeper())
        return nil
      } catch { return "\(error.code): \(error.message)" }
    }
    #expect(try mistake("") == nil)
    #expect(try mistake("where=rnk%20%3C%203") == "where: 'where': column 1: ranked has no field 'rnk'; did you mean 'rank'?")
    #expect(
      try mistake("where=price%20%3E%20sma(price,3)")
        == "where: 'where': column 9: sma needs earlier events, but a tap sees each event by itself; a filter in the configuration remembers them"
    )
    #expect(try mistake("fields=rank,nonsense")?.hasPrefix("fields: 'fields' names 'nonsense'; there are symbol, rank,") == true)
    #expect(try mistake("fields=rank,rank")?.contains("a field twice") == true)
    #expect(try mistake("format=xml") == "format: 'format' is json, csv or arrow")
    for time in ["0s", "-1s", "x", "25h", "1"] { #expect(try mistake("for=\(time)") == "for: 'for' is a time up to 24h, such as 10s") }
    #expect(try mistake("for=24h") == nil)
    for limit in ["0", "-1", "x", "99999999999999999999"] { #expect(try mistake("limit=\(limit)")?.hasPrefix("limit:") == true) }
    #expect(asked.pipeline.topic("end") == nil && asked.pipeline.topic("dead_letters") != nil)
    _ = await asked.end()
  }

  @Test func `a client that does not read costs the run nothing, and is told how much was left out`() async throws {
    let number = 60_000
    let pipeline = Pipeline(
      try topology(
        """
        sources: { ticks: { plugin: generator, symbols: 3, rate: max, count: \(number), seed: 1 } }
        sinks: { end: { plugin: null_sink, inputs: [ticks] } }
        """), logger: .init(label: "test") { _ in SwiftLogNoOpLogHandler() })
    let reader = Reader(isOpen: false)
    let tap = try Tap(try #require(pipeline.topic("ticks")), request(""), clock: ManualTimekeeper())
    let follow = try #require(tap.response.stream)
    async let followed: Void = follow(reader.stream)
    await reader.heard.wait { !$0.isEmpty }
    let report = await pipeline.run()
    #expect(report.exitStatus == 0 && report.ledger.edges.map(\.counts.delivered) == [number] && report.ledger.total.dropped == 0)
    reader.isOpen.update { $0 = true }
    await followed
    let events = reader.events
    let records = events.filter { $0.name.isEmpty }.count
    let leftOut = events.last { $0.name == "left_out" }.flatMap { Int($0.data) } ?? 0
    #expect(leftOut > 0 && records > 0 && records + leftOut == number, "\(records) and \(leftOut)")
    #expect(reader.heard.value.count < 3 << 20)
  }

  @Test func `server-sent events are read in any pieces`() {
    let text = "event: header\ndata: a,b\n\n:\n\ndata: {\"x\":1}\n\ndata: one\ndata: two\n\nid: 7\nevent: end\ndata: over\n\n"
    let wanted = [
      ServerEvent(name: "header", data: "a,b"), ServerEvent(name: "", data: "{\"x\":1}"), ServerEvent(name: "", data: "one\ntwo"),
      ServerEvent(name: "end", data: "over"),
    ]
    for size in 1...text.utf8.count {
      var reader = ServerEvents()
      var events: [ServerEvent] = []
      var rest = Array(text.utf8)[...]
      while !rest.isEmpty {
        events += reader.take(Array(rest.prefix(size)))
        rest = rest.dropFirst(size)
      }
      #expect(events == wanted, "pieces of \(size)")
    }
  }

  @Test func `a command follows a run over its socket`() async throws {
    let asked = try await Asked()
    _ = try await asked.status { $0.edges.last?.delivered == 3 }
    let clock = try #require((asked.pipeline.clock as? SteadyTimekeeper)?.machine as? ManualTimekeeper)
    let lines = Watched<[String]>([])
    let client = asked.client
    let tapped = Task {
      try await client.tap("ticks", [("fields", "symbol"), ("format", "csv")]) { event in
        lines.update { $0.append(event.data) }
        return true
      }
    }
    await lines.wait { $0 == ["symbol"] }
    await clock.waitForSleeper(until: .seconds(3600))
    clock.advance(by: .seconds(3600))
    await lines.wait { $0 == ["symbol", "AAPL", "MSFT", "NVDA"] }
    do throws(ControlClient.Failure) {
      _ = try await client.tap("end", []) { _ in true }
      Issue.record("a sink")
    } catch { #expect(error.description == "'end' is a sink and emits nothing") }
    _ = await asked.end()
    #expect(try await tapped.value == "the component has ended, or was removed from the run")
  }
}
