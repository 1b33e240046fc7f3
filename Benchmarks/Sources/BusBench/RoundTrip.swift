internal import EventBus
internal import Logging
internal import MarketData
internal import Measuring
internal import StockbusPlugin
internal import StockbusRuntime
internal import Synchronization

/// Sends every trade back unchanged.
actor Echo: EventProcessor {
  init(_: NoOptions, _: Context) {}

  func process(_ trade: Trade, into output: inout Outlet<Trade>) { output.send(trade) }
}

/// Measures the time of each trade that comes back, and sends the next.
actor Ping: EventProcessor {
  /// The parameters and the results of a repetition.
  struct Game {
    var trips = 0
    /// How long to spin before the next trade, so that the other side has gone to sleep.
    var pause: Int64 = 0
    var latencies = Latencies(capacity: 0)
  }

  static let game = Mutex(Game())

  private var latencies: Latencies
  private let trips: Int
  private let pause: Int64

  init(_: NoOptions, _: Context) {
    (trips, pause) = Self.game.withLock { ($0.trips, $0.pause) }
    latencies = Latencies(capacity: trips)
  }

  func process(_ trade: Trade, into output: inout Outlet<Trade>) throws {
    latencies.add(monotonicNanoseconds() - trade.time.ns)
    let done = latencies.count
    guard trade.price.raw == Int64(done - 1) else { throw BenchError.failed("trade \(trade.price.raw) came as number \(done - 1)") }
    if done == trips {
      Self.game.withLock { $0.latencies = latencies }
      output.topic.close()
      return output.filter()
    }
    if pause > 0 { spin(nanoseconds: pause) }
    output.send(.ping(done))
  }
}

extension Trade {
  static func ping(_ number: Int) -> Trade {
    Trade(
      symbol: Symbol(id: 1), price: Price(raw: Int64(number)), size: Quantity(raw: 100), time: Timestamp(ns: monotonicNanoseconds()),
      received: Timestamp(ns: 0))
  }
}

/// Two processors that read each other. A configuration must not have a cycle, so they are wired by hand, as the runtime does it.
func runRoundTrips(_ trips: Int, pause: Int64) async throws -> Report {
  Ping.game.withLock { $0 = Ping.Game(trips: trips, pause: pause) }
  // As in the runtime with `wait: spin` and `wait: park`.
  let pool = pause == 0 ? nil : WorkerPool.shared
  let waiting = pool?.parking ?? Waiting(.spin)
  func topic(_ name: String) -> Topic<Trade> {
    Topic(name, capacity: 1 << 13, keepsLatest: false, memory: SubscriptionOptions.defaultMemory, producer: Parker(waiting))
  }
  let (there, back) = (topic("there"), topic("back"))
  let echo = try processor("echo", .processor(Echo.self), reading: there, writing: back)
  let ping = try processor("ping", .processor(Ping.self), reading: back, writing: there)
  try await withThrowingTaskGroup(of: Void.self) { group in
    group.addTask(executorPreference: pool) {
      sendFirst(on: there)
      try await ping()
    }
    group.addTask(executorPreference: pool) {
      try await echo()
      back.close()
    }
    try await group.waitForAll()
  }
  return Ping.game.withLock { $0.latencies }.report()
}

/// Sends the first trade before either is started; each outlet continues where its topic ends.
private func sendFirst(on topic: Topic<Trade>) {
  var outlet = Outlet(topic)
  outlet.send(.ping(0))
  outlet.commit()
}

/// One wired instance of a processor; calling the result runs it.
private func processor(
  _ id: String, _ blueprint: Blueprint, reading input: Topic<Trade>, writing output: Topic<Trade>
) throws -> @Sendable () async throws -> Void {
  let logger = Logger(label: id) { _ in SwiftLogNoOpLogHandler() }
  let context = Context(id: id, Context.Shared(clock: SystemTimekeeper(), logger: logger, seed: 42, notices: NoNotices()))
  let assembly = try blueprint.assembly(nil, at: ConfigNode.Mark(line: 1, column: 1))
  let slot = Slot(.processor, context, inputs: [Edge(input)], output: output)
  return { try await slot.run(assembly) }
}

struct NoNotices: NoticePublisher {
  func post(_: DeadLetter) {}
  func post(_: ConnectionStatus) {}
  func post(_: Gap) {}
}
