internal import EventBus

/// Executes a program on a chunk of events.
///
/// Unsafe because it reads fields at their offsets: each offset comes from `MemoryLayout.offset(of:)` for a property of the layout that the
/// instruction reads.
struct Machine {
  let program: ExpressionCode
  let space: Workspace
  /// The first event, and the distance to the next.
  let events: UnsafeRawPointer
  let stride: Int
  /// At most the chunk size of the workspace.
  let count: Int
  /// The columns of the batch to which the events belong; nil if there are none.
  var columns: BatchColumns?

  /// Writes a verdict for every event: to the first column of bytes, or the first ones if there are several conditions.
  func run() {
    let instructions = program.instructions
    var at = 0
    while at < instructions.count { at = step(instructions[at], at) }
  }

  /// Computes the argument of a function with memory, to the first register.
  func runArgument(_ range: Range<Int>) {
    var at = range.lowerBound
    while at < range.upperBound { at = step(program.argumentCode[at], at) }
  }

  /// Executes one instruction; returns the index of the next.
  @inline(__always)
  private func step(_ instruction: Instruction, _ at: Int) -> Int {
    switch instruction {
    case .constant, .load, .recall, .negate, .absolute, .add, .subtract, .multiply, .divide, .least, .greatest: reckon(instruction)
    case .field(let to, let load, let comparison, let constant):
      if load.isNarrow { compareNarrow(to, load.offset, comparison, constant) } else { compareField(to, load.offset, comparison, constant) }
    case .fields(let to, let a, let comparison, let b): compareFields(to, a, comparison, b)
    case .symbol(let to, let offset, let test):
      program.symbolPages[test].judge(events + offset, stride: stride, count: count, into: space.verdicts(to))
    case .choice(let to, let offset, let table): choose(to, offset, program.tables[table])
    case .fill(let to, let verdict): space.verdicts(to).update(repeating: verdict.rawValue, count: count)
    case .compare(let to, let a, let comparison, let b): compareWide(to, a, comparison, b)
    case .contains(let to, let a, let set): search(to, a, program.sets[set])
    case .sameSymbol(let to, let a, let b): same(to, a, b, as: UInt32.self)
    case .sameChoice(let to, let a, let b): same(to, a, b, as: UInt8.self)
    case .text(let to, let offset, let set): compareTexts(to, offset, program.texts[set])
    case .column, .fieldColumn, .columns, .verdicts: recall(instruction)
    case .not(let to):
      let verdicts = space.verdicts(to)
      for i in 0..<count { verdicts[i] = 2 &- verdicts[i] }
    case .and(let to, let other):
      let (verdicts, others) = (space.verdicts(to), space.verdicts(other))
      for i in 0..<count { verdicts[i] = min(verdicts[i], others[i]) }
    case .or(let to, let other):
      let (verdicts, others) = (space.verdicts(to), space.verdicts(other))
      for i in 0..<count { verdicts[i] = max(verdicts[i], others[i]) }
    case .skipIfAllNo(let register, let target):
      let verdicts = space.verdicts(register)
      var greatest: UInt8 = 0
      for i in 0..<count { greatest = max(greatest, verdicts[i]) }
      if greatest == Verdict.no.rawValue { return target }
    case .skipIfAllYes(let register, let target):
      let verdicts = space.verdicts(register)
      var least: UInt8 = 2
      for i in 0..<count { least = min(least, verdicts[i]) }
      if least == Verdict.yes.rawValue { return target }
    }
    return at &+ 1
  }

  // MARK: Verdicts

  @inline(__always)
  func each(_ to: Int, _ verdict: (Int) -> Bool) {
    let verdicts = space.verdicts(to)
    for i in 0..<count { verdicts[i] = verdict(i) ? 2 : 0 }
  }

  /// One loop for each comparison, so that the comparison is not selected per event.
  @inline(__always)
  func compare<T: Comparable>(_ to: Int, _ comparison: Comparison, _ left: (Int) -> T, _ right: (Int) -> T) {
    switch comparison {
    case .less: each(to) { left($0) < right($0) }
    case .lessOrEqual: each(to) { left($0) <= right($0) }
    case .greater: each(to) { left($0) > right($0) }
    case .greaterOrEqual: each(to) { left($0) >= right($0) }
    case .equal: each(to) { left($0) == right($0) }
    case .notEqual: each(to) { left($0) != right($0) }
    }
  }

  private func compareField(_ to: Int, _ offset: Int, _ comparison: Comparison, _ constant: Int64) {
    let (at, stride) = (events + offset, stride)
    compare(to, comparison, { (at + $0 &* stride).load(as: Int64.self) }, { _ in constant })
  }

  private func compareNarrow(_ to: Int, _ offset: Int, _ comparison: Comparison, _ constant: Int64) {
    let (at, stride) = (events + offset, stride)
    let constant = UInt32(truncatingIfNeeded: constant)
    compare(to, comparison, { (at + $0 &* stride).load(as: UInt32.self) }, { _ in constant })
  }

  private func compareFields(_ to: Int, _ a: Int, _ comparison: Comparison, _ b: Int) {
    let (left, right, stride) = (events + a, events + b, stride)
    compare(to, comparison, { (left + $0 &* stride).load(as: Int64.self) }, { (right + $0 &* stride).load(as: Int64.self) })
  }

  private func compareWide(_ to: Int, _ a: Int, _ comparison: Comparison, _ b: Int) {
    let (left, right) = (space.numbers(a), space.numbers(b))
    compare(to, comparison, { left[$0] }, { right[$0] })
    let (faults, others, verdicts) = (space.faults(a), space.faults(b), space.verdicts(to))
    for i in 0..<count where faults[i] | others[i] != 0 { verdicts[i] = Verdict.undecided.rawValue }
  }

  private func search(_ to: Int, _ a: Int, _ set: [Int128]) {
    let (numbers, faults, verdicts) = (space.numbers(a), space.faults(a), space.verdicts(to))
    set.withUnsafeBufferPointer { set in
      for i in 0..<count {
        var (low, high) = (0, set.count)
        while low < high {
          let middle = (low &+ high) / 2
          if set[middle] < numbers[i] { low = middle &+ 1 } else { high = middle }
        }
        verdicts[i] = faults[i] != 0 ? 1 : low < set.count && set[low] == numbers[i] ? 2 : 0
      }
    }
  }

  private func choose(_ to: Int, _ offset: Int, _ table: [UInt8]) {
    let (at, verdicts) = (events + offset, space.verdicts(to))
    table.withUnsafeBufferPointer { table in
      for i in 0..<count { verdicts[i] = table[Int((at + i &* stride).load(as: UInt8.self))] }
    }
  }

  private func same<T: FixedWidthInteger & BitwiseCopyable>(_ to: Int, _ a: Int, _ b: Int, as _: T.Type) {
    let (left, right, stride) = (events + a, events + b, stride)
    each(to) { (left + $0 &* stride).load(as: T.self) == (right + $0 &* stride).load(as: T.self) }
  }

  private func compareTexts(_ to: Int, _ offset: Int, _ names: NameSet) {
    let (at, stride) = (events + offset, stride)
    each(to) { i in
      let text = (at + i &* stride).assumingMemoryBound(to: String.self)
      return text.pointee.utf8.withContiguousStorageIfAvailable { names.matches($0) } ?? false
    }
  }
}
