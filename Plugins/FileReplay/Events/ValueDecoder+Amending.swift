internal import MarketData
internal import StockbusDecoding

/// How a value, or its row, was changed so that the row could be kept.
enum RowRemark: Hashable, Sendable {
  /// How numbers are read as times: `'time' is read as seconds since 1970`.
  case guessedTime(String)
  /// A size with more than nine decimals, which was cut.
  case cut
  /// A price with more than nine decimals, which was rounded.
  case rounded
  /// A size that is out of range or not defined, and 0 in the event.
  case unfit
  /// Another header, which names the same columns, or others.
  case sameHeader, otherHeader
  /// The first number with a decimal comma.
  case decimalComma
  /// A remark of the reader of a venue's messages.
  case message(String)

  /// True if values may be wrong, or are missing.
  var isWarning: Bool {
    switch self {
    case .guessedTime, .rounded, .cut, .sameHeader, .otherHeader: false
    case .unfit, .decimalComma, .message: true
    }
  }
}

/// Keeps the rest of an event if one of its values does not fit.
extension ValueDecoder {
  /// Sets a substitute for a value that could not be read, and remarks on it; throws the problem if there is no substitute.
  @inline(never)
  mutating func amend(_ problem: FieldProblem, _ slot: RowSlot) throws(FieldProblem) {
    let field = problem.field
    let kind = kinds[field]
    switch problem.reason {
    case .unsettledTime:
      let guess = try times.settle(slot, field)
      let time = try times.time(slot, field)
      if kind == .column { columns[field - firstColumn] = time.ns } else { row.set(field, time.ns, places: kind == .received ? 1 : 0) }
      remarks.append((.guessedTime("is read as \(guess.name)"), field, "is read as \(guess.name): \(slot.shown) is \(time)"))
    case .missing where kind == .quoted && !slot.isLacking, .undefined where kind == .quoted,
      .notANumber where kind == .quoted && NoNumber.isWord(slot.trimmed):
      row.set(field, 0)
      emptySides |= 1 << field
    case .notANumber where kind == .quantity && NoNumber.isWord(slot.trimmed): row.set(field, 0)
    case .undefined where kind == .quantity:
      row.set(field, 0)
      remarks.append((.unfit, field, "\(slot.shown) stands for an undefined size: it is 0 in the event"))
    case .outOfRange where kind == .quantity && slot.trimmed.first != 45:
      row.set(field, 0)
      let remedy = sizeScale < 1_000_000_000 ? "; 'size_scale: \(sizeScale * 1000)' reads sizes in units of \(sizeScale * 1000)" : ""
      remarks.append(
        (.unfit, field, "\(slot.shown) is out of range (at most 9,223,372,036): it is 0 in the event, and the rest is kept\(remedy)"))
    case .tooManyDecimals where kind == .quantity:
      let (raw, places) = try general(slot, field, sizeScale, finer: .cut)
      if raw < 0 { throw FieldProblem(field: field, reason: .negative) }
      row.set(field, raw, places: places)
      remarks.append((.cut, field, "\(slot.shown) has more than nine decimals: it is cut after the ninth"))
    case .tooManyDecimals where kind == .column && finerPrices == .round:
      columns[field - firstColumn] = try column(slot, field, finer: .round)
      remarks.append((.rounded, field, "\(slot.shown) has more than nine decimals: it is rounded to nine decimals"))
    case .tooManyDecimals where finerPrices == .round, .notExact where finerPrices == .round:
      guard let (raw, places) = try? general(slot, field, scale, finer: .round), raw != 0, kind != .average || places > 0 else {
        throw problem
      }
      row.set(field, raw, places: kind == .average ? 1 : places)
      remarks.append((.rounded, field, "\(slot.shown) has more than nine decimals: it is rounded to nine decimals"))
    case .notANumber where numbers == .plain && !hasCommas && slot.kind == .text && NumberForm.hasDecimalComma(slot.trimmed):
      hasCommas = true
      remarks.append(
        (
          .decimalComma, field,
          "\(slot.shown) has a decimal comma; set 'numbers: comma', since other numbers may have been misread: "
            + "a number such as 1.000 was read with a decimal point before this row, and is refused from here on"
        ))
      throw problem
    default: throw problem
    }
  }

  /// Sets the sizes of sides without a quote to 0. Throws if both sides have none, and a side is empty in the row.
  mutating func clearSides(_ slots: borrowing Slots) throws(FieldProblem) {
    for field in kinds.indices where emptySides >> field & 1 != 0 {
      let other = kinds.indices.first { kinds[$0] == .quoted && $0 != field } ?? field
      if emptySides >> other & 1 != 0, slots[field].trimmed.isEmpty { throw FieldProblem(field: field, reason: .missing) }
      // Sizes follow the sides in the same order.
      row.set(field + 2, 0)
    }
  }
}

extension RowSlot {
  /// The value in quotation marks, cut to some characters.
  var shown: String {
    let text = trimmed
    return "'\(String(decoding: text.prefix(60), as: UTF8.self))\(text.count > 60 ? "…" : "")'"
  }

  /// True if the row does not have the field at all; an empty text and `null` count as present.
  var isLacking: Bool { kind == .absent && rank == 255 }
}
