internal import EventBus
internal import Logging
internal import MarketData
internal import Measuring
internal import NATS
internal import StockbusConfig
internal import StockbusPlugin
internal import StockbusRuntime
internal import Synchronization

/// A run that sends trades to a stream and gets them back from it: how long each takes from `nats_out`'s input to behind `nats_in`.
func latency(_ url: String, _ stream: String, _ count: Int, rate: Int) async throws -> Report {
  let text = """
    sources:
      stamps: { plugin: stamps, count: \(count), rate: \(rate) }
      back: { plugin: nats_in, servers: ['\(url)'], stream: \(stream) }
    sinks:
      out: { plugin: nats_out, inputs: [stamps], servers: ['\(url)'], stream: \(stream), subject: \(stream) }
      times: { plugin: times, inputs: [back], count: \(count) }

    """
  let topology = try Topology.check(ConfigLoader().load(text: text), catalogue: Catalogue([.stamps, .times, .natsIn, .natsOut]))
  let pipeline = Pipeline(topology, logger: Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() })
  async let running = pipeline.run()
  await StampTimes.isFull.wait()
  pipeline.stop()
  let report = await running
  guard report.exitStatus == 0, report.ledger.isBalanced else { throw NATSBenchError("\(report)") }
  return StampTimes.latencies.withLock { $0 }.report()
}

/// What the run's end has measured.
private enum StampTimes {
  static let latencies = Mutex(Latencies(capacity: 0))
  static let isFull = Latch()
}

extension Plugin {
  fileprivate static let stamps = Plugin("stamps", "Sends numbered trades with the time at a steady rate.", .source(StampSource.self))
  fileprivate static let times = Plugin("times", "Measures how old numbered trades are.", .sink(StampSink.self))
}

struct StampSettings: Options {
  @Setting("How many to send.", in: 1...) var count = 1000
  @Setting("How many a second.", in: 1...) var rate = 1000
  init() {}
}

actor StampSource: Source {
  private let settings: StampSettings
  private let context: Context

  init(_ settings: StampSettings, _ context: Context) { (self.settings, self.context) = (settings, context) }

  func run(into output: inout Outlet<Trade>) async throws {
    let symbol: Symbol = "STAMP"
    let begin = context.clock.uptime
    for number in 0..<settings.count {
      try await context.clock.sleep(until: begin + .nanoseconds(number * 1_000_000_000 / settings.rate))
      let now = Timestamp(ns: monotonicNanoseconds())
      try await output.publish(
        Trade(symbol: symbol, price: Price(raw: Int64(number)), size: Quantity(raw: 1_000_000_000), time: now, received: now))
    }
  }
}

struct TimesSettings: Options {
  @Setting("How many will come.", in: 1...) var count = 1000
  init() {}
}

actor StampSink: Sink {
  private let expected: Int
  private var latencies: Latencies

  init(_ settings: TimesSettings, _: Context) {
    expected = settings.count
    latencies = Latencies(capacity: settings.count)
  }

  func receive(_ trades: Span<Trade>) throws {
    let now = monotonicNanoseconds()
    for i in trades.indices {
      guard trades[i].price.raw == Int64(latencies.count) else {
        throw NATSBenchError("trade \(trades[i].price.raw) came as number \(latencies.count)")
      }
      latencies.add(now - trades[i].time.ns)
    }
    if latencies.count < expected { return }
    let found = latencies
    StampTimes.latencies.withLock { $0 = found }
    StampTimes.isFull.fire()
  }
}
