import StockbusPlugin

extension Plugin {
  static let offender = Plugin(
    "offender", "Passes the last trade", .processor(Offender.self))
}

struct OffenderSettings: Options {
  @Setting("How many trades it waits for.", in: 1...10) var wait = 20
  init() {}
}

actor Offender: EventProcessor {
  private var last = Trade.schema.example

  init(_ settings: OffenderSettings, _: Context) {}

  func process(_ trade: Trade, into output: inout Outlet<Trade>) { last = trade }

  func drain(into output: inout Outlet<Trade>) { output.send(last) }
}
