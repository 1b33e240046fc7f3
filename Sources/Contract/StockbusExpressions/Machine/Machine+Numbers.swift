// The instructions that write numbers.
extension Machine {
  @inline(never)
  func reckon(_ instruction: Instruction) {
    switch instruction {
    case .constant(let to, let index):
      space.numbers(to).update(repeating: program.constants[index], count: count)
      space.faults(to).update(repeating: 0, count: count)
    case .load(let to, let load): self.load(to, load)
    case .recall(let to, let column): recall(to, column)
    case .negate(let to): change(to) { Wide.negated($0) }
    case .absolute(let to): change(to) { $0 < 0 ? Wide.negated($0) : $0 }
    case .add(let to, let other): combine(to, other) { Wide.sum($0, $1) }
    case .subtract(let to, let other, let isReversed):
      if isReversed { combine(to, other) { Wide.difference($1, $0) } } else { combine(to, other) { Wide.difference($0, $1) } }
    case .multiply(let to, let other, .billion): combine(to, other) { Wide.product($0, $1, per: .billion) }
    case .multiply(let to, let other, .hundredBillion): combine(to, other) { Wide.product($0, $1, per: .hundredBillion) }
    case .divide(let to, let other, let per, let isReversed):
      if isReversed {
        combine(to, other) { Wide.quotient($1, $0, per: per) }
      } else {
        combine(to, other) { Wide.quotient($0, $1, per: per) }
      }
    case .least(let to, let other): combine(to, other) { min($0, $1) }
    case .greatest(let to, let other): combine(to, other) { max($0, $1) }
    default: return
    }
  }

  private func load(_ to: Int, _ load: Term.Load) {
    let (at, stride, numbers) = (events + load.offset, stride, space.numbers(to))
    space.faults(to).update(repeating: 0, count: count)
    // A billion times any 64-bit number fits into 128 bits.
    if load.isNarrow {
      for i in 0..<count { numbers[i] = Int128((at + i &* stride).load(as: UInt32.self)) &* 1_000_000_000 }
    } else if load.isInteger {
      for i in 0..<count { numbers[i] = Int128((at + i &* stride).load(as: Int64.self)) &* 1_000_000_000 }
    } else {
      for i in 0..<count { numbers[i] = Int128((at + i &* stride).load(as: Int64.self)) }
    }
  }

  @inline(__always)
  private func change(_ to: Int, _ body: (Int128) -> Int128?) {
    let (numbers, faults) = (space.numbers(to), space.faults(to))
    for i in 0..<count {
      if let result = body(numbers[i]) { numbers[i] = result } else { faults[i] = 1 }
    }
  }

  @inline(__always)
  private func combine(_ to: Int, _ other: Int, _ body: (Int128, Int128) -> Int128?) {
    let (numbers, faults) = (space.numbers(to), space.faults(to))
    let (others, otherFaults) = (space.numbers(other), space.faults(other))
    for i in 0..<count {
      faults[i] |= otherFaults[i]
      if let result = body(numbers[i], others[i]) { numbers[i] = result } else { faults[i] = 1 }
    }
  }
}
