internal import MarketData
internal import StockbusDecoding

/// Scanning of scalar values, and storing them in slots.
extension JSONRows {
  /// A string, number, `true`, `false` or `null` at `p`.
  mutating func scalar(_ p: inout UnsafePointer<UInt8>, _ node: Int) throws(JSONRowProblem) {
    let start = p
    switch p.pointee {
    case 34:
      let hasEscapes = try JSONScanner.skipString(&p)
      if node >= 0 { hasEscapes ? storeEscaped(node, start + 1, p - 2 - start) : store(node, start + 1, p - 2 - start, .text, Decimal()) }
    case 45, 48...57:
      guard let number = Decimal.scan(&p, .json) else {
        let length = JSONWords.length(start)
        if length == 0 { throw JSONRowProblem(.badNumber, p) }
        p = start + length
        if node >= 0 { store(node, start, length, .literal, Decimal()) }
        return
      }
      if node >= 0 { store(node, start, p - start, .number, number) }
    default:
      let kind = try Self.literal(&p)
      if node >= 0 { store(node, start, kind == .absent ? 0 : p - start, kind, Decimal()) }
    }
  }

  static func literal(_ p: inout UnsafePointer<UInt8>) throws(JSONRowProblem) -> RowSlot.Kind {
    let word = ByteWords.load(p)
    switch word & ByteWords.mask(4) {
    case 0x6c6c_756e:  // null
      p += 4
      return .absent
    case 0x6575_7274:  // true
      p += 4
      return .literal
    case 0x736c_6166 where p[4] == 101:  // false
      p += 5
      return .literal
    default:
      // Only a field that needs the number is at fault.
      let length = JSONWords.length(p)
      if length == 0 { throw JSONRowProblem(.expectedValue, p) }
      p += length
      return .literal
    }
  }

  mutating func store(_ node: Int, _ start: UnsafePointer<UInt8>, _ count: Int, _ kind: RowSlot.Kind, _ number: Decimal) {
    let target = targets[node]
    if target.slot >= 0 {
      put(target, start, count, kind, number)
    } else if target.slot == -2 {
      for each in paths.targets(of: node) { put(each, start, count, kind, number) }
    }
  }

  private mutating func put(
    _ target: JSONPaths.Target, _ start: UnsafePointer<UInt8>, _ count: Int, _ kind: RowSlot.Kind, _ number: Decimal
  ) {
    let slot = slots + target.slot
    if target.rank > slot.pointee.rank { return }
    slot.pointee = RowSlot(start: start, count: count, number: number, kind: kind, rank: target.rank)
  }

  private mutating func storeEscaped(_ node: Int, _ start: UnsafePointer<UInt8>, _ count: Int) {
    guard targets[node].slot != -1 else { return }
    let text = resolved(start, count)
    store(node, text.baseAddress.unsafelyUnwrapped, text.count, .text, Decimal())
    scratch.put(10)  // so that a number in it ends here
  }

  /// A text with its escapes resolved, in memory that is valid until the next row.
  private mutating func resolved(_ start: UnsafePointer<UInt8>, _ count: Int) -> UnsafeBufferPointer<UInt8> {
    // Values with resolved escapes are never longer than the originals, so one reservation is enough for the line.
    if scratch.count == 0 { scratch.reserve(length + LineReader.slack) }
    let from = scratch.count
    scratch.append { JSONEscapes.resolve(UnsafeBufferPointer(start: start, count: count), to: $0) }
    return UnsafeBufferPointer(start: UnsafePointer(scratch.base) + from, count: scratch.count - from)
  }
}

/// Reading of values in rows of a known shape.
extension JSONRows {
  /// Reads a value in an unusual form, or an unused one; returns false if it is malformed.
  @inline(never)
  mutating func value(_ piece: UnsafePointer<RowShape.Piece>, _ p: inout UnsafePointer<UInt8>, _ values: inout ValueDecoder) -> Bool {
    let start = p
    var slot = RowSlot(start: start)
    do throws(JSONRowProblem) {
      switch piece.pointee.form {
      case .text:
        // From the opening quotation mark to the byte after the closing one, where the next bytes begin.
        p -= 1
        let hasEscapes = try JSONScanner.skipString(&p)
        p -= 1
        slot.kind = .text
        slot.count = p - start
        if hasEscapes, piece.pointee.use != .nothing {
          scratch.clear()
          length = slot.count
          let text = resolved(start, slot.count)
          scratch.put(10)
          (slot.start, slot.count) = (text.baseAddress.unsafelyUnwrapped, text.count)
        }
      case .number:
        guard let number = Decimal.scan(&p, .json) else { return false }
        (slot.kind, slot.count, slot.number) = (.number, p - start, number)
      case .literal:
        slot.kind = try Self.literal(&p)
        slot.count = slot.kind == .absent ? 0 : p - start
      case .field: return false
      }
    } catch { return false }
    if piece.pointee.use == .nothing { return true }
    do throws(FieldProblem) { try values.read(slot, Int(piece.pointee.field), piece.pointee.kind) } catch { return false }
    return true
  }
}
