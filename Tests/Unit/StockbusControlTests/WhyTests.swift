import MarketData
import StockbusNetwork
import StockbusPlugin
import StockbusRuntime
import StockbusTestKit
import Testing

@testable import StockbusControl

/// What becomes of a symbol.
@Suite(.timeLimit(.minutes(15))) struct WhyTests {
  private static let text = """
    sources: { ticks: { plugin: generator, symbols: [AAPL, WHYQ], interval: 1h, seed: 1 } }
    processors:
      mine: { plugin: watchlist_filter, inputs: [ticks], symbols: [AAPL] }
      ranked: { plugin: sorting_feed, inputs: [mine] }
    sinks:
      end: { plugin: null_sink, inputs: [ranked] }
      all: { plugin: null_sink, inputs: [ticks] }
    """

  /// Watches for more than an hour, in which one more price of each symbol comes, and none at its end.
  private func why(_ symbol: Symbol, _ asked: Asked) async throws -> SymbolReport? {
    let clock = try #require((asked.pipeline.clock as? SteadyTimekeeper)?.machine as? ManualTimekeeper)
    func delivered() -> [Int] { asked.pipeline.ledger.edges.map(\.counts).map { $0.delivered + $0.filtered } }
    // Each symbol's price goes to the two that read the source, and that of one of them two steps further.
    let (after, until) = (delivered().reduce(0, +) + 6, clock.uptime + .seconds(4600))
    async let report = asked.control.why(symbol, for: .seconds(4600))
    await clock.waitForSleeper(until: until)
    clock.advance(by: .seconds(3600))
    while delivered().reduce(0, +) != after { await Task.yield() }
    clock.advance(by: .seconds(1000))
    return try await report
  }

  private func asked() async throws -> Asked {
    let asked = try await Asked(Self.text)
    while asked.pipeline.ledger.edges.reduce(0, { $0 + $1.counts.delivered + $1.counts.filtered }) != 6 { await Task.yield() }
    return asked
  }

  @Test func `a symbol is followed from its source to where it ends, and each component says why`() async throws {
    let asked = try await asked()
    let path = asked.folder.file("desk.yaml")
    let other = try #require(try await why("WHYQ", asked))
    #expect(other.verdict == "'WHYQ' comes to all; mine has published nothing about it")
    #expect(other.symbol == "WHYQ" && other.watched == 4_600_000 && other.missed == 0)
    #expect(other.components.map(\.id).sorted() == ["all", "end", "mine", "ranked", "ticks"])
    func part(_ id: String, _ report: SymbolReport) throws -> SymbolReport.Component {
      try #require(report.components.first { $0.id == id })
    }
    #expect(
      try part("ticks", other).in == nil && part("ticks", other).out == 1 && part("all", other).in == 1 && part("all", other).out == nil)
    #expect(try part("ticks", other).last?.hasPrefix(#"{"symbol":"WHYQ","price":"#) == true)
    #expect(try part("mine", other).in == 1 && part("mine", other).out == 0 && part("end", other).in == 0)
    #expect(
      try part("mine", other).reasons == [
        .init(verdict: "filters", reason: "'symbols' does not list it", setting: "symbols", place: "\(path):3:63")
      ])

    let aapl = try #require(try await why("AAPL", asked))
    #expect(aapl.verdict == "'AAPL' comes to end, all" || aapl.verdict == "'AAPL' comes to all, end")
    #expect(try part("mine", aapl).reasons.map(\.reason) == ["'symbols' lists it"])
    #expect(try part("ranked", aapl).out == 1)
    #expect(
      try part("ranked", aapl).reasons == [
        .init(verdict: "ranks", reason: "rank 1 of 1 by price", setting: "by", place: "\(path):4:11")
      ])
    #expect(await asked.end().exitStatus == 0)
  }

  @Test func `only what was seen is looked for, only for a while, and not by too many at once`() async throws {
    let asked = try await asked()
    func ask(_ path: String) async throws -> (status: Int, text: String) {
      let request = HTTPRequest(.get, try WebAddress(socket: asked.folder.file("run.sock"), path))
      let answer = try await NetworkTransport().send(request, clock: asked.pipeline.clock)
      return (answer.status, String(decoding: answer.body, as: UTF8.self))
    }
    let unknown = try await ask("/symbols/NOTHERE/why")
    #expect(unknown.status == 404 && unknown.text.contains("no component has seen a symbol 'NOTHERE'"))
    #expect(Symbol(known: "NOTHERE") == nil)
    #expect(try await ask("/symbols/whyq/why").text.contains("did you mean 'WHYQ'?"))
    for time in ["61s", "-1s", "soon", ""] { #expect(try await ask("/symbols/AAPL/why?for=\(time)").status == 422, "\(time)") }
    #expect(try await ask("/symbols/AAPL/why?for=0s").status == 200)

    let clock = try #require((asked.pipeline.clock as? SteadyTimekeeper)?.machine as? ManualTimekeeper)
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<RunControl.inquiryLimit { group.addTask { try await asked.control.why("AAPL", for: .seconds(7)) != nil } }
      while clock.deadlines.count(where: { $0 == clock.uptime + .seconds(7) }) < RunControl.inquiryLimit { await Task.yield() }
      #expect(try await ask("/symbols/AAPL/why").status == 503)
      clock.advance(by: .seconds(7))
      for try await isAnswered in group { #expect(isAnswered) }
    }
    #expect(try await ask("/symbols/AAPL/why?for=0s").status == 200)
    #expect(await asked.end().exitStatus == 0)
  }
}
