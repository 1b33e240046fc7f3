internal import MarketData

/// One rule applied to one symbol: the condition, the state, and the prices to compare with.
struct Watch: Sendable {
  /// The rule's number in the book.
  let rule: Int
  var test: RuleTest
  private var state = RuleState()
  private var window: PriceWindow?

  init(rule: Int, of rules: Rule, windowLimit: Int) {
    self.rule = rule
    test = rules.test
    window = rules.reference.map { PriceWindow($0, span: rules.window, limit: windowLimit) }
  }

  var phase: RuleState.Phase { state.phase }
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
    let reference = window?.push(price, at: time, room: &room) ?? 0
    return (state.step(test, price, against: reference, at: time, isSilent: isSilent), reference)
  }

  /// Corrects the state after the clock was set back: nothing in it happened after `time`.
  mutating func setBack(to time: Int64) {
    state.setBack(to: time)
    window?.setBack(to: time)
  }
}
