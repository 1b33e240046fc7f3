internal import Measuring
internal import StockbusPlugin

// The measured plugins, written as the documentation tells a user to write them.

extension Plugin {
  static let ticks = Plugin("ticks", "Sends numbered trades as fast as the bus takes them.", .source(TickSource.self))
  static let stage = Plugin("stage", "Sends every trade on with another price.", .processor(Stage.self))
  static let tally = Plugin("tally", "Counts and sums trades and checks their order.", .sink(TallySink.self))
}

struct TickSettings: Options {
  @Setting("How many to send.", in: 1...) var events = 1_000_000
  @Setting("How many go out together; 1 publishes each by itself.", in: 1...) var batch = 1
  init() {}
}

actor TickSource: Source {
  private let settings: TickSettings

  init(_ settings: TickSettings, _: Context) { self.settings = settings }

  func run(into output: inout Outlet<Trade>) async throws {
    let events = settings.events
    let batch = settings.batch
    Scoreboard.shared.begin()
    if batch == 1 {
      for i in 0..<events { try await output.publish(Trade(number: i)) }
    } else {
      for start in stride(from: 0, to: events, by: batch) {
        output.send(min(batch, events - start)) { Trade(number: start + $0) }
        try await output.flush()
      }
    }
  }
}

struct StageSettings: Options {
  @Setting("Added to every price, in billionths.") var add = 1
  init() {}
}

actor Stage: EventProcessor {
  private let add: Int64

  init(_ settings: StageSettings, _: Context) { add = Int64(settings.add) }

  func process(_ trade: Trade, into output: inout Outlet<Trade>) {
    var trade = trade
    trade.price.raw &+= add
    output.send(trade)
  }
}

struct TallySettings: Options {
  @Setting("How many will come.", in: 1...) var events = 1_000_000
  init() {}
}

actor TallySink: Sink {
  private let expected: Int
  private var tally = Tally()

  init(_ settings: TallySettings, _: Context) { expected = settings.events }

  func receive(_ trades: Span<Trade>) {
    tally.add(trades)
    if tally.count == expected { Scoreboard.shared.finish(tally) }
  }
}

extension Tally {
  /// Adds a batch in one call, because every access to an actor's property is checked, and on a copy, which the loop keeps in registers.
  mutating func add(_ trades: Span<Trade>) {
    var tally = self
    for i in trades.indices {
      let trade = trades[i]
      tally.add(number: trade.time.ns, price: trade.price.raw, size: trade.size.raw)
    }
    self = tally
  }
}

extension Trade {
  /// Trade number `i`, counted from 0.
  @inline(__always)
  init(number i: Int) {
    self.init(
      symbol: Symbol(id: UInt32(truncatingIfNeeded: i & 255) &+ 1), price: Price(raw: Int64(i)), size: Quantity(raw: 100),
      time: Timestamp(ns: Int64(i)), received: Timestamp(ns: Int64(i)))
  }
}
