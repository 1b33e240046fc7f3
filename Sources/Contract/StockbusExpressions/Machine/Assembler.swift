/// Translates conditions and terms into instructions, and allocates registers as a stack.
struct Assembler {
  private(set) var instructions: [Instruction] = []
  private(set) var constants: [Int128] = []
  private(set) var sets: [[Int128]] = []
  private(set) var symbols: [SymbolTest] = []
  private(set) var tables: [[UInt8]] = []
  private(set) var texts: [NameSet] = []
  private(set) var wideRegisters = 0
  private(set) var byteRegisters = 0

  /// The instructions so far, which are removed.
  mutating func cut() -> [Instruction] {
    defer { instructions = [] }
    return instructions
  }

  /// The instructions that compute the argument of a step, to the first register; none if the step needs none.
  mutating func argument(of step: MemoryStep) -> Range<Int> {
    let begin = instructions.count
    if case .series(let series) = step {
      switch series.source {
      case .computed(let term): reckon(term, into: 0)
      case .condition(let condition): judge(condition, into: 0)
      case .field, .column, .one, .product, .turnover: break
      }
    }
    return begin..<instructions.count
  }

  mutating func judge(_ condition: Condition, into to: Int) {
    byteRegisters = max(byteRegisters, to + 1)
    switch condition {
    case .constant(let value): instructions.append(.fill(to: to, value ? .yes : .no))
    case .field(let load, let comparison, let constant): instructions.append(.field(to: to, load, comparison, constant))
    case .fields(let a, let comparison, let b): instructions.append(.fields(to: to, a, comparison, b))
    case .compare(let a, let comparison, let b):
      let isReversed = b.registers > a.registers
      reckon(isReversed ? b : a, into: 0)
      reckon(isReversed ? a : b, into: 1)
      instructions.append(.compare(to: to, 0, isReversed ? comparison.mirrored : comparison, 1))
    case .contains(let set, let term):
      reckon(term, into: 0)
      sets.append(set)
      instructions.append(.contains(to: to, 0, set: sets.count - 1))
    case .symbol(let offset, let names):
      symbols.append(SymbolTest(names))
      instructions.append(.symbol(to: to, offset: offset, test: symbols.count - 1))
    case .sameSymbol(let a, let b): instructions.append(.sameSymbol(to: to, a, b))
    case .choice(let offset, let bytes):
      var table = [UInt8](repeating: Verdict.no.rawValue, count: 256)
      for byte in bytes { table[Int(byte)] = Verdict.yes.rawValue }
      tables.append(table)
      instructions.append(.choice(to: to, offset: offset, table: tables.count - 1))
    case .sameChoice(let a, let b): instructions.append(.sameChoice(to: to, a, b))
    case .text(let offset, let names):
      texts.append(names)
      instructions.append(.text(to: to, offset: offset, set: texts.count - 1))
    case .column(let column, let comparison, let constant): instructions.append(.column(to: to, column, comparison, constant))
    case .fieldColumn(let offset, let comparison, let column): instructions.append(.fieldColumn(to: to, offset, comparison, column))
    case .columns(let a, let comparison, let b): instructions.append(.columns(to: to, a, comparison, b))
    case .verdicts(let column): instructions.append(.verdicts(to: to, column))
    case .not(let inner):
      judge(inner, into: to)
      instructions.append(.not(to))
    case .all(let parts): join(parts, into: to, isAll: true)
    case .any(let parts): join(parts, into: to, isAll: false)
    }
  }

  private mutating func join(_ parts: [Condition], into to: Int, isAll: Bool) {
    judge(parts[0], into: to)
    var jumps: [Int] = []
    for part in parts.dropFirst() {
      jumps.append(instructions.count)
      instructions.append(.not(to))  // a placeholder for the jump, whose target is not known yet
      judge(part, into: to + 1)
      instructions.append(isAll ? .and(to: to, to + 1) : .or(to: to, to + 1))
    }
    for jump in jumps { instructions[jump] = isAll ? .skipIfAllNo(to, instructions.count) : .skipIfAllYes(to, instructions.count) }
  }

  private mutating func reckon(_ term: Term, into to: Int) {
    wideRegisters = max(wideRegisters, to + 1)
    switch term {
    case .constant(let value):
      constants.append(value)
      instructions.append(.constant(to: to, index: constants.count - 1))
    case .load(let load): instructions.append(.load(to: to, load))
    case .recall(let column): instructions.append(.recall(to: to, column: column))
    case .negate(let inner):
      reckon(inner, into: to)
      instructions.append(.negate(to))
    case .absolute(let inner):
      reckon(inner, into: to)
      instructions.append(.absolute(to))
    case .add(let a, let b):
      _ = both(a, b, into: to)
      instructions.append(.add(to: to, to + 1))
    case .subtract(let a, let b):
      let isReversed = both(a, b, into: to)
      instructions.append(.subtract(to: to, to + 1, reversed: isReversed))
    case .multiply(let a, let b, let per):
      _ = both(a, b, into: to)
      instructions.append(.multiply(to: to, to + 1, per))
    case .divide(let a, let b, let per):
      let isReversed = both(a, b, into: to)
      instructions.append(.divide(to: to, to + 1, per, reversed: isReversed))
    case .least(let a, let b):
      _ = both(a, b, into: to)
      instructions.append(.least(to: to, to + 1))
    case .greatest(let a, let b):
      _ = both(a, b, into: to)
      instructions.append(.greatest(to: to, to + 1))
    }
  }

  /// Computes both sides, first the one that needs more registers. Returns true if that is the right side, whose result is then the first.
  private mutating func both(_ a: Term, _ b: Term, into to: Int) -> Bool {
    let isReversed = b.registers > a.registers
    reckon(isReversed ? b : a, into: to)
    reckon(isReversed ? a : b, into: to + 1)
    return isReversed
  }
}
