import EventBus
import StockbusPlugin
import StockbusTestKit

struct NumbersSettings: Options {
  @Setting("How many numbers, from 1.") var count = 10
  @Setting("Stays until it is stopped.") var hold = false
  @Setting("Numbers before which it fails, as often as they are here.") var failsAt: [Int64] = []
  @Setting("After so many it waits until a sink says that it has entered its gate.") var meetAfter: Int?
  @Setting("Opens the gate when everything is sent.") var opens = false
  @Setting("Sends one at a time, waiting for room.") var single = false
  @Setting("Symbols in turn.") var symbols: [Symbol] = ["A"]
  @Setting("Puts so many pieces of input aside.") var rejects = 0

  init() {}
}

struct VenueSettings: Options {
  @Setting("What it says of its connection, one after the other.") var says: [String] = []

  init() {}
}

extension Plugin {
  static let venue = Plugin("venue", "Connects, or does not.", .source(Venue.self))
  static let numbers = Plugin("numbers", "Counts.", .source(Numbers.self))
  static let tocks = Plugin("tocks", "Counts otherwise.", .source(Tocks.self))
  static let dice = Plugin("dice", "Throws dice.", .source(Dice.self))
}

/// Sends 1, 2, 3 and so on; after a failure it continues at its position.
actor Numbers: Source {
  private let settings: NumbersSettings
  private let context: Context
  private let journal = Journal.current

  init(_ settings: NumbersSettings, _ context: Context) {
    self.settings = settings
    self.context = context
  }

  func start() { journal.note("\(context.id) starts") }
  func stop() { journal.note("\(context.id) stops") }

  func run(into output: inout Outlet<Tick>) async throws {
    for i in 0..<settings.rejects { context.reject("piece \(i)", origin: "input:\(i)", reason: "bad") }
    while journal.position.value <= Int64(settings.count) {
      let number = journal.position.value
      if journal.count(of: "failed at \(number)") < settings.failsAt.count(where: { $0 == number }) {
        journal.note("failed at \(number)")
        throw Poison(number: number)
      }
      let tick = Tick(number, symbol: settings.symbols[Int(number - 1) % settings.symbols.count])
      journal.position.update { $0 += 1 }
      if settings.single { try await output.publish(tick) } else { output.send(tick) }
      if let meet = settings.meetAfter, number == meet {
        try await output.flush()
        await journal.wait(for: "entered")
      }
    }
    try await output.flush()
    journal.note("\(context.id) has sent everything")
    if settings.opens { journal.gate.open() }
    if settings.hold { try await context.clock.sleep(for: .seconds(1_000_000)) }
  }
}

/// Says what it is told to of its connection, and stays without an event until it is stopped.
actor Venue: Source {
  private let settings: VenueSettings
  private let context: Context
  private let journal = Journal.current

  init(_ settings: VenueSettings, _ context: Context) {
    self.settings = settings
    self.context = context
  }

  func run(into output: inout Outlet<Tick>) async throws {
    for word in settings.says {
      if let state = ConnectionStatus.State.allCases.first(where: { $0.fieldName == word }) { context.connection(state, "because") }
    }
    journal.note("said")
    defer { context.connection(.disconnected, "stopped") }
    try await context.clock.sleep(for: .seconds(1_000_000))
  }
}

/// Sends 1 to `count`.
actor Tocks: Source {
  private let count: Int
  private let journal = Journal.current
  init(_ settings: NumbersSettings, _ context: Context) { count = settings.count }

  func start() { journal.note("tocks start") }

  func run(into output: inout Outlet<Tock>) async throws {
    journal.note("tocks run")
    for number in 1...Int64(count) { output.send(Tock(number)) }
  }
}

/// Sends random numbers.
actor Dice: Source {
  private var random: RandomStream
  init(_ settings: NoOptions, _ context: Context) { random = context.random() }

  func run(into output: inout Outlet<Tick>) async throws {
    for _ in 0..<5 { output.send(Tick(Int64.random(in: 1...1_000_000, using: &random))) }
  }
}
