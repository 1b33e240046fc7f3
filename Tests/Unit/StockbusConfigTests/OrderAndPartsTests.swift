import StockbusConfig
import StockbusPlugin
import Testing

/// `merge`, the notes on what depends on timing, and inputs that are a part of an output.
@Suite struct OrderAndPartsTests {
  /// Either a trade or a quote.
  struct Deal: Event {
    var trade: Int64 = 0
    var quote: Int64 = 0
    var time = Timestamp(ns: 0)
    static let schema = EventSchema<Deal>(
      "deal", "A trade or a quote.", time: \.time, example: Deal(),
      fields: [.init("trade", \.trade, "One."), .init("quote", \.quote, "Another."), .init("time", \.time, "When.")])
  }

  enum Trades: EventPart {
    static var name: String { "trades" }
    static func part(of deal: Deal) -> Trade? {
      deal.trade == 0 ? nil : Trade(symbol: "A", price: 1, size: 1, time: deal.time, received: deal.time)
    }
  }

  enum Quotes: EventPart {
    static var name: String { "quotes" }
    static func part(of deal: Deal) -> Quote? {
      deal.quote == 0 ? nil : Quote(symbol: "A", bid: 1, ask: 1, time: deal.time, received: deal.time)
    }
  }

  actor Dealer: Source {
    init(_: NoOptions, _: Context) {}
    func run(into output: inout Outlet<Deal>) async throws {}
  }

  actor Clocked: TimedProcessor {
    init(_: NoOptions, _: Context) {}
    var due: Timestamp? { nil }
    func advance(to time: Timestamp, into output: inout Outlet<Trade>) {}
    func process(_ trades: Span<Trade>, into output: inout Outlet<Trade>) {}
  }

  actor Heeding: TimedSink {
    struct Settings: Options {
      @Setting("Works with time.") var timed = false
      init() {}
    }
    static func worksWithTime(_ settings: Settings) -> Bool { settings.timed }
    init(_: Settings, _: Context) {}
    var due: Timestamp? { nil }
    func advance(to time: Timestamp) {}
    func receive(_ trades: Span<Trade>) {}
  }

  private static let catalogue = Catalogue(
    smallCatalogue.plugins + [
      Plugin("dealer", "Makes deals.", .source(Dealer.self)).readable(inParts: [Trades.self, Quotes.self]),
      Plugin("clocked", "Is told the time.", .processor(Clocked.self)),
      Plugin("heeding", "Is told the time if it asks for it.", .sink(Heeding.self)),
    ])

  private func check(_ text: String) throws(Problems) -> Topology { try Topology.check(load(text), catalogue: Self.catalogue) }

  private func problems(_ text: String) -> String {
    do throws(Problems) {
      _ = try check(text)
      return ""
    } catch { return error.description }
  }

  private let sources = """
    sources:
      a: { plugin: ticker, symbols: [A] }
      b: { plugin: ticker, symbols: [B] }

    """

  @Test func `where the order depends on timing, a note says so, and 'merge' ends it`() throws {
    let config =
      sources + """
        processors:
          both: { plugin: rank, inputs: [a, b] }
          one: { plugin: rank, inputs: [{ from: a, overflow: conflate }] }
          merged: { plugin: rank, inputs: [a, b], merge: received }
          timed: { plugin: clocked, inputs: [a, b] }
        sinks:
          all: { plugin: count, inputs: [both, one, merged] }
          log: { plugin: count, inputs: [timed] }
        """
    let topology = try check(config)
    #expect(
      topology.notes == [
        "plugins.yaml:5:33: note: processor 'both' reads 'a' and 'b' as they arrive, so their order may differ from run to run; 'merge: received' makes it the same",
        "plugins.yaml:6:41: note: processor 'one': which events 'conflate' drops from 'a' depends on timing",
        "plugins.yaml:10:33: note: sink 'all' reads 'both', 'one' and 'merged' as they arrive, so their order may differ from run to run; 'merge: received' makes it the same",
      ])
    #expect(topology.nodes.filter { $0.merge == .received }.map(\.id) == ["merged"])
  }

  @Test func `the settings of a timed sink decide whether its inputs come in one order`() throws {
    let topology = try check(
      sources + """
        sinks:
          with: { plugin: heeding, inputs: [a, b], timed: true }
          without: { plugin: heeding, inputs: [a, b] }
        """)
    #expect(topology.nodes.filter(\.worksWithTime).map(\.id) == ["with"])
    #expect(
      topology.notes == [
        "plugins.yaml:6:39: note: sink 'without' reads 'a' and 'b' as they arrive, so their order may differ from run to run; 'merge: received' makes it the same"
      ])
  }

  @Test func `what 'merge' may be`() {
    let config =
      sources + """
        processors:
          both: { plugin: rank, inputs: [a, b], merge: recieved }
          more: { plugin: rank, inputs: [a, b], merge: [time] }
        sinks:
          all: { plugin: show, inputs: [both, more, a], merge: received }
        """
    #expect(
      problems(config) == """
        plugins.yaml:5:48: error: processor 'both': 'merge' must be one of arrival, received, got 'recieved'; did you mean 'received'?
        plugins.yaml:6:48: error: processor 'more': 'merge' must be one of arrival, received, got a list
        plugins.yaml:8:56: error: sink 'all': 'merge' is for plugins that take one type of event at a time
        """)
  }

  @Test func `a part of an output is read by its name`() throws {
    let topology = try check(
      """
      sources: { desk: { plugin: dealer } }
      sinks:
        tape: { plugin: tape, inputs: [desk.trades] }
        all: { plugin: count, inputs: [desk.trades] }
        more: { plugin: count, inputs: [desk.quotes] }
      """)
    #expect(topology.nodes.map(\.id) == ["desk", "desk.trades", "tape", "all", "desk.quotes", "more"])
    #expect(topology.nodes[1].blueprint.output == Trade.self)
  }

  @Test func `parts that there are not`() {
    #expect(
      problems(
        """
        sources: { desk: { plugin: dealer } }
        sinks:
          tape: { plugin: tape, inputs: [desk.trade] }
          more: { plugin: tape, inputs: [desk.quotes] }
        """) == """
          plugins.yaml:3:34: error: sink 'tape': unknown input 'desk.trade'; did you mean 'desk.trades'?
          plugins.yaml:4:34: error: sink 'more' reads trade, but its input 'desk.quotes' emits quote
          """)
  }
}
