import EventBus
import MarketData
import StockbusPlugin
import TestSupport
import Testing

@testable import NotificationDispatcher

/// Rules that wait for time, compared with a slow model that looks at every millisecond.
@Suite struct TimeModelTests {
  private struct Step {
    let symbol: Int
    let price: Int64
    /// Milliseconds.
    let time: Int64
    let received: Int64
  }

  /// What a rule does with a symbol, in sentences.
  private struct Model {
    let isSilence: Bool
    let span: Int64
    let firesAtOnce: Bool
    var hasCome = false
    var isArmed = false
    var isOpen = false
    /// Since when the condition is true, by the time of its event and by its receipt.
    var since: (time: Int64, received: Int64)?
    var clock = Int64.min
    var heard: Int64?

    mutating func take(_ step: Step, _ say: (String, Int64) -> Void) {
      clock = max(clock, step.time)
      if isSilence {
        if isOpen { say("over", step.time) }
        (isArmed, isOpen, heard) = (true, false, step.received)
        return
      }
      let holds = step.price > 100
      if let since, clock - since.time >= span { fire(at: since.time + span, say) }
      if since != nil {
        if !holds { since = nil }
      } else if !hasCome {
        if holds, firesAtOnce { since = (clock, step.received) } else { isArmed = !holds }
      } else if isArmed, holds {
        since = (clock, step.received)
      } else if !holds, !isArmed {
        isArmed = true
      }
      if since == nil, !holds { isArmed = true }
      hasCome = true
      if isOpen, !holds {
        say("over", step.time)
        isOpen = false
      }
    }

    /// At the end of a millisecond, when all events of it have been taken.
    mutating func pass(_ now: Int64, _ say: (String, Int64) -> Void) {
      if isSilence, let heard, heard + span == now, !isOpen {
        isOpen = true
        say("silent", now)
      }
      if let since, since.received + span == now { fire(at: since.time + span, say) }
    }

    private mutating func fire(at time: Int64, _ say: (String, Int64) -> Void) {
      (since, isArmed, isOpen) = (nil, false, true)
      say("held", time)
    }
  }

  private func steps(_ random: inout SplitMix, count: Int) -> [Step] {
    var received: Int64 = 1000
    return (0..<count).map { _ in
      received += [0, 0, 1, 2, 5, 9, 40][random.upTo(6)]
      // Some events are delivered late, and some come in bursts.
      return Step(
        symbol: random.upTo(2), price: [90, 95, 101, 105, 110][random.upTo(4)], time: received - Int64([0, 0, 1, 4, 30][random.upTo(4)]),
        received: received)
    }
  }

  private func trade(_ step: Step) -> Trade {
    Trade(
      symbol: ["A", "B", "C"][step.symbol], price: Price(raw: step.price * 1_000_000_000), size: 1,
      time: Timestamp(ns: step.time * 1_000_000), received: Timestamp(ns: step.received * 1_000_000))
  }

  @Test func `rules fire and are over where a model of sentences says so, in any batches and with any watermarks`() throws {
    var count = 0
    for seed in 0..<rounds(40, cost: 20) { count += try compare(seed) }
    // Most series have alerts of each kind.
    #expect(count > 400)
  }

  private func compare(_ seed: Int) throws -> Int {
    var random = SplitMix(7000 + seed)
    let (hold, silence) = (Int64(1 + random.upTo(20)), Int64(5 + random.upTo(60)))
    let firesAtOnce = random.upTo(1) == 0
    let rules = [
      ["*", "above", "100", "for", "\(hold)ms", "resolve"] + (firesAtOnce ? ["initial"] : []),
      ["A,B,C,D", "silent_for", "\(silence)ms", "resolve"],
    ]
    let steps = steps(&random, count: 200)
    var expected: [String] = []
    let first = (steps.first?.received ?? 0) - 1
    let end = (steps.last?.received ?? 0) + 200
    // By symbol, the rules in their order. The names of the second rule are known from the beginning, so they come in its order.
    var models = (0..<4).map { _ in
      [
        Model(isSilence: false, span: hold, firesAtOnce: firesAtOnce),
        Model(isSilence: true, span: silence, firesAtOnce: false, isArmed: true, heard: first),
      ]
    }
    var rest = steps[...]
    for now in first...end {
      while let step = rest.first, step.received == now {
        rest = rest.dropFirst()
        for rule in 0..<2 {
          models[step.symbol][rule].take(step) { expected.append("\($0) \(["A", "B", "C", "D"][step.symbol]) \($1)") }
        }
      }
      for symbol in 0..<4 {
        for rule in 0..<2 { models[symbol][rule].pass(now) { expected.append("\($0) \(["A", "B", "C", "D"][symbol]) \($1)") } }
      }
    }

    func sentence(_ firing: RuleBook.Firing) -> String {
      let kind = firing.kind == .fires ? (firing.rule == 0 ? "held" : "silent") : "over"
      return "\(kind) \(firing.symbol) \(firing.time.ns / 1_000_000)"
    }
    for _ in 0..<3 {
      var book = RuleBook(try rules.map { Rule(try RuleWords.rule($0)) }, windowLimit: 10)
      var found: [String] = []
      // Silence counts from this time.
      var fired: [RuleBook.Firing] = []
      book.advance(to: first * 1_000_000, isSilent: false, &fired)
      var rest = steps[...]
      while !rest.isEmpty {
        let batch = rest.prefix(1 + random.upTo(30))
        rest = rest.dropFirst(batch.count)
        let trades = batch.map(trade)
        fired += book.processInTime(trades.span, nil, isSilent: false)
        let last = (batch.last?.received ?? 0) * 1_000_000
        let next = rest.first.map { $0.received * 1_000_000 - 1 } ?? end * 1_000_000
        for _ in 0..<random.upTo(2) where next > last {
          book.advance(to: last + Int64(random.upTo(Int(next - last))), isSilent: false, &fired)
        }
        found += fired.map(sentence)
        fired = []
        if random.oneIn(8) { book = try written(book) }
      }
      book.advance(to: end * 1_000_000, isSilent: false, &fired)
      found += fired.map(sentence)
      #expect(found == expected, "seed \(seed): for \(hold) ms, silent_for \(silence) ms")
      if found != expected { break }
    }
    return expected.count
  }

  /// What no run has left is refused, or does no harm.
  @Test func `a damaged memory traps nowhere`() throws {
    var restored = 0
    for seed in 0..<rounds(300, cost: 20) {
      var random = SplitMix(9000 + seed)
      let rules = [
        ["*", "above", "100", "for", "5ms", "resolve"], ["A,B,D", "silent_for", "20ms", "expires", "1970-01-01T00:00:02Z", "resolve"],
        ["A", "rises_by", "5%", "window", "1m", "once_per", "session"], ["B,C", "below", "100", "cooldown", "10ms", "once"],
      ]
      let steps = steps(&random, count: 90)
      var book = RuleBook(try rules.map { Rule(try RuleWords.rule($0)) }, windowLimit: 10)
      for part in [0..<30, 30..<60, 60..<90] {
        let trades = steps[part].map(trade)
        _ = book.processInTime(trades.span, nil, isSilent: false)
        if let other = try damaged(book, &random) {
          restored += 1
          book = other
        }
        _ = book.missing
      }
      var fired: [RuleBook.Firing] = []
      book.advance(to: 1_000_000_000_000, isSilent: false, &fired)
    }
    #expect(restored > 50)
  }
}
