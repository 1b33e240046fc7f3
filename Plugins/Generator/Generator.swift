public import StockbusPlugin

extension Plugin {
  /// Makes prices.
  public static let generator = Plugin("generator", "Makes trades with made-up prices.", .source(Generator.self)).example(
    "symbols: [AAPL, MSFT, NVDA]\ninterval: 1s")
}

/// Makes trades with made-up prices: every symbol in turn, one round in each interval, or at a rate.
///
/// With `past` it begins with the rounds of that time, of which each is an interval later than the one before it.
///
/// The same seed gives the same prices, sizes and sides; with `start` also the same times.
package actor Generator: Source, CommandableComponent {
  private let settings: GeneratorSettings
  private let context: Context
  private var market: SimulatedMarket
  /// Symbols whose price a command has set; they are published first.
  private var pending: [Int] = []
  /// The source waits here for the next deadline; a command ends the wait early.
  private let parker = Parker()
  private var sent = 0
  /// True until the rounds before the start are sent, which an instance that continues another one does not repeat.
  private var beginsWithPast = true

  package static func knownSymbols(_ settings: GeneratorSettings) -> [String]? { SimulatedMarket.names(settings.symbols) }

  package init(_ settings: GeneratorSettings, _ context: Context) throws {
    self.settings = settings
    self.context = context
    market = try SimulatedMarket(settings, random: context.random(seed: settings.seed.map { UInt64(bitPattern: Int64($0)) }))
    if let prices = context.recall(Self.prices) {
      market.resume(from: prices)
      beginsWithPast = false
    }
  }

  private static var prices: MemoryKey<[Symbol: Int64]> { MemoryKey("prices", whenOptionsChange: .drop) }

  /// Prices continue unless the options set their beginning.
  package static func carryOver(_ old: Memory, from before: GeneratorSettings, to after: GeneratorSettings, into memory: Memory) {
    let begins = { (settings: GeneratorSettings) in
      (settings.seed, settings.tick, settings.lowestTicks, settings.highestTicks, settings.start)
    }
    if begins(before) == begins(after) { memory[Self.prices] = old[Self.prices] }
  }

  package func keepMemory() { context.remember(market.prices, Self.prices) }

  package func stop() { keepMemory() }

  package func run(into output: inout Outlet<Trade>) async throws {
    switch settings.rate {
    case nil: try await runRounds(every: settings.interval, into: &output)
    case .some(let rate):
      if rate.isUnlimited { try await runFlat(into: &output) } else { try await runPaced(by: rate, into: &output) }
    }
  }

  /// Sends one round of all symbols, then waits.
  private func runRounds(every interval: Duration, into output: inout Outlet<Trade>) async throws {
    try await sendPast(every: interval, into: &output)
    var due = context.clock.uptime
    while left > 0 {
      try await sendBatch(market.symbols.count, into: &output)
      due += interval
      if left == 0 { return }
      try await wait(until: due, into: &output)
    }
  }

  /// Sends the rounds before the start, the last one an interval ago.
  private func sendPast(every interval: Duration, into output: inout Outlet<Trade>) async throws {
    guard beginsWithPast else { return }
    beginsWithPast = false
    let (now, step) = (context.clock.now.ns, interval.wholeNanoseconds)
    for round in stride(from: settings.past.wholeNanoseconds / step, to: 0, by: -1) where left > 0 {
      try await sendBatch(market.symbols.count, at: Timestamp(ns: now - round * step), into: &output)
      try Task.checkCancellation()
    }
  }

  /// Trade `n`, counted from 0, is due exactly `n` periods after the first. Trades are sent in batches a millisecond or more apart.
  private func runPaced(by rate: Rate, into output: inout Outlet<Trade>) async throws {
    let began = context.clock.uptime
    // The product of at most 2^63 nanoseconds and 2^63 trades fits.
    let (count, period) = (Int128(rate.count), Int128(rate.period.wholeNanoseconds))
    while left > 0 {
      let due = Int128((context.clock.uptime - began).wholeNanoseconds) * count / period + 1
      if due > sent { try await sendBatch(Int(min(due - Int128(sent), 65_536)), into: &output) }
      if left == 0 { return }
      let next = Int64(clamping: (Int128(sent) * period + count - 1) / count)
      try await wait(until: max(began + .nanoseconds(next), context.clock.uptime + .milliseconds(1)), into: &output)
    }
  }

  /// Sends as fast as the bus accepts; from time to time it yields, so that commands get their turn.
  private func runFlat(into output: inout Outlet<Trade>) async throws {
    while left > 0 {
      for _ in 0..<64 where left > 0 { try await sendBatch(256, into: &output) }
      try await sendPending(into: &output)
      await Task.yield()
      try Task.checkCancellation()
    }
  }

  private var left: Int { settings.count.map { $0 - sent } ?? Int.max }

  /// Sends and publishes the next `count` trades, of the present or of an earlier time.
  private func sendBatch(_ count: Int, at time: Timestamp? = nil, into output: inout Outlet<Trade>) async throws {
    let count = min(count, left)
    let now = output.receipt(time ?? context.clock.now)
    var done = 0
    while done < count {
      // Publishes in batches of limited size, so that downstream can work at the same time.
      let batch = min(count - done, 1024)
      market.send(batch, now: now, into: &output)
      done += batch
      try await output.flush()
    }
    sent += count
    if let all = settings.count { context.report(progress: sent, of: all) }
  }

  /// Yields even if the deadline has passed, so that commands and cancellation get their turn.
  private func wait(until deadline: Duration, into output: inout Outlet<Trade>) async throws {
    await Task.yield()
    try Task.checkCancellation()
    try await sendPending(into: &output)
    while context.clock.uptime < deadline {
      if let upcoming = market.upcoming {
        // Simulated times do not follow the clock, but no event is earlier than the next one.
        output.advance(to: upcoming.before)
        await parker.sleep(until: deadline, context.clock)
      } else {
        try await output.whileIdle { await parker.sleep(until: deadline, context.clock) }
      }
      try Task.checkCancellation()
      try await sendPending(into: &output)
    }
  }

  private func sendPending(into output: inout Outlet<Trade>) async throws {
    // While this waits for room, commands may add more.
    while !pending.isEmpty {
      let now = output.receipt(context.clock.now)
      for index in pending { output.send(market.trade(index, now: now)) }
      pending = []
      try await output.flush()
    }
  }

  // MARK: Commands

  package static var commands: [CommandInfo] {
    [
      CommandInfo("raise SYMBOL [AMOUNT]", "Raises the price, by 10 by default."),
      CommandInfo("lower SYMBOL [AMOUNT]", "Lowers the price, by 10 by default; never below the smallest step."),
      CommandInfo("set SYMBOL PRICE", "Sets the price."),
      CommandInfo("randomise SYMBOL", "Draws a new price between 'lowest' and 'highest'."),
    ]
  }

  package func perform(_ command: Command) throws(CommandError) -> String {
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
    pending.append(index)
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
    guard let price = try? Price(text), price.raw > 0, price.raw <= SimulatedMarket.highest.raw else {
      throw CommandError(
        "'\(text)' is not an amount between 0 and \(SimulatedMarket.highest)" + (NumberText.advice(text).map { "; \($0)" } ?? ""))
    }
    return price
  }
}
