internal import EventBus

// Numbers in 64 bits, which is enough for nearly all. If a result of a chunk is larger, the chunk is computed again in 128 bits.
extension Machine {
  /// Computes the argument of a function and makes it a column; false if a result needs more than 64 bits.
  func gatherNarrow(_ argument: Range<Int>, to column: Int) -> Bool {
    for at in argument where !reckonNarrow(program.argumentCode[at]) { return false }
    space.values(column).update(from: space.narrow(0), count: count)
    space.missing(column).update(from: space.faults(0), count: count)
    return true
  }

  @inline(never)
  private func reckonNarrow(_ instruction: Instruction) -> Bool {
    switch instruction {
    case .constant(let to, let index):
      guard let value = Int64(exactly: program.constants[index]) else { return false }
      space.narrow(to).update(repeating: value, count: count)
      space.faults(to).update(repeating: 0, count: count)
      return true
    case .load(let to, let load): return loadNarrow(to, load)
    case .recall(let to, let column):
      let (values, missing, numbers) = (space.values(column), space.missing(column), space.narrow(to))
      space.faults(to).update(from: missing, count: count)
      for i in 0..<count { numbers[i] = missing[i] != 0 ? 0 : values[i] }
      return true
    case .negate(let to): return changeNarrow(to) { a in (0 &- a, a & (0 &- a)) }
    case .absolute(let to):
      return changeNarrow(to) { a in
        let result = a < 0 ? 0 &- a : a
        return (result, result)
      }
    case .add(let to, let other):
      return combineNarrow(to, other) { a, b in
        let sum = a &+ b
        return (sum, (a ^ sum) & (b ^ sum))
      }
    case .subtract(let to, let other, let isReversed):
      return isReversed ? combineNarrow(to, other) { Self.difference($1, $0) } : combineNarrow(to, other) { Self.difference($0, $1) }
    case .multiply(let to, let other, .billion): return combineNarrow(to, other) { Wide.narrowProduct($0, $1, per: .billion) }
    case .multiply(let to, let other, .hundredBillion):
      return combineNarrow(to, other) { Wide.narrowProduct($0, $1, per: .hundredBillion) }
    case .divide(let to, let other, let per, let isReversed): return divideNarrow(to, other, per, isReversed)
    case .least(let to, let other): return combineNarrow(to, other) { (min($0, $1), 0) }
    case .greatest(let to, let other): return combineNarrow(to, other) { (max($0, $1), 0) }
    default: return false
    }
  }

  @inline(__always)
  private static func difference(_ a: Int64, _ b: Int64) -> (Int64, Int64) {
    let difference = a &- b
    return (difference, (a ^ b) & (a ^ difference))
  }

  private func loadNarrow(_ to: Int, _ load: Term.Load) -> Bool {
    let (at, stride, numbers) = (events + load.offset, stride, space.narrow(to))
    space.faults(to).update(repeating: 0, count: count)
    if load.isNarrow {
      // A billion times 32 bits fits into 63.
      for i in 0..<count { numbers[i] = Int64((at + i &* stride).load(as: UInt32.self)) &* 1_000_000_000 }
      return true
    }
    if !load.isInteger {
      for i in 0..<count { numbers[i] = (at + i &* stride).load(as: Int64.self) }
      return true
    }
    var isOver = false
    for i in 0..<count {
      let (product, over) = (at + i &* stride).load(as: Int64.self).multipliedReportingOverflow(by: 1_000_000_000)
      numbers[i] = product
      isOver = isOver || over
    }
    return !isOver
  }

  /// `body` gives a result, and a negative number if that does not fit.
  @inline(__always)
  private func changeNarrow(_ to: Int, _ body: (Int64) -> (Int64, Int64)) -> Bool {
    let numbers = space.narrow(to)
    var over: Int64 = 0
    for i in 0..<count {
      let (result, isOver) = body(numbers[i])
      numbers[i] = result
      over |= isOver
    }
    return over >= 0
  }

  @inline(__always)
  private func combineNarrow(_ to: Int, _ other: Int, _ body: (Int64, Int64) -> (Int64, Int64)) -> Bool {
    let (numbers, others) = (space.narrow(to), space.narrow(other))
    let (faults, otherFaults) = (space.faults(to), space.faults(other))
    for i in 0..<count { faults[i] |= otherFaults[i] }
    var over: Int64 = 0
    for i in 0..<count {
      let (result, isOver) = body(numbers[i], others[i])
      numbers[i] = result
      over |= isOver
    }
    return over >= 0
  }

  private func divideNarrow(_ to: Int, _ other: Int, _ per: Term.Scale, _ isReversed: Bool) -> Bool {
    let (divisors, faults) = (space.narrow(isReversed ? to : other), space.faults(other))
    for i in 0..<count { faults[i] |= divisors[i] == 0 ? 1 : 0 }
    return isReversed
      ? combineNarrow(to, other) { Wide.narrowQuotient($1, $0, per: per) }
      : combineNarrow(to, other) { Wide.narrowQuotient($0, $1, per: per) }
  }
}
