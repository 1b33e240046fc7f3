import EventBus
import StockbusPlugin

struct PassSettings: Options {
  @Setting("Sets aside all that it gets.") var rejects = false
  @Setting("Numbers that it cannot work with.") var poison: [Int64] = []
  @Setting("Numbers that it leaves out.") var drops: [Int64] = []
  @Setting("Fails when it drains.") var leaks = false

  init() {}
}

extension Plugin {
  static let pass = Plugin("pass", "Passes numbers on.", .processor(Pass.self))
  static let multiples = Plugin("multiples", "Adds multiples of the numbers.", .processor(Multiples.self))
  static let asyncPass = Plugin("async_pass", "Passes numbers on, after a while.", .asyncProcessor(AsyncPass.self))
  static let echo = Plugin("echo", "Sends numbers out and publishes what comes back.", .relay(Echo.self))
}

/// Sends every event, and then checks whether it is poisoned.
actor Pass: EventProcessor {
  private let settings: PassSettings
  private let context: Context
  private let journal = Journal.current
  private let seen: Counter

  init(_ settings: PassSettings, _ context: Context) {
    self.settings = settings
    self.context = context
    seen = context.counter("seen", "Numbers seen.")
  }

  func start() { journal.note("\(context.id) starts") }
  func stop() { journal.note("\(context.id) stops") }

  func process(_ event: Tick, into output: inout Outlet<Tick>) throws {
    seen.add(1)
    if settings.drops.contains(event.number) { return output.filter() }
    output.send(event)
    if settings.poison.contains(event.number) { throw Poison(number: event.number) }
  }

  func drain(into output: inout Outlet<Tick>) throws {
    journal.note("\(context.id) drains")
    if settings.leaks { throw Broken(description: "a leak") }
  }
}

struct MultipleSettings: Options {
  @Setting("What the numbers are multiplied by, a column for each.") var factors: [Int64] = []

  init() {}
}

/// Adds a column `xN` with `N` times the number for each of its factors.
actor Multiples: EventProcessor {
  private let factors: [Int64]

  static func columns(_ settings: MultipleSettings, reading _: ColumnLayout) -> ColumnLayout {
    ColumnLayout(settings.factors.map { ColumnInfo("x\($0)", .number) })
  }

  init(_ settings: MultipleSettings, _: Context) { factors = settings.factors }

  func process(_ event: Tick, into output: inout Outlet<Tick>) {
    output.send(event)
    for factor in factors { if let column = output.column("x\(factor)") { output.set(column, factor * event.number) } }
  }
}

/// As `Pass`, with a suspension between sending and checking.
actor AsyncPass: AsyncProcessor {
  private let settings: PassSettings

  init(_ settings: PassSettings, _ context: Context) { self.settings = settings }

  func process(_ events: Span<Tick>, into output: inout Outlet<Tick>) async throws {
    for i in events.indices {
      output.send(events[i])
      await Task.yield()
      if settings.poison.contains(events[i].number) { throw Poison(number: events[i].number) }
    }
  }
}

/// Writes its input into a stream, and publishes what comes out of the stream.
actor Echo: Source, Sink {
  private let settings: PassSettings
  private let context: Context
  private let journal = Journal.current
  private let (stream, wire) = AsyncStream<Tick>.makeStream()

  init(_ settings: PassSettings, _ context: Context) {
    self.settings = settings
    self.context = context
  }

  func start() { journal.note("\(context.id) starts") }

  func stop() {
    wire.finish()
    journal.note("\(context.id) stops")
  }

  func receive(_ events: Span<Tick>) {
    for i in events.indices {
      if settings.rejects { context.reject("\(events[i].number)", origin: "wire", reason: "cut") } else { wire.yield(events[i]) }
    }
  }

  func drain() { wire.finish() }

  func run(into output: inout Outlet<Tick>) async throws {
    for await tick in stream {
      if settings.poison.contains(tick.number) { throw Poison(number: tick.number) }
      try await output.publish(tick)
    }
  }
}
