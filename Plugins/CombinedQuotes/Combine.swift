public import StockbusPlugin

extension Plugin {
  /// Makes one quote of several symbols, or of several venues.
  public static let combine = Plugin(
    "combine",
    "Makes a quote of several symbols, the sum of weight times price: a spread, a basket or an index; or the best quote of several venues.",
    CombinePlugin.self,
    hot: [.processor(Combination<Trade>.self), .processor(Combination<Quote>.self), .processor(Combination<Bar>.self)],
    emits: Quote.schema.name
  ).choosing { types, options in
    !types.inputs.isEmpty && types.inputs.allSatisfy { $0 == Quote.self } && options?.word("best") == "true"
      ? .processor(BestQuotes.self) : nil
  }.example("symbol: KO-PEP\nlegs: { KO: 1, PEP: -0.4 }")
}

enum CombinePlugin: PricedEventPlugin {
  static func bind<E: PricedEvent>(_: E.Type) -> Blueprint { .processor(Combination<E>.self) }
}
