internal import StockbusInstruments
internal import StockbusPlugin

/// A checked rule.
struct Rule: Equatable, Sendable, Codable {
  let name: String
  let test: RuleTest
  /// Which price of the window is the reference; nil if the price is only compared with the threshold.
  let reference: PriceWindow.Choice?
  /// Nanoseconds; nil for all time.
  let window: Int64?
  /// True if changes count from the previous close; there is no window then.
  let isSinceClose: Bool
  /// The symbols to which the rule applies; nil for all.
  let symbols: SymbolChoice?
  /// The symbols as they were written, separated by commas; `*` for all.
  let subject: String
  /// The condition as it was written; nil if it is an expression, or silence.
  let condition: RuleSettings.Condition?
  /// The condition that is an expression, and the one that arms the rule again.
  let when: String?
  let rearmWhen: String?
  /// True if the rule fires at most once in a session.
  let isOncePerSession: Bool
  /// Which sessions count for silence; nil for those of the component.
  let sessions: CountedSessions?
  /// The channels to which alerts are sent; nil for all.
  let channels: [String]?
  /// True if its alerts are sent in quiet hours too.
  let isUrgent: Bool
  let message: NotificationTemplate?

  var isEnabled: Bool

  init(_ settings: RuleSettings) {
    // A rule with an expression, or about silence, does not use the comparison of its test.
    let condition = settings.condition ?? RuleSettings.Condition(.above, .amount(0))
    let quantity = settings.of
    name = settings.effectiveName
    self.condition = settings.condition
    when = settings.when?.text
    rearmWhen = settings.rearmWhen?.text
    isOncePerSession = settings.oncePer == .session
    sessions = settings.sessions
    symbols = settings.choice
    subject = settings.symbol?.description ?? settings.symbols?.joined(separator: ",") ?? "*"
    channels = settings.owner == nil ? settings.channels : []
    isUrgent = settings.urgent
    isEnabled = settings.enabled
    message = settings.message.flatMap { try? NotificationTemplate($0, NotificationTemplate.ruleNames) }
    window = settings.window?.wholeNanoseconds
    isSinceClose = settings.since == .previousClose
    let margin = Self.margin(settings.rearm, of: condition.level, percentPoints: condition.isPercent(of: quantity))
    let (comparison, kind, choice, isCrossing, sign) = Self.meaning(condition, of: quantity)
    reference = choice
    test = RuleTest(
      quantity: kind, comparison: comparison, threshold: condition.level.raw,
      rearm: Self.clamped(Int128(condition.level.raw) - Int128(sign) * Int128(margin)), isCrossing: isCrossing,
      hasWhen: settings.when != nil, hasRearmWhen: settings.rearmWhen != nil, firesAtOnce: settings.initial, once: settings.once,
      cooldown: settings.cooldown.wholeNanoseconds,
      remind: settings.remind?.wholeNanoseconds, expires: settings.expires?.ns ?? .max, hold: settings.for?.wholeNanoseconds ?? 0,
      silence: settings.silentFor?.wholeNanoseconds ?? 0, resolves: settings.resolve)
  }

  /// The condition in words: `above 200`, `rises_by 5% in 1m`, `when close > 20 for 3s`, `silent_for 30s`.
  var conditionText: String {
    if test.silence > 0 { return "silent_for \(Duration.nanoseconds(test.silence).optionText)" }
    let text = condition.map { "\($0.kind.rawValue) \($0.level)\(span)" } ?? when.map { "when \($0)" } ?? ""
    return test.hold > 0 ? "\(text) for \(Duration.nanoseconds(test.hold).optionText)" : text
  }

  /// True if a condition of it is an expression.
  var hasExpressions: Bool { when != nil || rearmWhen != nil }

  /// ` in 1m`, ` since the previous close`; empty without either.
  var span: String {
    if isSinceClose { return " since the previous close" }
    return window.map { " in \(Duration.nanoseconds($0).optionText)" } ?? ""
  }

  /// True if the rule applies to a symbol.
  func concerns(_ symbol: Symbol) -> Bool {
    symbols?.contains(symbol) ?? true
  }

  private static func meaning(
    _ condition: RuleSettings.Condition, of measure: RuleSettings.Measure
  ) -> (RuleTest.Comparison, RuleTest.Quantity, PriceWindow.Choice?, isCrossing: Bool, sign: Int) {
    let quantity: RuleTest.Quantity = measure == .price ? .price : measure == .change ? .change : .percent
    let choice: PriceWindow.Choice? = measure == .price ? nil : .oldest
    switch condition.kind {
    case .above: return (.above, quantity, choice, false, 1)
    case .below: return (.below, quantity, choice, false, -1)
    case .crossesAbove: return (.above, quantity, choice, true, 1)
    case .crossesBelow: return (.below, quantity, choice, true, -1)
    case .risesBy: return (.atLeast, condition.level.isPercent ? .percent : .change, .lowest, false, 1)
    case .fallsBy: return (.atLeast, condition.level.isPercent ? .fallPercent : .fall, .highest, false, 1)
    }
  }

  /// The distance from the threshold at which the rule is armed again, in the threshold's unit: an amount, percentage points, or a share of
  /// the threshold, rounded up.
  private static func margin(_ rearm: Move?, of level: Move, percentPoints: Bool) -> Int64 {
    guard let rearm else { return 0 }
    if case .amount(let amount) = rearm { return amount.raw }
    if percentPoints { return rearm.raw }
    let product = Int128(level.raw.magnitude) * Int128(rearm.raw)
    return clamped((product + 99_999_999_999) / 100_000_000_000)
  }

  private static func clamped(_ value: Int128) -> Int64 { Int64(clamping: value) }
}

extension RuleTest {
  /// False for times that no rule has.
  var isSound: Bool { min(cooldown, hold, silence, remind ?? 0) >= 0 }
}
