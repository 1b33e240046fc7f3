import StockbusPlugin

extension Plugin {
  static let spread = Plugin(
    "spread", "Tells how far bid and ask are apart, and how often they were that far.", .processor(SpreadProcessor.self))
}

struct SpreadSettings: Options {
  @Setting("The least width that is told.", in: Price(raw: 0)...) var least: Price = 0
  init() {}
}

/// Emits a spread for each quote of at least a width; crossed quotes, whose bid is above their ask, are left out.
actor SpreadProcessor: EventProcessor {
  private let least: Price
  private var seen: [Symbol: Int64] = [:]

  init(_ settings: SpreadSettings, _: Context) { least = settings.least }

  func process(_ quote: Quote, into output: inout Outlet<Spread>) {
    let width = Price(raw: quote.ask.raw - quote.bid.raw)
    guard quote.ask >= quote.bid, width >= least else { return output.filter() }
    seen[quote.symbol, default: 0] += 1
    output.send(Spread(symbol: quote.symbol, width: width, number: seen[quote.symbol] ?? 0, time: quote.time))
  }
}

/// How far bid and ask of a symbol are apart.
struct Spread: SymbolEvent {
  var symbol: Symbol
  var width: Price
  var number: Int64
  var time: Timestamp

  static let schema = EventSchema<Spread>(
    "spread", "How far bid and ask of a symbol are apart.", key: \.symbol, time: \.time,
    example: Spread(symbol: "ACME", width: Price(raw: 20_000_000), number: 1, time: Timestamp(ns: 1_381_239_000_000_000_000)),
    fields: [
      .init("symbol", \.symbol, "The instrument."), .init("width", \.width, "Ask minus bid."),
      .init("number", \.number, "How many spreads of this symbol were told, with this one."),
      .init("time", \.time, "When it was so."),
    ])
}
