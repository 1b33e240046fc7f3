internal import Measuring
internal import StockbusPlugin

extension Plugin {
  static let numbers = Plugin("numbers", "Counts from 1 at a steady rate.", .source(Numbers.self))
  static let tocks = Plugin("tocks", "Counts slowly, in every life from where the last one ended.", .source(Tocks.self))
  static let stage = Plugin("stage", "Marks numbers, and may leave some out.", .processor(MarkStage.self))
  static let reader = Plugin("reader", "Records what it reads.", .sink(RecordingReader.self))
  static let cuts = Plugin("cuts", "Records where the mark changes.", .sink(CutReader.self))
}

struct NumbersSettings: Options {
  @Setting("How many a second.", in: 1...) var rate = 1_000_000
  init() {}
}

actor Numbers: Source {
  private let rate: Int
  private let context: Context

  init(_ settings: NumbersSettings, _ context: Context) {
    rate = settings.rate
    self.context = context
  }

  func start() { Records.shared.begin(context.id) }

  func run(into output: inout Outlet<Trade>) async throws {
    let began = monotonicNanoseconds()
    var sent = 0
    while true {
      let due = Int(Double(monotonicNanoseconds() - began) * Double(rate) / 1e9)
      while sent < due {
        let (first, count) = (sent + 1, min(512, due - sent))
        output.send(count) { Trade(number: Int64(first + $0)) }
        sent += count
        try await output.flush()
      }
      try await context.clock.sleep(for: .milliseconds(1))
    }
  }
}

actor Tocks: Source {
  private let context: Context

  init(_ settings: NoOptions, _ context: Context) { self.context = context }

  func start() { Records.shared.begin(context.id) }

  func run(into output: inout Outlet<Trade>) async throws {
    while true {
      output.send(Trade(number: Records.shared.nextTock()))
      try await output.flush()
      try await context.clock.sleep(for: .milliseconds(1))
    }
  }
}

struct StageSettings: Options {
  @Setting("Goes into the mark of every number.") var mark = 0
  @Setting("Leaves out the multiples of this; 0 leaves out none.", in: 0...) var every = 0
  init() {}
}

actor MarkStage: EventProcessor {
  private let settings: StageSettings
  private let id: String
  private var isAtWork = false

  init(_ settings: StageSettings, _ context: Context) {
    self.settings = settings
    id = context.id
  }

  func start() { Records.shared.begin(id) }

  func process(_ trade: Trade, into output: inout Outlet<Trade>) {
    if !isAtWork { begin(at: trade.time.ns) }
    if settings.every > 0, trade.time.ns % Int64(settings.every) == 0 { return output.filter() }
    var trade = trade
    trade.price.raw = trade.price.raw &* 31 &+ Int64(settings.mark)
    output.send(trade)
  }

  private func begin(at number: Int64) {
    isAtWork = true
    Records.shared.note(Life(first: number, option: settings.mark, every: settings.every), of: id)
  }
}

struct ReaderSettings: Options {
  @Setting("Goes into what is recorded.") var salt = 0
  @Setting("Does not start.") var fails = false
  init() {}
}

actor RecordingReader: Sink {
  private let settings: ReaderSettings
  private let id: String
  private var isAtWork = false

  init(_ settings: ReaderSettings, _ context: Context) {
    self.settings = settings
    id = context.id
  }

  func start() throws {
    if settings.fails { throw EnvironmentFailure("it cannot start", isPermanent: true) }
    Records.shared.begin(id)
  }

  func receive(_ trades: Span<Trade>) {
    if !isAtWork, !trades.isEmpty {
      isAtWork = true
      Records.shared.note(Life(first: trades[0].time.ns, option: settings.salt, every: 0), of: id)
    }
    Records.shared.update(id) { record in
      for i in trades.indices { record.add(trades[i].time.ns, mark: trades[i].price.raw, salt: settings.salt) }
    }
  }
}

actor CutReader: Sink {
  init(_ settings: NoOptions, _ context: Context) {}

  func start() { Records.shared.begin("cuts") }

  func receive(_ trades: Span<Trade>) {
    for i in trades.indices { Records.shared.see(mark: trades[i].price.raw, at: trades[i].time.ns) }
    Records.shared.update("cuts") { record in for i in trades.indices { record.add(trades[i].time.ns, mark: 0, salt: 0) } }
  }
}

extension Trade {
  @inline(__always)
  init(number: Int64) {
    self.init(
      symbol: Symbol(id: 1), price: Price(raw: 0), size: Quantity(raw: 1), time: Timestamp(ns: number), received: Timestamp(ns: number))
  }
}
