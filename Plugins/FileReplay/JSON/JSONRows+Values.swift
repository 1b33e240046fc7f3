/// Values that stand for themselves, and the slots they go to.
extension JSONRows {
  /// A string, number, `true`, `false` or `null` at `p`.
  @inline(always)
  mutating func scalar(_ p: inout UnsafePointer<UInt8>, _ node: Int) throws(JSONProblem) {
    let start = p
    switch p.pointee {
    case 34:
      let hasEscapes = try JSONText.skipString(&p)
      if node >= 0 { hasEscapes ? storeEscaped(node, start + 1, p - 2 - start) : store(node, start + 1, p - 2 - start, .text, Decimal()) }
    case 45, 48...57:
      guard let number = Decimal.scan(&p, .json) else { throw JSONProblem(.badNumber, p) }
      if node >= 0 { store(node, start, p - start, .number, number) }
    default:
      let kind = try Self.literal(&p)
      if node >= 0 { store(node, start, kind == .absent ? 0 : p - start, kind, Decimal()) }
    }
  }

  private static func literal(_ p: inout UnsafePointer<UInt8>) throws(JSONProblem) -> FieldSlot.Kind {
    let word = Words.load(p)
    switch word & Words.mask(4) {
    case 0x6c6c_756e:  // null
      p += 4
      return .absent
    case 0x6575_7274:  // true
      p += 4
      return .literal
    case 0x736c_6166 where p[4] == 101:  // false
      p += 5
      return .literal
    default: throw JSONProblem(.expectedValue, p)
    }
  }

  @inline(always)
  mutating func store(_ node: Int, _ start: UnsafePointer<UInt8>, _ count: Int, _ kind: FieldSlot.Kind, _ number: Decimal) {
    let target = targets[node]
    if target.slot >= 0 {
      put(target, start, count, kind, number)
    } else if target.slot == -2 {
      for each in paths.targets(of: node) { put(each, start, count, kind, number) }
    }
  }

  @inline(always)
  private mutating func put(
    _ target: JSONPaths.Target, _ start: UnsafePointer<UInt8>, _ count: Int, _ kind: FieldSlot.Kind, _ number: Decimal
  ) {
    let slot = slots + target.slot
    if target.rank > slot.pointee.rank { return }
    slot.pointee = FieldSlot(start: start, count: count, number: number, kind: kind, rank: target.rank)
  }

  @inline(never)
  private mutating func storeEscaped(_ node: Int, _ start: UnsafePointer<UInt8>, _ count: Int) {
    guard targets[node].slot != -1 else { return }
    // Values without their escapes are never longer than with them, so that one reservation serves the line.
    if scratch.count == 0 { scratch.reserve(length + LineReader.slack) }
    let from = scratch.count
    JSONText.unescape(UnsafeBufferPointer(start: start, count: count), into: &scratch)
    store(node, UnsafePointer(scratch.base) + from, scratch.count - from, .text, Decimal())
    scratch.put(10)  // a number in it ends where it ends
  }
}
