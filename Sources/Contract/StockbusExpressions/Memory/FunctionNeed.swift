internal import MarketData

/// How much of the past a function takes: a window as it is, and a recursion 36 times its length, after which what was before counts for less
/// than a nine-digit result shows (a weight of e⁻³⁶ with Wilder's smoothing, e⁻⁷² with the usual one).
public struct FunctionNeed: Sendable, Hashable {
  /// Its normal form: `sma(close, 20)`.
  public let function: String
  /// Events of a symbol.
  public let events: Int
  /// Nanoseconds.
  public let time: Int64

  static let lengths = 36
}

extension Expression {
  /// What its functions need, in the order of their names; not of those that take a session, or that wait for a condition.
  public var needs: [FunctionNeed] { core.program.plan?.needs ?? [] }
}

extension MemoryPlan {
  var needs: [FunctionNeed] {
    functions.sorted { $0.key < $1.key }.compactMap { name, column in
      let (events, time) = need(of: column)
      return events == 0 && time == 0 ? nil : FunctionNeed(function: name, events: events, time: time)
    }
  }

  /// What the values of a column need, with those from which they are computed.
  private func need(of column: Int) -> (events: Int, time: Int64) {
    func behind(_ input: Int, _ events: Int, _ time: Int64 = 0) -> (events: Int, time: Int64) {
      let before = need(of: input)
      // The first value of the argument is the first one of the window.
      return (events + max(0, before.events - (events > 0 ? 1 : 0)), time.addingSaturating(before.time))
    }
    for step in steps {
      switch step {
      case .series(let series):
        if case .column(let source) = series.source, series.column == column { return need(of: source) }
      case .ring(let ring):
        guard let output = ring.outputs.first(where: { $0.column == column }) else { continue }
        let isDistance = output.kind == .previous || output.kind == .change
        return behind(ring.layout.input, isDistance ? output.events + 1 : output.events)
      case .recursion(let plan) where plan.column == column: return behind(plan.inputs.0, FunctionNeed.lengths * plan.kind.length)
      case .timed(let timed):
        guard let output = timed.outputs.first(where: { $0.column == column }) else { continue }
        if case .time(let span) = output.window { return behind(timed.layout.input, 0, span) }
        return need(of: timed.layout.input)
      case .extreme(let extreme) where extreme.column == column: return behind(extreme.input, 0, extreme.span)
      case .session(let session) where session.column == column: return need(of: session.input)
      case .row, .recursion, .extreme, .session, .crossing, .since: continue
      }
    }
    return (0, 0)
  }
}

extension RecursionPlan.Kind {
  fileprivate var length: Int {
    switch self {
    case .ema(let n), .rma(let n), .rsi(let n), .range(let n), .trend(let n, _): n
    case .macd(_, let slow): slow
    case .signal(_, let slow, let n): slow + n
    }
  }
}
