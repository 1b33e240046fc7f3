/// A number to be computed: in billionths, or in nanoseconds for durations and times.
indirect enum Term {
  case constant(Int128)
  case load(Load)
  /// The result of a function with memory, by its column.
  case recall(Int)
  case negate(Term)
  case absolute(Term)
  case add(Term, Term)
  case subtract(Term, Term)
  /// The product is divided by `per` to restore the unit: a billion, or a hundred times that for percentages.
  case multiply(Term, Term, per: Scale)
  /// The dividend is multiplied by `per` first.
  case divide(Term, Term, per: Scale)
  case least(Term, Term)
  case greatest(Term, Term)

  /// The divisor that restores the unit of a product.
  enum Scale: Int64, BitwiseCopyable {
    case billion = 1_000_000_000
    case hundredBillion = 100_000_000_000
  }

  /// The location of a numeric field in the event.
  struct Load: Hashable, BitwiseCopyable {
    let offset: Int
    /// True for 32 bits unsigned, false for 64 bits signed.
    let isNarrow: Bool
    /// True for a whole number, false for a number of billionths.
    let isInteger: Bool
  }

  /// True if it depends on earlier events.
  var hasMemory: Bool {
    switch self {
    case .constant, .load: false
    case .recall: true
    case .negate(let a), .absolute(let a): a.hasMemory
    case .add(let a, let b), .subtract(let a, let b), .multiply(let a, let b, _), .divide(let a, let b, _), .least(let a, let b),
      .greatest(let a, let b):
      a.hasMemory || b.hasMemory
    }
  }

  var constant: Int128? { if case .constant(let value) = self { value } else { nil } }

  /// The number of registers needed to compute it, if the side that needs more is computed first (Sethi and Ullman, "The Generation of
  /// Optimal Code for Arithmetic Expressions", JACM 1970).
  var registers: Int {
    switch self {
    case .constant, .load, .recall: return 1
    case .negate(let inner), .absolute(let inner): return inner.registers
    case .add(let a, let b), .subtract(let a, let b), .multiply(let a, let b, _), .divide(let a, let b, _), .least(let a, let b),
      .greatest(let a, let b):
      let (left, right) = (a.registers, b.registers)
      return left == right ? left + 1 : max(left, right)
    }
  }
}

/// A test of an event.
indirect enum Condition {
  case constant(Bool)
  /// The most frequent form: a field against a constant, both in the field's own representation.
  case field(Term.Load, Comparison, Int64)
  /// Two 64-bit fields with the same unit.
  case fields(Int, Comparison, Int)
  case compare(Term, Comparison, Term)
  /// The result of a function with memory against a constant, a 64-bit field, and another result.
  case column(Int, Comparison, Int64)
  case fieldColumn(Int, Comparison, Int)
  case columns(Int, Comparison, Int)
  /// The verdicts of a function with memory.
  case verdicts(Int)
  /// True if the list, which is sorted and without duplicates, contains the number.
  case contains([Int128], Term)
  case symbol(Int, NameSet)
  case sameSymbol(Int, Int)
  /// Compares the byte in memory.
  case choice(Int, [UInt8])
  case sameChoice(Int, Int)
  case text(Int, NameSet)
  case not(Condition)
  case all([Condition])
  case any([Condition])

  var registers: Int {
    switch self {
    case .not(let inner): inner.registers
    case .all(let parts), .any(let parts): parts.enumerated().map { $1.registers + ($0 == 0 ? 0 : 1) }.max() ?? 1
    default: 1
    }
  }
}

/// Names and patterns, as bytes.
struct NameSet: Sendable, Hashable {
  var names: Set<[UInt8]> = []
  var patterns: [[UInt8]] = []

  mutating func insert(_ name: String) { names.insert(Array(name.utf8)) }
}
