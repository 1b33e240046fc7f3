import TestSupport
import StockbusPlugin
import StockbusTestKit
import Synchronization
import Testing

/// Every kind of component, swapped a thousand times in mid-stream: the output is the same as that of one instance.
@Suite(.timeLimit(.minutes(15))) struct SwapTests {
  private static let swaps = 1000

  /// Sends numbered trades during the swaps, in batches by seed, and returns their number.
  private func feed<Out: Event>(_ running: RunningPlugin<Out>, until isOver: Watched<Bool>, seed: Int) async throws -> Int {
    var random = SplitMix(seed)
    var sent = 0
    while !isOver.value || sent == 0 {
      let batch = 1 + random.upTo(40)
      try await running.send((sent + 1...sent + batch).map { Numbered.trade(Int64($0)) })
      sent += batch
      for _ in 0..<random.upTo(20) { await Task.yield() }
      // Waits for the readers from time to time.
      if sent % 10 == 0 { await running.delivered() }
    }
    return sent
  }

  /// Swaps the component a thousand times while it is fed. The options contain the number of the swap.
  private func swap<Out: Event>(
    _ running: RunningPlugin<Out>, seed: Int, isFed: Bool = true, _ options: (Int) -> String = { "tag: \($0)" }
  ) async throws -> Int {
    let isOver = Watched(false)
    return try await withThrowingTaskGroup(of: Int.self) { group in
      if isFed { group.addTask { try await feed(running, until: isOver, seed: seed) } }
      var random = SplitMix(seed + 1000)
      for number in 1...Self.swaps {
        for _ in 0..<random.upTo(30) { await Task.yield() }
        try await running.replace(options: options(number))
      }
      isOver.update { $0 = true }
      return try await group.next() ?? 0
    }
  }

  private func check(_ output: [Trade], count: Int) {
    #expect(output.map(\.size.raw) == (1...count).map { Int64($0) }, "nothing lost, doubled or reordered")
    let tags = output.map(\.price.raw)
    #expect(zip(tags, tags.dropFirst()).allSatisfy(<=), "an earlier instance has come after a later one")
    #expect(Set(tags).count > 10, "hardly any swap was in mid-stream")
  }

  @Test(arguments: [1, 2]) func `processors`(seed: Int) async throws {
    let harness = PluginHarness()
    let running = try harness.start(Blueprint.processor(Stamper.self), options: "tag: 0", taking: Trade.self, emitting: Trade.self)
    let sent = try await swap(running, seed: seed)
    try await running.stop()
    check(running.output, count: sent)
    #expect(running.counts.map(\.delivered) == [sent] && running.counts.map(\.residue) == [0])
    #expect(harness.counter("seen") == sent)
    #expect(harness.counter("instances") == Self.swaps + 1)
  }

  @Test func `processors that hold something back send it before they go`() async throws {
    let harness = PluginHarness()
    let running = try harness.start(Blueprint.processor(Delayer.self), options: "tag: 0", taking: Trade.self, emitting: Trade.self)
    let sent = try await swap(running, seed: 3)
    try await running.stop()
    check(running.output, count: sent)
  }

  @Test func `processors that hand over what they hold back lose nothing of it`() async throws {
    let harness = PluginHarness()
    let options = { (number: Int) in "{ tag: \(number), remembers: true }" }
    let running = try harness.start(Blueprint.processor(Delayer.self), options: options(0), taking: Trade.self, emitting: Trade.self)
    let sent = try await swap(running, seed: 4, options)
    try await running.stop()
    check(running.output, count: sent)
  }

  @Test func `processors that wait`() async throws {
    let harness = PluginHarness()
    let running = try harness.start(Blueprint.asyncProcessor(SlowStamper.self), options: "tag: 0", taking: Trade.self, emitting: Trade.self)
    let sent = try await swap(running, seed: 5)
    try await running.stop()
    check(running.output, count: sent)
    #expect(running.counts.map(\.delivered) == [sent])
  }

  @Test func `sinks`() async throws {
    let register = Register()
    try await Register.$current.withValue(register) {
      let running = try PluginHarness().start(Blueprint.sink(Keeper.self), options: "tag: 0", taking: [Trade.self])
      let sent = try await swap(running, seed: 6)
      try await running.stop()
      check(register.trades, count: sent)
      #expect(running.counts.map(\.delivered) == [sent])
    }
  }

  @Test func `sinks of several types`() async throws {
    let register = Register()
    try await Register.$current.withValue(register) {
      let running = try PluginHarness().start(Blueprint.sink(ManyKeeper.self), options: "tag: 0", taking: [Trade.self, Quote.self])
      let quotes = Task {
        for number in 1...2000 {
          try await running.send([Numbered.quote(Int64(number))], toInput: 1)
          await Task.yield()
        }
      }
      let sent = try await swap(running, seed: 7)
      try await quotes.value
      try await running.stop()
      check(register.trades, count: sent)
      #expect(register.quotes == (1...2000).map { Int64($0) })
      #expect(running.counts.map(\.delivered) == [sent, 2000])
    }
  }

  @Test func `relays`() async throws {
    let harness = PluginHarness()
    let running = try harness.start(Blueprint.relay(Loop.self), options: "tag: 0", taking: Trade.self, emitting: Trade.self)
    let sent = try await swap(running, seed: 8)
    try await running.stop()
    check(running.output, count: sent)
    #expect(running.counts.map(\.delivered) == [sent])
  }

  @Test func `sources that remember their place`() async throws {
    let harness = PluginHarness()
    let running = try harness.start(Blueprint.source(Teller.self), options: "tag: 0", emitting: Trade.self)
    _ = try await swap(running, seed: 9, isFed: false)
    _ = await running.output(count: 5000)
    try await running.stop()
    check(running.output, count: running.output.count)
  }

  @Test func `memory is kept, dropped or carried over as it says`() async throws {
    let harness = PluginHarness()
    let register = Register()
    try await Register.$current.withValue(register) {
      let running = try harness.start(Blueprint.sink(Rememberer.self), options: "tag: 1", taking: [Trade.self])
      try await running.replace(options: "tag: 10")
      try await running.replace(options: "tag: 100")
      try await running.stop()
      // Kept: the number of instances. Dropped: what the first one stored. Carried over: the sum of all tags so far.
      #expect(register.lines == ["0 nothing 0", "1 nothing 1", "2 nothing 11"])
    }
  }

  @Test func `options that are wrong change nothing`() async throws {
    let running = try PluginHarness().start(Blueprint.processor(Stamper.self), options: "tag: 0", taking: Trade.self, emitting: Trade.self)
    await #expect(throws: Problems.self) { try await running.replace(options: "tog: 1") }
    try await running.send([Numbered.trade(1)])
    #expect(await running.output(count: 1).map(\.price.raw) == [0])
    try await running.stop()
  }
}

/// Trades and quotes that are distinguished by a number.
enum Numbered {
  static func trade(_ number: Int64) -> Trade {
    var trade = Trade.schema.example
    trade.size = Quantity(raw: number)
    return trade
  }

  static func quote(_ number: Int64) -> Quote {
    var quote = Quote.schema.example
    quote.bidSize = Quantity(raw: number)
    return quote
  }
}

/// Records what the sinks of one test have received.
final class Register: Sendable {
  @TaskLocal static var current = Register()

  private struct State {
    var trades: [Trade] = []
    var quotes: [Int64] = []
    var lines: [String] = []
  }

  private let state = Mutex(State())
  var trades: [Trade] { state.withLock { $0.trades } }
  var quotes: [Int64] { state.withLock { $0.quotes } }
  var lines: [String] { state.withLock { $0.lines } }

  func add(_ trade: Trade, tag: Int) {
    var trade = trade
    trade.price = Price(raw: Int64(tag))
    state.withLock { [trade] in $0.trades.append(trade) }
  }

  func add(_ quote: Quote) { state.withLock { $0.quotes.append(quote.bidSize.raw) } }
  func note(_ line: String) { state.withLock { $0.lines.append(line) } }
}

struct TagSettings: Options {
  @Setting("What is written on every event.") var tag = 0
  @Setting("What is held back is remembered, not sent.") var remembers = false
  init() {}
}

/// Writes its tag on every trade.
actor Stamper: Processor {
  private let tag: Int
  private let seen: Counter

  init(_ settings: TagSettings, _ context: Context) {
    tag = settings.tag
    seen = context.counter("seen", "Trades seen.")
    context.counter("instances", "Instances.").add(1)
  }

  func process(_ events: Span<Trade>, into output: inout Outlet<Trade>) {
    seen.add(events.count)
    for i in events.indices {
      var trade = events[i]
      trade.price = Price(raw: Int64(tag))
      output.send(trade)
    }
  }
}

/// Sends each trade when the next one comes.
actor Delayer: EventProcessor {
  private let settings: TagSettings
  private let context: Context
  private var held: Trade?

  private static var held: MemoryKey<Trade?> { MemoryKey("held", whenOptionsChange: .keep) }

  init(_ settings: TagSettings, _ context: Context) {
    self.settings = settings
    self.context = context
    held = context.recall(Self.held) ?? nil
  }

  func process(_ event: Trade, into output: inout Outlet<Trade>) {
    sendHeld(into: &output)
    held = event
  }

  private func sendHeld(into output: inout Outlet<Trade>) {
    guard var trade = held else { return }
    trade.price = Price(raw: Int64(settings.tag))
    output.send(trade)
    held = nil
  }

  func drain(into output: inout Outlet<Trade>) { sendHeld(into: &output) }

  func handOver(into output: inout Outlet<Trade>) {
    if settings.remembers { context.remember(held, Self.held) } else { sendHeld(into: &output) }
  }
}

/// As `Stamper`, with a suspension.
actor SlowStamper: AsyncProcessor {
  private let tag: Int
  init(_ settings: TagSettings, _ context: Context) { tag = settings.tag }

  func process(_ events: Span<Trade>, into output: inout Outlet<Trade>) async {
    for i in events.indices {
      var trade = events[i]
      trade.price = Price(raw: Int64(tag))
      output.send(trade)
      if i % 8 == 0 { await Task.yield() }
    }
  }
}

actor Keeper: Sink {
  private let tag: Int
  private let register = Register.current
  init(_ settings: TagSettings, _ context: Context) { tag = settings.tag }

  func receive(_ events: Span<Trade>) async {
    for i in events.indices { register.add(events[i], tag: tag) }
    await Task.yield()
  }
}

actor ManyKeeper: MultiSink {
  private let tag: Int
  private let register = Register.current
  init(_ settings: TagSettings, _ context: Context) { tag = settings.tag }

  static var handlers: [Handler<ManyKeeper>] {
    [
      Handler(Trade.self) { sink, events in for i in events.indices { sink.register.add(events[i], tag: sink.tag) } },
      Handler(Quote.self) { sink, events in for i in events.indices { sink.register.add(events[i]) } },
    ]
  }

  func settle() async { await Task.yield() }
}

/// Publishes what it receives.
actor Loop: Source, Sink {
  private let tag: Int
  private let (stream, wire) = AsyncStream<Trade>.makeStream()
  init(_ settings: TagSettings, _ context: Context) { tag = settings.tag }

  func receive(_ events: Span<Trade>) { for i in events.indices { wire.yield(events[i]) } }
  func drain() { wire.finish() }

  /// Waits until everything under way has been published.
  func handOver() async {
    wire.finish()
    while !isBack { await Task.yield() }
  }

  private var isBack = false

  func run(into output: inout Outlet<Trade>) async throws {
    for await var trade in stream {
      trade.price = Price(raw: Int64(tag))
      try await output.publish(trade)
    }
    isBack = true
  }
}

/// Counts, and the next instance continues.
actor Teller: Source {
  private let tag: Int
  private let context: Context
  private static var place: MemoryKey<Int64> { MemoryKey("place", whenOptionsChange: .keep) }

  init(_ settings: TagSettings, _ context: Context) {
    tag = settings.tag
    self.context = context
  }

  func run(into output: inout Outlet<Trade>) async throws {
    var number = context.recall(Self.place) ?? 0
    while true {
      number += 1
      var trade = Numbered.trade(number)
      trade.price = Price(raw: Int64(tag))
      output.send(trade)
      context.remember(number, Self.place)
      if number % 7 == 0 { try await output.flush() }
      await Task.yield()
      try Task.checkCancellation()
    }
  }
}

/// Records what it has found in its memory.
actor Rememberer: Sink {
  private let settings: TagSettings
  private let context: Context
  private static var instances: MemoryKey<Int> { MemoryKey("instances", whenOptionsChange: .keep) }
  private static var note: MemoryKey<String> { MemoryKey("note", whenOptionsChange: .drop) }
  private static var sum: MemoryKey<Int> { MemoryKey("sum", whenOptionsChange: .drop) }

  init(_ settings: TagSettings, _ context: Context) {
    self.settings = settings
    self.context = context
    let instances = context.recall(Self.instances) ?? 0
    Register.current.note("\(instances) \(context.recall(Self.note) ?? "nothing") \(context.recall(Self.sum) ?? 0)")
    context.remember(instances + 1, Self.instances)
    context.remember("something", Self.note)
  }

  static func carryOver(_ old: Memory, from before: TagSettings, to after: TagSettings, into memory: Memory) {
    memory[sum] = (old[sum] ?? 0) + before.tag
  }

  func receive(_ events: Span<Trade>) {}
}
