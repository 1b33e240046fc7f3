import EventBus
import StockbusPlugin

struct KeepSettings: Options {
  @Setting("Numbers that it cannot work with.") var poison: [Int64] = []
  @Setting("Waits at the gate with the first events it gets.") var gated = false
  @Setting("Lives whose start fails.") var failingStarts = 0
  @Setting("Starts before the first one that fails.") var starts = Int.max
  @Setting("Cannot hand over.") var stuck = false
  @Setting("Takes its time to start.") var slow = false
  @Setting("Loses what it takes, and fails.") var loses = false
  @Setting("Takes so many of its first run; then the world fails it.") var takes = 0

  init() {}
}

extension Plugin {
  static let keep = Plugin("keep", "Keeps numbers.", .sink(Keep.self))
  static let keepBoth = Plugin("keep_both", "Keeps numbers of two types.", .sink(KeepBoth.self))
  static let port = Plugin("port", "Keeps what a column says.", .sink(Port.self))
  static let letters = Plugin("letters", "Keeps dead letters.", .sink(Letters.self))
}

/// Stores every number, and then checks whether it is poisoned.
actor Keep: Sink {
  private let settings: KeepSettings
  private let context: Context
  private let journal = Journal.current

  init(_ settings: KeepSettings, _ context: Context) {
    self.settings = settings
    self.context = context
  }

  func start() async throws {
    // Long enough for all other components to get far ahead, if they could.
    for _ in 0..<(settings.slow ? 2000 : 0) { await Task.yield() }
    let line = "\(context.id) starts"
    journal.note(line)
    if journal.count(of: line) <= settings.failingStarts || journal.count(of: line) > settings.starts {
      throw Broken(description: "no start")
    }
  }

  func stop() { journal.note("\(context.id) stops") }

  func receive(_ events: Span<Tick>) async throws {
    if settings.gated, journal.count(of: "entered") == 0 {
      journal.note("entered")
      await journal.gate.pass()
    }
    if settings.loses {
      context.lose(events.count, "it keeps nothing")
      throw EnvironmentFailure("nothing is kept", isPermanent: false, taken: events.count)
    }
    let isCutShort = settings.takes > 0 && journal.count(of: "cut short") == 0
    for i in events.indices {
      if isCutShort, i == settings.takes {
        journal.note("cut short")
        throw EnvironmentFailure("the disk is full", isPermanent: false, taken: i)
      }
      journal.receive(events[i].number, by: context.id)
      if settings.poison.contains(events[i].number) { throw Poison(number: events[i].number) }
    }
  }

  func drain() throws {
    journal.note("\(context.id) drains")
    if settings.stuck { throw Broken(description: "no room") }
  }
}

/// Stores numbers of both types.
actor KeepBoth: MultiSink {
  private let poison: [Int64]
  private let id: String
  private let journal = Journal.current

  init(_ settings: KeepSettings, _ context: Context) {
    poison = settings.poison
    id = context.id
  }

  static var handlers: [Handler<KeepBoth>] {
    [
      Handler(Tick.self) { sink, events in for i in events.indices { try sink.keep(events[i].number, "ticks") } },
      Handler(Tock.self) { sink, events in for i in events.indices { try sink.keep(events[i].number, "tocks") } },
    ]
  }

  private func keep(_ number: Int64, _ what: String) throws {
    if poison.contains(number) { throw Poison(number: number) }
    journal.receive(number, by: what)
  }

  func drain() { journal.note("\(id) drains") }
}

/// Holds what only one can hold, and keeps the value of its last column; the negative number of an event without one.
actor Port: Sink {
  private let id: String
  private let column: BatchColumn?
  private let journal = Journal.current

  init(_: NoOptions, _ context: Context) {
    id = context.id
    column = context.columns.layout.names.last.flatMap { context.columns[$0] }
  }

  func start() throws {
    if journal.count(of: "opened") > journal.count(of: "closed") { throw Broken(description: "the port is taken") }
    journal.note("opened")
  }

  func stop() { journal.note("closed") }

  func receive(_ events: Span<Tick>) {
    for i in events.indices { journal.receive(column?[i] ?? -events[i].number, by: id) }
  }
}

/// Records every dead letter.
actor Letters: Sink {
  private let gated: Bool
  private let journal = Journal.current

  init(_ settings: KeepSettings, _ context: Context) { gated = settings.gated }

  func receive(_ events: Span<DeadLetter>) async {
    if gated, journal.count(of: "entered") == 0 {
      journal.note("entered")
      await journal.gate.pass()
    }
    for i in events.indices {
      let letter = events[i]
      journal.note("letter \(letter.component) \(letter.origin) \(letter.sequence) \(letter.reason): \(letter.payload)")
    }
  }

  func drain() { journal.note("letters drained") }
}
