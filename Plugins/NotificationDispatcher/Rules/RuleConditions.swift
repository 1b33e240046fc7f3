internal import MarketData
internal import StockbusExpressions
internal import StockbusPlugin

/// The verdicts of the rules' expressions on the events of a batch.
struct RuleVerdicts: Sendable {
  /// Some of the events, and which expressions have which verdicts on any of them.
  struct Part: Sendable {
    var range: Range<Int>
    var yes = ExpressionSet()
    var no = ExpressionSet()
    var undecided = ExpressionSet()
  }

  /// By rule number, which expressions are its own.
  var places: [(when: Int?, rearm: Int?)] = []
  var count = 0
  /// By expression, for each event.
  var verdicts: [Verdict] = []
  /// All events, in order.
  var parts: [Part] = []
  /// The number of expressions.
  var expressions = 0

  func when(_ rule: Int, _ event: Int) -> Verdict? { places[rule].when.map { verdicts[$0 * count + event] } }
  func rearm(_ rule: Int, _ event: Int) -> Verdict? { places[rule].rearm.map { verdicts[$0 * count + event] } }

  /// True if the verdicts on an event of a part may change a rule.
  @inline(__always)
  func mayChange(_ calm: RuleCalm, _ event: Int, of part: Part) -> Bool {
    // Of several expressions with one bit it is not known which one it is.
    if expressions > UInt64.bitWidth { return true }
    return has(.yes, event, calm.whereTrue.intersection(part.yes)) || has(.no, event, calm.whereFalse.intersection(part.no))
      || has(.undecided, event, calm.whereUndecided.intersection(part.undecided))
  }

  @inline(__always)
  private func has(_ verdict: Verdict, _ event: Int, _ expressions: ExpressionSet) -> Bool {
    var rest = expressions
    while let expression = rest.popFirst() { if verdicts[expression &* count &+ event] == verdict { return true } }
    return false
  }
}

/// The expressions of a component's rules: one program, which remembers once what several of them need, and sees every event, also of
/// symbols for which no rule can fire.
struct RuleConditions<E: PricedEvent>: ~Copyable {
  private var runner: ExpressionRunner<E>
  private(set) var verdicts = RuleVerdicts()

  /// Nil if no rule has expressions. All of them have been compiled before.
  init?(_ rules: [Rule?], _ settings: ExpressionRunner<E>.Settings, _ snapshot: MemorySnapshot?) {
    var expressions: [Expression<E>] = []
    let columns = settings.columns?.layout ?? ColumnLayout()
    func add(_ text: String?) -> Int? {
      guard let text, let expression = try? Expression<E>(text, in: .withMemory, reading: columns) else { return nil }
      expressions.append(expression)
      return expressions.count - 1
    }
    let places = rules.map { (when: add($0?.when), rearm: add($0?.rearmWhen)) }
    if expressions.isEmpty { return nil }
    runner = ExpressionRunner(expressions, settings)
    if let snapshot { runner.restore(snapshot) }
    verdicts.places = places
    verdicts.expressions = expressions.count
  }

  /// The most bytes that the rules together may remember of an instrument.
  private static var mostBytes: Int { 1 << 23 }

  /// Why the rules cannot remember all of this together; nil if they can.
  static func excess(_ rules: [Rule?]) -> String? {
    guard let conditions = RuleConditions(rules, .init(), nil) else { return nil }
    let bytes = conditions.memoryUse.parts.reduce(0) { $0 + $1.bytesByKey }
    if bytes <= mostBytes { return nil }
    return "the rules together remember \(bytes) bytes for each instrument; at most \(mostBytes) are possible"
  }

  /// Judges a batch.
  mutating func judge(_ events: Span<E>) {
    let (count, size) = (events.count, events.count * runner.expressions.count)
    verdicts.count = count
    if verdicts.verdicts.count < size { verdicts.verdicts = Array(repeating: .undecided, count: size) }
    var (all, parts) = (verdicts.verdicts, verdicts.parts)
    (verdicts.verdicts, verdicts.parts) = ([], [])
    parts.removeAll(keepingCapacity: true)
    runner.judgeAll(events) { expression, range, chunk in
      if expression == 0 { parts.append(RuleVerdicts.Part(range: range)) }
      parts[parts.count - 1].note(chunk, of: expression)
      let begin = expression * count + range.lowerBound
      precondition(begin + chunk.count <= all.count)
      var own = all.mutableSpan
      // Checked above; a check for each verdict would cost more than the copy.
      for i in chunk.indices { own[unchecked: begin &+ i] = chunk[unchecked: i] }
    }
    (verdicts.verdicts, verdicts.parts) = (all, parts)
  }

  var memoryUse: MemoryUse { runner.memoryUse }

  func snapshot() -> MemorySnapshot { runner.snapshot() }

  /// What the functions of a rule have after the last event of a symbol.
  func functions(of rule: Int, after event: E) -> [FunctionState] {
    let places = [verdicts.places[rule].when, verdicts.places[rule].rearm].compactMap(\.self)
    var states: [FunctionState] = []
    for place in places {
      for state in runner.state(of: place, after: event).functions where !states.contains(state) { states.append(state) }
    }
    return states
  }
}

extension RuleVerdicts.Part {
  /// Takes the verdicts of an expression.
  fileprivate mutating func note(_ verdicts: Span<Verdict>, of expression: Int) {
    var (union, least): (UInt8, UInt8) = (0, Verdict.yes.rawValue)
    for i in verdicts.indices {
      union |= verdicts[i].rawValue
      least = min(least, verdicts[i].rawValue)
    }
    if union & Verdict.yes.rawValue != 0 { yes.insert(expression) }
    if union & Verdict.undecided.rawValue != 0 { undecided.insert(expression) }
    if least == Verdict.no.rawValue { no.insert(expression) }
  }
}
