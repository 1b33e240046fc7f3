import StockbusPlugin

extension Plugin {
  static let passThrough = Plugin("pass_through", "Passes trades on: what a home costs, and nothing else.", .processor(PassThrough.self))
}

actor PassThrough: Processor {
  init(_: NoOptions, _: Context) {}

  func process(_ events: Span<Trade>, into output: inout Outlet<Trade>) { output.send(contentsOf: events) }
}
