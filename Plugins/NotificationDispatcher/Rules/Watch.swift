internal import MarketData

/// One rule's eye on one symbol: the question, what is known, and the prices to compare with.
struct Watch: Sendable {
  /// Which rule, by its number in the book.
  let rule: Int
  var test: RuleTest
  private var state = RuleState()
  private var window: PriceWindow?
  private var lastTime = Int64.min

  init(rule: Int, of rules: Rule, windowLimit: Int) {
    self.rule = rule
    test = rules.test
    window = rules.reference.map { PriceWindow($0, span: rules.window, limit: windowLimit) }
  }

  var phase: RuleState.Phase { state.phase }
  /// Prices that had no room in the window.
  var cut: Int { window?.cut ?? 0 }

  /// Takes the next price; answers what becomes of it and what it was compared with.
  @inline(__always)
  mutating func step(_ price: Int64, at eventTime: Int64, isSilent: Bool) -> (outcome: RuleState.Outcome, reference: Int64) {
    // A feed's times may go back a little; a stretch of time that ends earlier than the last one has no meaning.
    lastTime = max(lastTime, eventTime)
    let reference = window?.push(price, at: lastTime) ?? 0
    return (state.step(test, price, against: reference, at: lastTime, isSilent: isSilent), reference)
  }
}
