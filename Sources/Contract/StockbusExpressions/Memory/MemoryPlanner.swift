internal import EventBus

/// Collects the functions with memory while expressions are checked: equal ones once, and one ring or queue for each argument.
///
/// Several expressions can be checked with one planner, and then share what they remember.
final class MemoryPlanner {
  let places: EventPlaces
  private(set) var steps: [MemoryStep] = []
  /// By column: what an event must count for, and whether it depends on earlier events.
  private(set) var needs: [UInt8] = []
  private(set) var isDerived: [Bool] = []
  /// By column, whether it has the results of a function, not an argument.
  private(set) var isFunction: [Bool] = []
  /// Functions and arguments by their normal form, and their columns.
  private(set) var names: [String: Int] = [:]
  /// What the words of columns that were computed before stand for.
  var named: [String: Named] = [:]

  enum Named {
    case value(Term, Dimension)
    case condition(Condition)
  }

  /// By column of a function, what kind of number it is, if that is not a plain one.
  var dimensions: [Int: Dimension] = [:]
  private var rings: [Int: Int] = [:]
  private var timed: [Int: Int] = [:]

  init(_ places: EventPlaces) { self.places = places }

  var columns: Int { needs.count }

  private func column(_ need: UInt8, isDerived: Bool, isFunction: Bool = true) -> Int {
    needs.append(need)
    self.isDerived.append(isDerived)
    self.isFunction.append(isFunction)
    return needs.count - 1
  }

  private func shared(_ name: String, _ need: UInt8, isDerived: Bool, isFunction: Bool = true, _ make: (Int) -> MemoryStep) -> Int {
    if let known = names[name] { return known }
    let column = column(need, isDerived: isDerived, isFunction: isFunction)
    names[name] = column
    steps.append(make(column))
    return column
  }

  /// The column with the values of a column of the events, or the verdicts if it is true or false.
  func row(_ place: Int, _ info: ColumnInfo) -> Int {
    shared("column \(info.name)", Counting.anything, isDerived: false, isFunction: false) {
      .row(place: place, isFlag: info.kind == .flag, column: $0)
    }
  }

  /// The column with the verdicts of a condition.
  func flag(_ condition: Condition, _ name: String) -> Int { series("is \(name)", .condition(condition), 0, isDerived: true) }

  // MARK: Arguments

  /// The column of an argument.
  func series(_ name: String, _ term: Term, _ need: UInt8) -> Int {
    let source: Series.Source =
      switch term {
      case .recall(let column): .column(column)
      case .load(let load) where !load.isNarrow && !load.isInteger: .field(offset: load.offset)
      default: .computed(term)
      }
    return series(name, source, need, isDerived: term.hasMemory)
  }

  func series(_ name: String, _ source: Series.Source, _ need: UInt8, isDerived: Bool = false) -> Int {
    shared("\(name) if \(need)", need, isDerived: isDerived, isFunction: false) { .series(Series(source: source, column: $0, need: need)) }
  }

  /// The two words of a turnover, and the volume.
  func turnover(_ make: (_ high: Int) -> Series.Source, volume: Int) -> (low: Int, weights: Weights) {
    let need = Counting.volume
    if let low = names["turnover if \(need)"], let high = names["turnover high"] { return (low, Weights(high: high, volume: volume)) }
    let high = column(need, isDerived: false, isFunction: false)
    names["turnover high"] = high
    return (series("turnover", make(high), need), Weights(high: high, volume: volume))
  }

  // MARK: Functions

  func ring(_ name: String, _ input: Int, _ argument: String, _ kind: RingPlan.Kind, _ events: Int) -> Int {
    if let known = names[name] { return known }
    let column = column(needs[input], isDerived: true)
    names[name] = column
    let at = rings[input] ?? steps.count
    if at == steps.count {
      steps.append(.ring(RingPlan(name: "last \(argument)", layout: .init(input: input, isDerived: isDerived[input]))))
      rings[input] = at
    }
    guard case .ring(var ring) = steps[at] else { return column }
    ring.outputs.append(.init(kind: kind, events: events, column: column))
    ring.layout.capacity = max(ring.layout.capacity, kind == .previous || kind == .change ? events + 1 : events)
    steps[at] = .ring(ring)
    return column
  }

  /// A function over a window of time: with the others over this argument if entries are kept, otherwise on its own.
  func window(
    _ name: String, _ input: Int, _ argument: String, weights: Weights? = nil, _ statistic: Statistic, _ window: Window
  ) -> Int {
    if let known = names[name] { return known }
    if places.revision == nil {
      switch window {
      case .session: return session(name, input, weights, statistic, nil)
      case .opening(let span): return session(name, input, weights, statistic, span)
      case .time(let span) where statistic == .highest || statistic == .lowest:
        return shared(name, needs[input], isDerived: true) {
          .extreme(ExtremePlan(name: name, input: input, isHighest: statistic == .highest, span: span, column: $0))
        }
      case .time, .events: break
      }
    }
    let column = column(needs[input], isDerived: true)
    names[name] = column
    let at = timed[input] ?? steps.count
    if at == steps.count {
      steps.append(
        .timed(TimedPlan(name: "\(argument) by time", layout: .init(input: input, weights: weights, isDerived: isDerived[input]))))
      timed[input] = at
    }
    guard case .timed(var plan) = steps[at] else { return column }
    plan.outputs.append(.init(statistic: statistic, window: window, column: column))
    steps[at] = .timed(plan)
    return column
  }

  private func session(
    _ name: String, _ input: Int, _ weights: Weights?, _ statistic: Statistic, _ opening: Int64?
  ) -> Int {
    shared(name, needs[input], isDerived: true) {
      .session(SessionPlan(name: name, input: input, weights: weights, statistic: statistic, opening: opening, column: $0))
    }
  }

  func recursion(_ name: String, _ kind: RecursionPlan.Kind, _ a: Int, _ b: Int? = nil, _ c: Int? = nil) -> Int {
    shared(name, needs[a], isDerived: true) {
      .recursion(RecursionPlan(name: name, kind: kind, inputs: (a, b ?? a, c ?? a), column: $0))
    }
  }

  func crossing(_ name: String, _ left: Int, _ right: Int, isAbove: Bool, _ need: UInt8) -> Int {
    shared(name, need, isDerived: true) {
      .crossing(CrossingPlan(name: name, left: left, right: right, isAbove: isAbove, need: need, column: $0))
    }
  }

  func since(_ name: String, _ input: Int) -> Int {
    shared(name, needs[input], isDerived: true) { .since(SincePlan(name: name, input: input, column: $0)) }
  }
}
