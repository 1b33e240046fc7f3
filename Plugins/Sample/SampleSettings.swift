internal import StockbusPlugin

struct SampleSettings: Options {
  @Setting(
    "The length of an interval: at most one event of each symbol is sent in it, and what came last is sent at its end.",
    in: .milliseconds(1) ... .seconds(86_400))
  var every: Duration

  init() {}
}
