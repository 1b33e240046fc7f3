import StockbusPlugin
import StockbusTestKit

/// Counts the trades of each second of receipts: one bar a second, due at its end. The slow obvious form of a timed processor.
actor SecondCounter: TimedEventProcessor {
  struct Settings: Options { init() {} }
  private static let second: Int64 = 1_000_000_000
  private var open: (start: Int64, count: UInt32, symbol: Symbol)?

  init(_: Settings, _: Context) {}

  var due: Timestamp? { open.map { Timestamp(ns: $0.start + Self.second) } }

  func advance(to time: Timestamp, into output: inout Outlet<Bar>) {
    guard let due, due <= time else { return }
    send(received: due, .complete, into: &output)
  }

  func process(_ trade: Trade, into output: inout Outlet<Bar>) {
    let start = trade.received.ns / Self.second * Self.second
    // What is due at the receipt itself comes before the trade that begins the next second.
    if let due, due <= trade.received { send(received: due, .complete, into: &output) }
    open = (start, (open?.count ?? 0) + 1, trade.symbol)
  }

  func drain(into output: inout Outlet<Bar>) {
    if open != nil { send(received: due ?? Timestamp(ns: 0), .partial, into: &output) }
  }

  private func send(received: Timestamp, _ status: BarStatus, into output: inout Outlet<Bar>) {
    guard let bar = open else { return }
    open = nil
    output.send(
      Bar(
        symbol: bar.symbol, open: 1, high: 1, low: 1, close: 1, volume: 0, time: Timestamp(ns: bar.start), received: received,
        length: .time(Self.second), count: bar.count, status: status))
  }
}

/// Passes trades on in the order in which it gets them.
actor InOrder: TimedProcessor {
  struct Settings: Options { init() {} }
  init(_: Settings, _: Context) {}
  var due: Timestamp? { nil }
  func advance(to time: Timestamp, into output: inout Outlet<Trade>) {}
  func process(_ trades: Span<Trade>, into output: inout Outlet<Trade>) { output.send(contentsOf: trades) }
}

/// Takes trades and quotes, and writes down which came in which order: as alerts whose rule is the type.
actor TypesInOrder: MultiProcessor {
  typealias Output = Alert
  struct Settings: Options { init() {} }
  init(_: Settings, _: Context) {}

  static var handlers: [InputHandler<TypesInOrder>] {
    [
      InputHandler(Trade.self) { owner, trades, output in
        for i in trades.indices { owner.tell("trade", trades[i].symbol, trades[i].received, into: &output) }
      },
      InputHandler(Quote.self) { owner, quotes, output in
        for i in quotes.indices { owner.tell("quote", quotes[i].symbol, quotes[i].received, into: &output) }
      },
    ]
  }

  private func tell(_ type: String, _ symbol: Symbol, _ time: Timestamp, into output: inout Outlet<Alert>) {
    output.send(Alert(symbol: symbol, rule: type, message: "", price: 0, time: time))
  }
}

/// Drops every trade of a symbol other than `B`.
actor OnlyB: EventProcessor {
  struct Settings: Options { init() {} }
  init(_: Settings, _: Context) {}
  func process(_ trade: Trade, into output: inout Outlet<Trade>) { if trade.symbol == "B" { output.send(trade) } else { output.filter() } }
}

/// A live source: publishes a trade whenever a test rings, and waits meanwhile.
actor Rung: Source {
  struct Settings: Options { init() {} }
  private let context: Context
  private let parker = Parker()
  private var left = 0
  private var isOver = false

  init(_: Settings, _ context: Context) { self.context = context }

  static var commands: [CommandInfo] { [CommandInfo("ring", "Sends a trade."), CommandInfo("end", "Ends the source.")] }

  func run(into output: inout Outlet<Trade>) async throws {
    while !isOver {
      while left > 0 {
        left -= 1
        let now = output.receipt(context.clock.now)
        output.send(Trade(symbol: "A", price: 1, size: 1, time: now, received: now))
      }
      try await output.whileIdle { await parker.sleepCancellably() }
      try Task.checkCancellation()
    }
  }
}

extension Rung: CommandableComponent {
  func perform(_ command: Command) -> String {
    if command.verb == "end" { isOver = true } else { left += 1 }
    parker.wake()
    return "done"
  }
}

extension Plugin {
  static let seconds = Plugin("seconds", "Counts the trades of each second.", .processor(SecondCounter.self))
  static let inOrder = Plugin("in_order", "Passes trades on.", .processor(InOrder.self))
  static let typesInOrder = Plugin("types_in_order", "Says which type came when.", .processor(TypesInOrder.self))
  static let onlyB = Plugin("only_b", "Passes one symbol.", .processor(OnlyB.self))
  static let rung = Plugin("rung", "Sends a trade when it is told to.", .source(Rung.self))
}

/// Sends `count` trades with receipts a few moments apart, at a speed that differs from run to run.
actor Unsteady: Source {
  struct Settings: Options {
    @Setting("Names the trades and seeds the receipts.") var symbol: Symbol
    init() {}
  }
  private let symbol: Symbol
  private var random: RandomStream

  init(_ settings: Settings, _ context: Context) {
    symbol = settings.symbol
    random = context.random()
  }

  func run(into output: inout Outlet<Trade>) async throws {
    var moment: Int64 = 0
    for number in 0..<400 {
      moment += Int64(random.next() % 3)
      let time = Timestamp(ns: moment)
      output.send(Trade(symbol: symbol, price: 1, size: Quantity(raw: Int64(number)), time: time, received: time))
      // Not seeded: this is what must make no difference.
      if Int.random(in: 0..<8) == 0 {
        try await output.flush()
        for _ in 0..<Int.random(in: 0..<20) { await Task.yield() }
      }
    }
  }
}

extension Plugin {
  static let unsteady = Plugin("unsteady", "Sends trades at an unsteady speed.", .source(Unsteady.self))
}

/// Sends many trades with one receipt: more than a ring holds.
actor Burst: Source {
  struct Settings: Options { init() {} }
  init(_: Settings, _: Context) {}
  func run(into output: inout Outlet<Trade>) async throws {
    let time = Timestamp(ns: 5)
    for number in 0..<1000 {
      try await output.publish(
        Trade(symbol: number % 2 == 0 ? "A" : "B", price: 1, size: Quantity(raw: Int64(number)), time: time, received: time))
    }
  }
}

extension Plugin {
  static let burst = Plugin("burst", "Sends many trades at one moment.", .source(Burst.self))
}
