public import StockbusPlugin

extension Plugin {
  /// Makes prices.
  public static let generator = Plugin("generator", "Makes trades with made-up prices.", .source(Generator.self))
}

/// Makes trades with made-up prices: every symbol in turn, a round an interval or as many a second as asked.
///
/// The same seed gives the same prices, sizes and sides; with `start` the times too.
public actor Generator: Source, CommandableComponent {
  private let settings: GeneratorSettings
  private let context: Context
  private var market: Market
  /// Symbols whose price a command has set: published before anything else.
  private var told: [Int] = []
  /// Where the source waits for the next deadline; a command ends the wait early.
  private let parker = Parker()
  private var sent = 0

  public static func knownSymbols(_ settings: GeneratorSettings) -> [String]? { Market.names(settings.symbols) }

  public init(_ settings: GeneratorSettings, _ context: Context) throws {
    self.settings = settings
    self.context = context
    market = try Market(settings, random: context.random(seed: settings.seed.map { UInt64(bitPattern: Int64($0)) }))
  }

  public func run(into output: inout Outlet<Trade>) async throws {
    switch settings.rate {
    case nil: try await runRounds(every: settings.interval, into: &output)
    case .some(let rate):
      if rate.isUnlimited { try await runFlat(into: &output) } else { try await runPaced(by: rate, into: &output) }
    }
  }

  /// A round of all symbols, then a wait.
  private func runRounds(every interval: Duration, into output: inout Outlet<Trade>) async throws {
    var due = context.clock.uptime
    while left > 0 {
      try await sendBatch(market.symbols.count, into: &output)
      due += interval
      if left == 0 { return }
      try await wait(until: due, into: &output)
    }
  }

  /// Trade `n`, counted from 0, is due `n` periods after the first, exactly; in runs a millisecond or more apart.
  private func runPaced(by rate: Rate, into output: inout Outlet<Trade>) async throws {
    let began = context.clock.uptime
    // At most 2^63 nanoseconds by 2^63 trades: they fit.
    let (count, period) = (Int128(rate.count), Int128(rate.period.wholeNanoseconds))
    while left > 0 {
      let due = Int128((context.clock.uptime - began).wholeNanoseconds) * count / period + 1
      if due > sent { try await sendBatch(Int(min(due - Int128(sent), 65_536)), into: &output) }
      if left == 0 { return }
      let next = Int64(clamping: (Int128(sent) * period + count - 1) / count)
      try await wait(until: max(began + .nanoseconds(next), context.clock.uptime + .milliseconds(1)), into: &output)
    }
  }

  /// As fast as the bus takes it; other callers get their turn once in a while.
  private func runFlat(into output: inout Outlet<Trade>) async throws {
    while left > 0 {
      for _ in 0..<64 where left > 0 { try await sendBatch(256, into: &output) }
      try await sendTold(into: &output)
      await Task.yield()
      try Task.checkCancellation()
    }
  }

  private var left: Int { settings.count.map { $0 - sent } ?? Int.max }

  /// The next `count` trades, made visible at once.
  private func sendBatch(_ count: Int, into output: inout Outlet<Trade>) async throws {
    let count = min(count, left)
    let now = context.clock.now
    var done = 0
    while done < count {
      // Runs no longer than a hand-over, so that downstream works while we go on.
      let batch = min(count - done, 1024)
      market.send(batch, now: now, into: &output)
      done += batch
      try await output.flush()
    }
    sent += count
    if let all = settings.count { context.report(progress: sent, of: all) }
  }

  /// Also where the deadline has passed others get their turn: a command, or the end.
  private func wait(until deadline: Duration, into output: inout Outlet<Trade>) async throws {
    await Task.yield()
    try Task.checkCancellation()
    try await sendTold(into: &output)
    while context.clock.uptime < deadline {
      await parker.sleep(until: deadline, context.clock)
      try Task.checkCancellation()
      try await sendTold(into: &output)
    }
  }

  private func sendTold(into output: inout Outlet<Trade>) async throws {
    // While this waits for room more may be told.
    while !told.isEmpty {
      for index in told { output.send(market.trade(index, now: context.clock.now)) }
      told = []
      try await output.flush()
    }
  }

  // MARK: Commands

  public static var commands: [CommandInfo] {
    [
      CommandInfo("raise SYMBOL [AMOUNT]", "Raises the price, by 10 unless told."),
      CommandInfo("lower SYMBOL [AMOUNT]", "Lowers the price, by 10 unless told; never below the smallest step."),
      CommandInfo("set SYMBOL PRICE", "Sets the price."),
      CommandInfo("randomise SYMBOL", "Draws a new price between 'lowest' and 'highest'."),
    ]
  }

  public func perform(_ command: Command) throws(CommandError) -> String {
    guard let name = command.arguments.first else { throw CommandError("'\(command.verb)' needs a symbol") }
    guard let index = market.index(of: name) else {
      throw CommandError("no symbol '\(name)'" + didYouMean(name, among: market.symbols.prefix(10_000).map(\.description)))
    }
    switch command.verb {
    case "raise": market.move(index, by: try amount(command, default: 10))
    case "lower":
      let amount = try amount(command, default: 10)
      market.move(index, by: Price(raw: -amount.raw))
    case "set":
      let price = try amount(command, default: nil)
      market.set(index, to: price)
    case "randomise":
      if command.arguments.count > 1 { throw CommandError("'randomise' takes a symbol only") }
      market.randomise(index)
    default: throw CommandError("unknown command '\(command.verb)'")
    }
    told.append(index)
    parker.wake()
    return "\(name) is now \(market.price(index))"
  }

  private func amount(_ command: Command, default fallback: Price?) throws(CommandError) -> Price {
    guard command.arguments.count < 3 else { throw CommandError("'\(command.verb)' takes a symbol and an amount") }
    guard command.arguments.count == 2 else {
      guard let fallback else { throw CommandError("'\(command.verb)' needs a price") }
      return fallback
    }
    let text = command.arguments[1]
    guard let price = try? Price(text), price.raw > 0, price.raw <= Market.highest.raw else {
      throw CommandError("'\(text)' is no amount between 0 and \(Market.highest)" + (NumberText.advice(text).map { "; \($0)" } ?? ""))
    }
    return price
  }
}
