/// A step of an expression's memory: takes a chunk of events in their order, and writes a column of 64-bit numbers with a flag each.
///
/// The steps are in an order in which each finds its input columns written.
enum MemoryStep {
  /// The values of a column of the events, which needs no memory.
  case row(place: Int, isFlag: Bool, column: Int)
  case series(Series)
  case ring(RingPlan)
  case recursion(RecursionPlan)
  case timed(TimedPlan)
  case extreme(ExtremePlan)
  case session(SessionPlan)
  case crossing(CrossingPlan)
  case since(SincePlan)

  /// The name by which a snapshot stores the state; nil if the step has none.
  var name: String? {
    switch self {
    case .series, .row: nil
    case .ring(let plan): plan.name
    case .recursion(let plan): plan.name
    case .timed(let plan): plan.name
    case .extreme(let plan): plan.name
    case .session(let plan): plan.name
    case .crossing(let plan): plan.name
    case .since(let plan): plan.name
    }
  }
}

/// The argument of a function as a column: missing where the event does not count for it, or where it has no result.
struct Series {
  enum Source {
    /// A 64-bit field in billionths or nanoseconds.
    case field(offset: Int)
    /// Instructions compute the number, or the verdict.
    case computed(Term)
    case condition(Condition)
    /// The result of another function.
    case column(Int)
    case one
    /// Price times size of a trade, in two words: `high` is the other column.
    case product(price: Int, size: Int, high: Int)
    /// The turnover of a bar, in two words; average price times volume if the bar has no turnover.
    case turnover(Int, average: Int, volume: Int, high: Int)
  }

  let source: Source
  let column: Int
  /// What an event must count for, in the bits of `Counting`.
  let need: UInt8
}

/// The last values of one argument, and all functions over numbers of events of it.
struct RingPlan {
  enum Kind: BitwiseCopyable {
    case mean, sum, weighted, deviation, score, highest, lowest, previous, change
  }

  struct Output: BitwiseCopyable {
    let kind: Kind
    let events: Int
    let column: Int
    var state = 0
    let division: Division

    init(kind: Kind, events: Int, column: Int) {
      (self.kind, self.events, self.column) = (kind, events, column)
      division = Division(by: max(1, events))
    }
  }

  /// What is needed for every event, without references.
  struct Layout: BitwiseCopyable {
    let input: Int
    /// True if the argument is itself a function of earlier events.
    let isDerived: Bool
    var capacity = 1
    /// Where head, values and times are in the block.
    var state = 0
    var values = 0
    var times = 0

    /// Values beyond this could make a sum of 64 bits overflow.
    var limit: UInt64 { (1 << 62) / UInt64(capacity) - 1 }
  }

  let name: String
  var layout: Layout
  var outputs: [Output] = []
}

/// A function that continues from its last result.
struct RecursionPlan {
  enum Kind: BitwiseCopyable {
    case ema(Int), rma(Int), rsi(Int), macd(fast: Int, slow: Int), signal(fast: Int, slow: Int, Int)
    case range(Int)
    /// The factor in billionths.
    case trend(Int, factor: Int64)
  }

  let name: String
  let kind: Kind
  /// One column, or high, low and close.
  let inputs: (Int, Int, Int)
  let column: Int
  var state = 0
}

/// Windows of time over one argument: the entries of the longest, and what each function has summed up of them.
struct TimedPlan {
  struct Output: BitwiseCopyable {
    let statistic: Statistic
    let window: Window
    let column: Int
    var state = 0
  }

  /// What is needed for every event, without references.
  struct Layout: BitwiseCopyable {
    let input: Int
    /// The high word of a turnover, and the volume; nil for other arguments.
    let weights: Weights?
    let isDerived: Bool
    var state = 0

    /// Words of an entry: time and value, or time, volume and both words of the turnover.
    var words: Int { weights == nil ? 2 : 4 }
  }

  let name: String
  var layout: Layout
  var outputs: [Output] = []
}

/// The columns with the high word of a turnover, whose low word is the input, and with the volume.
struct Weights: BitwiseCopyable {
  let high: Int
  let volume: Int
}

/// The highest or lowest value in a window of time, where no value is revised.
struct ExtremePlan {
  let name: String
  let input: Int
  let isHighest: Bool
  let span: Int64
  let column: Int
  var state = 0
}

/// What a session, or its beginning, sums up, where no value is revised.
struct SessionPlan {
  let name: String
  let input: Int
  let weights: Weights?
  let statistic: Statistic
  let opening: Int64?
  let column: Int
  var state = 0
}

struct CrossingPlan {
  let name: String
  let left: Int
  let right: Int
  let isAbove: Bool
  let need: UInt8
  let column: Int
  var state = 0
}

/// The time since a condition last held.
struct SincePlan {
  let name: String
  let input: Int
  let column: Int
  var state = 0
}
