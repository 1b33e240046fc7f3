internal import MarketData

/// One rule's eye on one symbol: the question, what is known, and the prices to compare with.
struct Watch: Sendable {
  /// Which rule, by its number in the book.
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
  /// Prices that had no room in the window.
  var cut: Int { window?.cut ?? 0 }
  /// Places for prices that the window holds.
  var places: Int { window?.capacity ?? 0 }

  /// Takes the next price; answers what becomes of it and what it was compared with.
  ///
  /// - Parameters:
  ///   - time: by the symbol's clock, never before the last one unless that was set back.
  ///   - room: places that the windows of all rules may still take.
  @inline(__always)
  mutating func step(
    _ price: Int64, at time: Int64, isSilent: Bool, room: inout Int
  ) -> (outcome: RuleState.Outcome, reference: Int64) {
    let reference = window?.push(price, at: time, room: &room) ?? 0
    return (state.step(test, price, against: reference, at: time, isSilent: isSilent), reference)
  }

  /// The clock was wrong: nothing that is known happened after `time`.
  mutating func setBack(to time: Int64) {
    state.setBack(to: time)
    window?.setBack(to: time)
  }
}
