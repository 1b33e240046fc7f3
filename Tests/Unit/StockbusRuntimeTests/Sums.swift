import EventBus
import MarketData
import StockbusPlugin

extension Plugin {
  /// Every kind of processor that waits for nothing; they all do the same.
  static let sums = [
    Plugin("sum", "Sums up numbers.", .processor(Sum.self)),
    Plugin("lane_sum", "Sums up numbers.", .processor(LaneSum.self)),
    Plugin("timed_sum", "Sums up numbers.", .processor(TimedSum.self)),
    Plugin("multi_sum", "Sums up numbers.", .processor(MultiSum.self)),
  ]
}

/// Sends the sum of the numbers so far, which it remembers before it checks whether one is poisoned.
struct RunningSum {
  private static let key = MemoryKey<Int64>("sum", whenOptionsChange: .keep)
  private let poison: [Int64]
  private let context: Context
  private var sum: Int64

  init(_ settings: PassSettings, _ context: Context) {
    poison = settings.poison
    self.context = context
    sum = context.recall(Self.key) ?? 0
  }

  mutating func add(_ events: Span<Tick>, into output: inout Outlet<Tick>) throws {
    for i in events.indices {
      var event = events[i]
      sum += event.number
      context.remember(sum, Self.key)
      event.number = sum
      output.send(event)
      if poison.contains(sum) { throw Poison(number: sum) }
    }
  }
}

actor Sum: Processor {
  private var sum: RunningSum
  init(_ settings: PassSettings, _ context: Context) { sum = RunningSum(settings, context) }
  func process(_ events: Span<Tick>, into output: inout Outlet<Tick>) throws { try sum.add(events, into: &output) }
}

actor LaneSum: LaneProcessor {
  private var sum: RunningSum
  init(_ settings: PassSettings, _ context: Context) { sum = RunningSum(settings, context) }
  func attend(to inputs: [String]) {}
  func handOver(into output: inout Outlet<Tick>) {}
  func process(_ events: Span<Tick>, from lane: Int, into output: inout Outlet<Tick>) throws { try sum.add(events, into: &output) }
}

actor TimedSum: TimedProcessor {
  private var sum: RunningSum
  init(_ settings: PassSettings, _ context: Context) { sum = RunningSum(settings, context) }
  var due: Timestamp? { nil }
  func advance(to time: Timestamp, into output: inout Outlet<Tick>) {}
  func process(_ events: Span<Tick>, into output: inout Outlet<Tick>) throws { try sum.add(events, into: &output) }
}

actor MultiSum: MultiProcessor {
  typealias Output = Tick
  static var handlers: [InputHandler<MultiSum>] { [InputHandler(Tick.self) { try $0.sum.add($1, into: &$2) }] }
  private var sum: RunningSum
  init(_ settings: PassSettings, _ context: Context) { sum = RunningSum(settings, context) }
}
