internal import MarketData

/// Which events of a symbol leave its rules as they are, so that most events take a few comparisons, however many rules there are.
///
/// It is found out when a rule has changed, and holds until one changes again.
struct RuleCalm: BitwiseCopyable, Sendable {
  /// The prices that change no rule which compares a price with a level; none if `low` is above `high`.
  private(set) var low = Int64.max
  private(set) var high = Int64.min
  /// The expressions that change a rule where they are true, those that do where they are false, and those whose undecided verdicts are
  /// counted.
  private(set) var whereTrue = ExpressionSet()
  private(set) var whereFalse = ExpressionSet()
  private(set) var whereUndecided = ExpressionSet()
  /// By bit the places, among the rules of the symbol, of those that look at every event: its price becomes part of a window, or the time
  /// matters.
  private(set) var busy: UInt64 = 0
  /// False if it has to be found out.
  private(set) var isKnown = false

  /// Every event may change a rule.
  init() {}

  /// - Parameter verdicts: tell which expressions a rule has; nil if none has any.
  init(_ watches: ContiguousArray<RuleWatch>, _ verdicts: RuleVerdicts?) {
    (low, high) = (.min, .max)
    for k in watches.indices where !add(watches[k], verdicts?.places[watches[k].rule]) {
      if k >= UInt64.bitWidth {
        self = RuleCalm()
        break
      }
      busy |= 1 << UInt64(k)
    }
    isKnown = true
  }

  /// False if the rule looks at every event.
  private mutating func add(_ watch: RuleWatch, _ places: (when: Int?, rearm: Int?)?) -> Bool {
    let test = watch.test
    if let when = places?.when { whereUndecided.insert(when) }
    if watch.hasReference { return false }
    switch watch.phase {
    case .spent: return true
    case .holding, .waiting: return false
    case .unknown:
      guard let when = places?.when else { return false }
      whereTrue.insert(when)
      whereFalse.insert(when)
    case .armed:
      if let when = places?.when { whereTrue.insert(when) } else { return keep(where: test, is: false, test.threshold) }
    case .passed:
      if test.remind != nil { return false }
      if let rearm = places?.rearm {
        whereTrue.insert(rearm)
      } else if let when = places?.when {
        whereFalse.insert(when)
      } else {
        // Both comparisons are false where the rule is armed again.
        let isAbove = test.comparison == .above
        return keep(where: test, is: true, isAbove ? min(test.threshold, test.rearm) : max(test.threshold, test.rearm))
      }
    }
    return true
  }

  /// Keeps the prices whose comparison with a level has this result; false if there is none.
  private mutating func keep(where test: RuleTest, is result: Bool, _ level: Int64) -> Bool {
    switch (test.comparison, result) {
    case (.above, false): high = min(high, level)
    case (.below, false): low = max(low, level)
    case (.above, true):
      if level == .max { return false }
      low = max(low, level + 1)
    case (.below, true):
      if level == .min { return false }
      high = min(high, level - 1)
    case (.atLeast, _): return false
    }
    return true
  }

  /// True if no event of a part of a batch changes a rule by its verdicts.
  @inline(__always)
  func isUntouched(by part: RuleVerdicts.Part) -> Bool {
    whereTrue.isDisjoint(with: part.yes) && whereFalse.isDisjoint(with: part.no) && whereUndecided.isDisjoint(with: part.undecided)
  }
}

/// Expressions by number, with a bit for each; where there are more than 64, several share one.
struct ExpressionSet: BitwiseCopyable, Sendable {
  private(set) var bits: UInt64 = 0

  mutating func insert(_ expression: Int) { bits |= 1 << UInt64(expression % UInt64.bitWidth) }

  @inline(__always)
  func isDisjoint(with other: ExpressionSet) -> Bool { bits & other.bits == 0 }

  @inline(__always)
  func intersection(_ other: ExpressionSet) -> ExpressionSet { ExpressionSet(bits: bits & other.bits) }

  /// Takes out the number of a bit; nil if the set is empty.
  @inline(__always)
  mutating func popFirst() -> Int? {
    if bits == 0 { return nil }
    defer { bits &= bits &- 1 }
    return bits.trailingZeroBitCount
  }
}
