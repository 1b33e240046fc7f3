internal import EventBus
internal import MarketData
internal import StockbusDecoding

/// The columns beside an event. A field that is empty, null or not there has no value.
extension ValueDecoder {
  @inline(never)
  mutating func readColumn(_ slot: RowSlot, _ field: Int) throws(FieldProblem) {
    columns[field - firstColumn] = try column(slot, field, finer: .reject)
  }

  mutating func column(_ slot: RowSlot, _ field: Int, finer: FinerNumbers) throws(FieldProblem) -> Int64 {
    let kind = columnKinds[field - firstColumn]
    if slot.kind == .container { throw FieldProblem(field: field, reason: .notAValue) }
    if slot.kind == .absent || slot.trimmed.isEmpty || NoNumber.isWord(slot.trimmed) { return ColumnLayout.missing }
    switch kind {
    case .number, .duration, .percent: return try number(slot, field, isPercent: kind == .percent, finer)
    case .time: return try times.time(slot, field).ns
    case .flag:
      switch String(decoding: slot.trimmed.prefix(6), as: UTF8.self).lowercased() {
      case "true": return 1
      case "false": return 0
      default: throw FieldProblem(field: field, reason: .notAFlag)
      }
    }
  }

  private func number(_ slot: RowSlot, _ field: Int, isPercent: Bool, _ finer: FinerNumbers) throws(FieldProblem) -> Int64 {
    if slot.kind == .number, !slot.number.isLong, slot.number.places < 10, let raw = slot.number.billionths(scale: 1) { return raw }
    var text = slot.trimmed
    if isPercent, text.last == 37 {
      text = UnsafeBufferPointer(rebasing: text.dropLast())
      while text.last == 32 || text.last == 9 { text = UnsafeBufferPointer(rebasing: text.dropLast()) }
    }
    if hasCommas, slot.kind == .text, NumberForm.isAmbiguous(text) { throw FieldProblem(field: field, reason: .ambiguous) }
    do throws(TextError) {
      let raw = try plainNumber(text, isPlain: slot.kind == .number || numbers == .plain, finer)
      // The smallest number stands for no value.
      if raw == ColumnLayout.missing { throw TextError(.outOfRange, at: 0) }
      return raw
    } catch {
      switch error.code {
      case .tooManyDecimals: throw FieldProblem(field: field, reason: .tooManyDecimals)
      case .outOfRange: throw FieldProblem(field: field, reason: .outOfRange)
      default: throw FieldProblem(field: field, reason: .notANumber)
      }
    }
  }

  private func plainNumber(
    _ text: UnsafeBufferPointer<UInt8>, isPlain: Bool, _ finer: FinerNumbers
  ) throws(TextError) -> Int64 {
    if isPlain { return try Decimal.general(text, scale: 1, finer: finer).raw }
    guard let plain = numbers.plain(text) else { throw TextError(.unexpected, at: 0) }
    return try plain.withUnsafeBufferPointer { plain in
      Result { () throws(TextError) in try Decimal.general(plain, scale: 1, finer: finer).raw }
    }.get()
  }
}
