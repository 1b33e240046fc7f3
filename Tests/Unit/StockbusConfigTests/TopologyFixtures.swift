import StockbusConfig
import StockbusPlugin

/// A small catalogue: two sources of trades and quotes, one of events without a symbol, a relay, processors and sinks with all kinds of
/// restrictions.
let smallCatalogue = Catalogue([
  Plugin("ticker", "Makes trades.", .source(Ticker.self)),
  Plugin("quoter", "Makes quotes.", .source(Quoter.self)),
  Plugin("links", "Tells of connections.", .source(Links.self)),
  Plugin("echo", "Sends trades out and gets them back.", .relay(Echo.self)),
  Plugin("rank", "Ranks symbols.", RankPlugin.self, hot: [.processor(Rank<Trade>.self), .processor(Rank<Quote>.self)], emits: "ranked"),
  Plugin("pass", "Passes events about symbols.", PassPlugin.self, hot: [.processor(Pass<Trade>.self)]),
  Plugin(
    "either", "Counts trades or quotes.", option: "event",
    variants: ["trade": .sink(Either<Trade>.self), "quote": .sink(Either<Quote>.self)]),
  Plugin("show", "Shows trades and ranks.", .sink(Show.self)),
  Plugin("tape", "Prints trades.", .sink(Tape.self)),
  Plugin("count", "Counts events.", CountPlugin.self, hot: [.sink(Count<Trade>.self)]),
])

enum RankPlugin: PricedEventPlugin { static func bind<E: PricedEvent>(_: E.Type) -> Blueprint { .processor(Rank<E>.self) } }
enum PassPlugin: SymbolEventPlugin { static func bind<E: SymbolEvent>(_: E.Type) -> Blueprint { .processor(Pass<E>.self) } }
enum CountPlugin: AnyEventPlugin { static func bind<E: Event>(_: E.Type) -> Blueprint { .sink(Count<E>.self) } }

struct Burst: Options {
  @Setting("Trades at once.", in: 1...1000) var size = 10
  @Setting("Time between two.", in: .milliseconds(1) ... .seconds(60)) var pause = Duration.seconds(1)
  init() {}
}

struct TickerSettings: Options {
  @Setting("What to trade.", count: 1...3) var symbols: [Symbol]
  @Setting("Time between two trades.", in: .milliseconds(1) ... .seconds(3600)) var interval = Duration.seconds(2)
  @Setting("Trades in a row.") var burst = Burst()
  init() {}
}

actor Ticker: Source {
  init(_: TickerSettings, _: Context) {}
  func run(into output: inout Outlet<Trade>) async throws {}
}

actor Quoter: Source {
  init(_: NoOptions, _: Context) {}
  func run(into output: inout Outlet<Quote>) async throws {}
}

actor Links: Source {
  init(_: NoOptions, _: Context) {}
  func run(into output: inout Outlet<ConnectionStatus>) async throws {}
}

struct EchoSettings: Options {
  @Setting("Where to send them.") var url = "embedded"
  init() {}
}

actor Echo: Source, Sink {
  init(_: EchoSettings, _: Context) {}
  func run(into output: inout Outlet<Trade>) async throws {}
  func receive(_ events: Span<Trade>) {}
}

struct RankSettings: Options {
  @Setting("How many are kept.", in: 1...100) var top = 10
  @Setting("Weights.", in: 0...1) var weights: [Int] = []
  init() {}

  func validate(_ problems: inout OptionProblems) {
    if weights.count > top { problems.add("more 'weights' than 'top'", at: "weights") }
  }
}

actor Rank<E: PricedEvent>: Processor {
  init(_: RankSettings, _: Context) {}
  func process(_ events: Span<E>, into output: inout Outlet<Ranked>) {}
}

struct PassSettings: Options {
  @Setting("Symbols to pass.") var names: [String] = []
  init() {}

  func validate(_ problems: inout OptionProblems) {
    for name in names where name.contains("$") { problems.add("'names': '\(name)' holds a '$'", at: "names") }
  }
}

actor Pass<E: SymbolEvent>: Processor {
  init(_: PassSettings, _: Context) {}
  func process(_ events: Span<E>, into output: inout Outlet<E>) {}
}

enum EitherEvent: String, Choice { case trade, quote }

struct EitherSettings: Options {
  @Setting("What to count.") var event = EitherEvent.trade
  init() {}
}

actor Either<E: Event>: Sink {
  init(_: EitherSettings, _: Context) {}
  func receive(_ events: Span<E>) {}
}

actor Show: MultiSink {
  static let handlers: [Handler<Show>] = [Handler(Trade.self) { _, _ in }, Handler(Ranked.self) { _, _ in }]
  init(_: NoOptions, _: Context) {}
}

actor Tape: Sink {
  init(_: NoOptions, _: Context) {}
  func receive(_ events: Span<Trade>) {}
}

actor Count<E: Event>: Sink {
  init(_: NoOptions, _: Context) {}
  func receive(_ events: Span<E>) {}
}

/// The problems of a configuration with the small catalogue; empty if there are none.
func topologyProblems(_ text: String, _ environment: [String: String] = [:]) -> String {
  do throws(Problems) {
    _ = try Topology.check(load(text, environment), catalogue: smallCatalogue)
    return ""
  } catch { return error.description }
}

func topology(_ text: String) throws(Problems) -> Topology { try Topology.check(load(text), catalogue: smallCatalogue) }
