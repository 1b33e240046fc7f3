internal import EventBus
internal import MarketData

/// What a function over earlier events has for an instrument.
public struct FunctionState: Sendable, Hashable, CustomStringConvertible {
  /// Its normal form: `sma(close, 20)`.
  public let function: String
  /// Its result as text, `true` or `false` of a condition; nil while it has none.
  public let value: String?
  /// What is missing if it has no result: `7 of 20 values`.
  public let lack: String?

  /// `sma(close, 20) is 10.5`, or `sma(close, 20) is not ready: 7 of 20 values`.
  public var description: String {
    value.map { "\(function) is \($0)" } ?? "\(function) is not ready" + (lack.map { ": \($0)" } ?? "")
  }
}

extension ExpressionRunner {
  /// The verdict of an expression on an instrument's last event, and what each of its functions has after it, without changing what is
  /// remembered. The event is one that the runner has judged.
  public func state(of number: Int = 0, after event: E) -> (verdict: Verdict, functions: [FunctionState]) {
    guard let remembered, let plan = program.plan else { return (expressions[number].verdict(of: event), []) }
    return withUnsafeBytes(of: event) { bytes in
      let event = bytes.baseAddress.unsafelyUnwrapped
      guard let copy = remembered.copy(of: ExpressionMemory.key(of: event, plan.places)) else { return (.undecided, []) }
      return withUnsafeTemporaryAllocation(byteCount: Workspace.size(program, chunk: 1), alignment: 16) { memory in
        let space = Workspace(program, chunk: 1, in: memory.baseAddress.unsafelyUnwrapped)
        let machine = Machine(program: program, space: space, events: event, stride: 0, count: 1)
        machine.look(at: copy)
        for case .crossing(let crossing) in plan.steps { space.missing(crossing.column)[0] = copy.verdict(of: crossing).rawValue }
        machine.run()
        let own = plan.functions.filter { columns(of: number).contains($0.value) }.sorted { $0.value < $1.value }
        return (
          Verdict(rawValue: space.verdicts(number)[0]) ?? .undecided, own.map { copy.state(of: $0.key, in: $0.value, space) }
        )
      }
    }
  }
}

/// What the only key of a copy has.
extension ExpressionMemory {
  /// What is remembered of one key; nil if nothing is.
  func copy(of key: MemoryKey) -> ExpressionMemory? {
    let saved = snapshot(of: key)
    if saved.keys.isEmpty { return nil }
    let copy = ExpressionMemory(
      plan, chunk: 1, sessions: sessions, completeSince: Timestamp(ns: completeSince),
      hasMissedEvents: false, limit: .max)
    copy.restore(saved)
    return copy
  }

  private var block: UnsafeMutableRawPointer { columns.blocks[0] }

  /// Whether the newest event that counts has crossed.
  func verdict(of crossing: CrossingPlan) -> Verdict {
    let side = block.load(fromByteOffset: crossing.state, as: Side.self)
    return side.side == 0 ? .undecided : side.crossing == 1 ? .yes : .no
  }

  func state(of function: String, in column: Int, _ space: Workspace) -> FunctionState {
    for case .crossing(let crossing) in plan.steps where crossing.column == column {
      let verdict = verdict(of: crossing)
      let value = verdict == .undecided ? nil : verdict == .yes ? "true" : "false"
      return FunctionState(function: function, value: value, lack: value == nil ? "a side of it has no value" : nil)
    }
    if space.missing(column)[0] != 0 { return FunctionState(function: function, value: nil, lack: lack(of: column)) }
    let value = Int128(space.values(column)[0])
    let text =
      switch plan.dimensions[column] ?? .number {
      case .number: Syntax.decimal(value)
      case .percent: Syntax.decimal(value) + "%"
      case .duration: Syntax.duration(value)
      case .time: Timestamp(ns: space.values(column)[0]).description
      }
    return FunctionState(function: function, value: text, lack: nil)
  }

  /// What the function of a column waits for.
  private func lack(of column: Int) -> String {
    for step in plan.steps {
      switch step {
      case .ring(let ring):
        guard let output = ring.outputs.first(where: { $0.column == column }) else { continue }
        let isDistance = output.kind == .previous || output.kind == .change
        let filled = block.load(fromByteOffset: ring.layout.state, as: RingHead.self).filled
        return count(Int(filled), of: isDistance ? output.events + 1 : output.events)
      case .recursion(let plan) where plan.column == column: return lack(of: plan)
      case .timed(let timed):
        guard let output = timed.outputs.first(where: { $0.column == column }) else { continue }
        let state = block.load(fromByteOffset: timed.layout.state, as: TimedState.self)
        return lack(of: output.window, since: state.since, lost: state.lost)
      case .extreme(let extreme) where extreme.column == column:
        let state = block.load(fromByteOffset: extreme.state, as: ExtremeState.self)
        return lack(of: .time(extreme.span), since: state.since, lost: state.lost)
      case .session(let session) where session.column == column:
        let lost = block.load(fromByteOffset: session.state, as: SessionState.self).lost
        return lack(of: session.opening.map { .opening($0) } ?? .session, since: .min, lost: lost)
      case .since(let since) where since.column == column: return "its condition has not held"
      case .series, .row, .recursion, .extreme, .session, .crossing, .since: continue
      }
    }
    return Self.noResult
  }

  private static var noResult: String { "these values have no result" }

  private func count(_ filled: Int, of needed: Int) -> String {
    filled < needed ? "\(filled) of \(needed) values" : Self.noResult
  }

  private func lack(of plan: RecursionPlan) -> String {
    func filled<State: BitwiseCopyable>(_: State.Type, _ count: (State) -> UInt32) -> Int {
      Int(count(block.loadUnaligned(fromByteOffset: plan.state, as: State.self)))
    }
    switch plan.kind {
    case .ema(let n), .rma(let n): return count(filled(AverageState.self) { $0.filled }, of: n)
    case .rsi(let n): return count(filled(StrengthState.self) { $0.filled }, of: n + 1)
    case .macd(_, let slow): return count(filled(ConvergenceState.self) { $0.filled }, of: slow)
    case .signal(_, let slow, let n):
      let (values, signals) = (filled(ConvergenceState.self) { $0.filled }, filled(ConvergenceState.self) { $0.signal.filled })
      return count(values + max(0, signals - 1), of: slow + n - 1)
    case .range(let n): return count(filled(RangeState.self) { $0.filled }, of: n + 1)
    case .trend(let n, _): return count(filled(TrendState.self) { $0.range.filled }, of: n + 1)
    }
  }

  private func lack(of window: Window, since: Int64, lost: Int64) -> String {
    let (now, begin) = (columns.now[0], columns.sessionBegin[0])
    switch window {
    case .time(let span):
      let from = max(since, lost)
      if from == .max { return "no event counts for it yet" }
      let seen = Int128(now) - Int128(from)
      return seen < Int128(span) ? "\(Syntax.duration(max(0, seen))) of \(Syntax.duration(Int128(span)))" : "no value in the window"
    case .session, .opening:
      if begin < completeSince || lost >= begin { return "the session began before the first event; it is ready with the next one" }
      if case .opening(let span) = window, case let end = Int128(begin) + Int128(span), Int128(now) < end {
        return "ready at \(Timestamp(ns: Int64(clamping: end)))"
      }
      return "no value in the session"
    case .events: return Self.noResult
    }
  }
}
