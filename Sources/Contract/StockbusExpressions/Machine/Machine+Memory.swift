// The instructions that read what functions with memory have written, and what makes an argument of them a column.
extension Machine {
  /// Brings the memory up to date with the events. All steps come before the conditions, so that each sees every event, whatever `and` and
  /// `or` skip.
  func remember(_ memory: ExpressionMemory) {
    if memory.plan.hasMemory {
      memory.arrive(events, stride: stride, count: count)
    } else {
      memory.readCounting(events, stride: stride, count: count)
    }
    perform(memory)
  }

  /// Gives the results of the functions without an event: `memory` is a copy, and the event, which tells the key and the time, counts for
  /// nothing in it.
  func look(at memory: ExpressionMemory) {
    memory.arrive(events, stride: stride, count: count)
    memory.columns.counting.update(repeating: 0, count: count)
    perform(memory)
  }

  private func perform(_ memory: ExpressionMemory) {
    for (i, step) in memory.plan.steps.enumerated() {
      if case .series(let series) = step, !program.arguments[i].isEmpty {
        let argument = program.arguments[i]
        if case .condition = series.source {
          runArgument(argument)
          gatherVerdicts(to: series.column)
        } else if !gatherNarrow(argument, to: series.column) {
          runArgument(argument)
          gatherNumbers(to: series.column)
        }
      }
      memory.perform(step, self)
    }
  }

  /// Makes the numbers of the first register a column of 64 bits; those beyond are missing.
  private func gatherNumbers(to column: Int) {
    let (numbers, faults, values, missing) = (space.numbers(0), space.faults(0), space.values(column), space.missing(column))
    for i in 0..<count {
      let value = Int64(truncatingIfNeeded: numbers[i])
      values[i] = value
      missing[i] = faults[i] | (Int128(value) == numbers[i] ? 0 : 1)
    }
  }

  private func gatherVerdicts(to column: Int) {
    let (verdicts, values) = (space.verdicts(0), space.values(column))
    for i in 0..<count { values[i] = Int64(verdicts[i]) }
    space.missing(column).update(repeating: 0, count: count)
  }

  @inline(never)
  func recall(_ instruction: Instruction) {
    switch instruction {
    case .column(let to, let column, let comparison, let constant):
      let values = space.values(column)
      compare(to, comparison, { values[$0] }, { _ in constant })
      undecide(to, column)
    case .fieldColumn(let to, let offset, let comparison, let column):
      let (at, stride, values) = (events + offset, stride, space.values(column))
      compare(to, comparison, { (at + $0 &* stride).load(as: Int64.self) }, { values[$0] })
      undecide(to, column)
    case .columns(let to, let a, let comparison, let b):
      let (left, right) = (space.values(a), space.values(b))
      compare(to, comparison, { left[$0] }, { right[$0] })
      undecide(to, a)
      undecide(to, b)
    case .verdicts(let to, let column): space.verdicts(to).update(from: space.missing(column), count: count)
    default: return
    }
  }

  /// A comparison with a missing result is undecided.
  @inline(__always)
  private func undecide(_ to: Int, _ column: Int) {
    let (missing, verdicts) = (space.missing(column), space.verdicts(to))
    for i in 0..<count { verdicts[i] = missing[i] != 0 ? Verdict.undecided.rawValue : verdicts[i] }
  }

  func recall(_ to: Int, _ column: Int) {
    let (values, numbers) = (space.values(column), space.numbers(to))
    space.faults(to).update(from: space.missing(column), count: count)
    for i in 0..<count { numbers[i] = Int128(values[i]) }
  }
}
