internal import MarketData

/// The values that only bars have; missing ones are left unchanged in a venue's file.
extension ValueDecoder {
  @inline(never)
  mutating func readOfBar(_ slot: RowSlot, _ field: Int, _ kind: ReplayField.Kind) throws(FieldProblem) {
    let text = slot.trimmed
    if slot.kind == .container || slot.kind == .literal { throw FieldProblem(field: field, reason: .notAValue) }
    let isMissing = slot.kind == .absent || text.isEmpty
    switch kind {
    case .average:
      // The number of decimals shows whether there is a value; otherwise it is not needed.
      if isMissing { return row.set(field, 0) }
      row.set(field, try price(slot, field).raw, places: 1)
    case .amount:
      let amount = isMissing ? .zero : try self.amount(text, field)
      row.set(field, Int64(truncatingIfNeeded: amount.raw))
      row.set(RowValues.upperPlace, Int64(truncatingIfNeeded: amount.raw >> 64))
    case .count:
      let raw = try quantity(slot, field, scale: 1).raw
      if raw % 1_000_000_000 != 0 { throw FieldProblem(field: field, reason: .notWhole) }
      guard let count = UInt32(exactly: raw / 1_000_000_000) else { throw FieldProblem(field: field, reason: .outOfRange) }
      row.set(field, Int64(count))
    case .length:
      let length = isMissing ? barLength : BarLength(String(decoding: text.prefix(32), as: UTF8.self))
      guard let length, text.count <= 32 else { throw FieldProblem(field: field, reason: .notALength) }
      row.set(field, length.raw)
    case .session: row.set(field, Int64(Self.session(text).rawValue))
    case .status: row.set(field, text.elementsEqual("partial".utf8) ? Int64(BarStatus.partial.rawValue) : 0)
    case .symbol, .time, .price, .quoted, .quantity, .received, .side, .ownSide, .condition, .column: break
    }
  }

  /// An amount of any length, divided by the scales.
  private func amount(_ text: UnsafeBufferPointer<UInt8>, _ field: Int) throws(FieldProblem) -> Amount {
    var reader = ByteReader(text)
    do throws(TextError) {
      let amount = try reader.amount()
      try reader.expectEnd()
      // A price times a size.
      let divisor = Int128(scale) * Int128(sizeScale)
      if amount.raw % divisor != 0 { throw TextError(.tooManyDecimals, at: 0) }
      let (raw, isOver) = (amount.raw / divisor).multipliedReportingOverflow(by: Int128(priceFactor) * Int128(sizeFactor))
      if isOver { throw TextError(.outOfRange, at: 0) }
      return Amount(raw: raw)
    } catch {
      switch error.code {
      case .tooManyDecimals: throw FieldProblem(field: field, reason: scale == 1 ? .tooManyDecimals : .notExact)
      case .outOfRange: throw FieldProblem(field: field, reason: .outOfRange)
      default: throw FieldProblem(field: field, reason: .notANumber)
      }
    }
  }

  /// Words of other programs count as unknown.
  private static func session(_ text: UnsafeBufferPointer<UInt8>) -> MarketSession {
    if text.elementsEqual("regular".utf8) { return .regular }
    if text.elementsEqual("pre".utf8) { return .pre }
    return text.elementsEqual("post".utf8) ? .post : .unknown
  }
}
