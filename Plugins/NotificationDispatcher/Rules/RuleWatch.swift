internal import MarketData
internal import StockbusExpressions
internal import StockbusInstruments

/// One rule applied to one symbol: the condition, the state, and the prices to compare with.
struct RuleWatch: Sendable {
  /// The rule's number in the book.
  let rule: Int
  var test: RuleTest
  private var state = RuleState()
  private var window: PriceWindow?
  /// The previous close; only if changes count from it.
  private let isSinceClose: Bool
  private var close: Int64?
  /// When the event since which the condition is true was received, or the last event of a symbol whose silence is watched.
  private(set) var heard = Int64.min
  /// True while the rule's next moment is among the deadlines of the book.
  var isQueued = false
  /// The reference price at the last event; only of rules that hold.
  private(set) var reference: Int64 = 0

  init(rule: Int, of rules: Rule, windowLimit: Int) {
    self.rule = rule
    test = rules.test
    isSinceClose = rules.isSinceClose
    window = isSinceClose ? nil : rules.reference.map { PriceWindow($0, span: rules.window, limit: windowLimit) }
  }

  /// The state, without what the rule says.
  struct Saved: Sendable, Codable {
    let rule: Int
    let state: RuleState
    let window: PriceWindow.Saved?
    let close: Int64?
    let heard: Int64
    let isQueued: Bool
    let reference: Int64
  }

  var saved: Saved {
    Saved(rule: rule, state: state, window: window?.saved, close: close, heard: heard, isQueued: isQueued, reference: reference)
  }

  init(_ saved: Saved, of rules: Rule, windowLimit: Int) {
    self.init(rule: saved.rule, of: rules, windowLimit: windowLimit)
    (state, close, heard, isQueued, reference) = (saved.state, saved.close, saved.heard, saved.isQueued, saved.reference)
    if let saved = saved.window { window?.restore(saved) }
  }

  var phase: RuleState.Phase { state.phase }
  /// True if prices are compared with earlier ones.
  var hasReference: Bool { window != nil || isSinceClose }
  /// True if prices are compared with earlier ones, and no expression arms the rule again.
  var hasOnlyPrices: Bool { hasReference && !test.hasRearmWhen }
  /// When the rule last fired, in nanoseconds; nil for never.
  var lastFired: Int64? { state.lastFired }
  /// Since when the condition of a rule that holds is true, by the events' times.
  var since: Int64 { state.since }
  var quietUntil: Int64 { state.quietUntil }
  var isOpen: Bool { state.isOpen }
  /// Prices that were dropped from the window for lack of room.
  var cut: Int { window?.cut ?? 0 }
  /// The number of places that the window has allocated.
  var places: Int { window?.capacity ?? 0 }

  /// Takes the next price; returns the result and the reference price.
  ///
  /// - Parameters:
  ///   - time: by the symbol's clock, never before the last one unless that was set back.
  ///   - room: the number of places that the windows of all rules may still allocate.
  @inline(__always)
  mutating func step(
    _ price: Int64, at time: Int64, isSilent: Bool, room: inout Int
  ) -> (outcome: RuleState.Outcome, reference: Int64) {
    if isSinceClose, close == nil { close = price }
    let reference = window?.push(price, at: time, room: &room) ?? close ?? 0
    // The usual case.
    if phase == .armed, test.holds(price, against: reference, level: test.threshold) != true { return (.nothing, reference) }
    return (decide(price, against: reference, at: time, isSilent: isSilent), reference)
  }

  @inline(never)
  private mutating func decide(_ price: Int64, against reference: Int64, at time: Int64, isSilent: Bool) -> RuleState.Outcome {
    state.step(test, price, against: reference, at: time, isSilent: isSilent)
  }

  /// Takes the next event of a component of which rules have expressions, as `step` does.
  ///
  /// - Parameters:
  ///   - price: nil if the event does not count for the last price.
  ///   - when, rearm: the verdicts of the rule's expressions; nil for those that it does not have.
  mutating func step(
    _ price: Int64?, when: Verdict?, rearm: Verdict?, at time: Int64, isSilent: Bool, room: inout Int
  ) -> (outcome: RuleState.Outcome, reference: Int64) {
    if let when {
      let holds: Bool? = when == .undecided ? nil : when == .yes
      let isBack = rearm.map { $0 == .yes } ?? (holds == false)
      return (state.step(test, holds: holds, isBack: isBack, at: time, isSilent: isSilent), 0)
    }
    guard let price else {
      if rearm == .yes { state.rearmAfterFiring() }
      return (.nothing, 0)
    }
    guard let rearm else { return step(price, at: time, isSilent: isSilent, room: &room) }
    if isSinceClose, close == nil { close = price }
    let reference = window?.push(price, at: time, room: &room) ?? close ?? 0
    let holds = test.holds(price, against: reference, level: test.threshold)
    return (state.step(test, holds: holds, isBack: rearm == .yes, at: time, isSilent: isSilent), reference)
  }

  /// Takes the next event of a component whose rules wait for time, or say when they are over, as the other `step` does.
  ///
  /// - Parameter received: when the event was received, never before the last one.
  mutating func step(
    _ price: Int64?, when: Verdict?, rearm: Verdict?, at time: Int64, received: Int64, isSilent: Bool, room: inout Int
  ) -> (outcome: RuleState.Outcome, reference: Int64) {
    if test.silence > 0 {
      state.hear()
      heard = received
      return (.nothing, 0)
    }
    let wasHolding = phase == .holding
    let result = step(price, when: when, rearm: rearm, at: time, isSilent: isSilent, room: &room)
    if phase == .holding {
      if !wasHolding { heard = received }
      if price != nil { reference = result.reference }
    }
    return result
  }

  /// True if an event of this time shows that the condition was true for as long as the rule asks.
  func hasHeld(until time: Int64) -> Bool { phase == .holding && time.subtractingSaturating(state.since) >= test.hold }

  /// True if the rule may fire although nothing more comes.
  var waitsForTime: Bool { phase == .holding || test.silence > 0 }

  /// The moment at which a rule that holds fires, by the events' times.
  var heldMoment: Int64 { state.since.addingSaturating(test.hold) }

  mutating func lapse(at time: Int64, isSilent: Bool) -> RuleState.Outcome { state.lapse(test, at: time, isSilent: isSilent) }

  /// Silence counts from this time.
  mutating func listen(from time: Int64) { heard = time }

  /// Nobody has listened before this time: silence counts from then, and what holds has lasted since then at most.
  mutating func listenAgain(from time: Int64) {
    if !waitsForTime || heard == .min || heard >= time { return }
    heard = time
    if phase == .holding { state.since = max(state.since, time) }
  }

  /// True if what the rule has fired for is over; once.
  mutating func takeEnd() -> Bool { state.takeEnd() }

  /// Ends the rule for good; returns true if what it has fired for was not over.
  mutating func expire() -> Bool { state.expire() }

  /// The rule has fired, and does not fire again before this time.
  mutating func beQuiet(until time: Int64) { state.quietUntil = time }

  /// Begins a trading date: changes count from `close`, and the rule is armed again unless it never fires again.
  mutating func open(from close: Int64) {
    guard isSinceClose else { return }
    // At the very first price it is unknown whether the condition held before.
    if self.close != nil { state.rearm() }
    self.close = close
  }

  /// Applies a split to the prices of the comparison. A level stays as it was written, but the split alone does not reach it.
  ///
  /// - Parameter last: the last price after the split; nil if it is unknown.
  mutating func apply(_ split: PriceSplit, last: Int64?) {
    window?.apply(split)
    close = close.flatMap { split.adjust($0) }
    if test.quantity == .price, !test.hasWhen, test.silence == 0, let last { state.settle(test, at: last) }
  }

  /// Corrects the state after the clock was set back: nothing in it happened after `time`.
  mutating func setBack(to time: Int64) {
    state.setBack(to: time)
    window?.setBack(to: time)
  }
}
