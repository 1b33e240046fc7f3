internal import StockbusPlugin

/// How a feed writes the sale conditions of its trades.
package enum ConditionCodes: String, Choice {
  /// The names that stockbus uses: `odd_lot`.
  case words
  /// The letters of the US tapes A and B (CTA Plan), and of tape C (UTP Plan). A trade has up to four of them.
  case cta, utp
  /// The flags of QuantConnect's Lean, in hexadecimal digits.
  case lean
  /// The numbers of Massive, formerly Polygon.
  case massive

  /// The condition that one code means; nil if the code is unknown.
  func condition(of code: some Collection<UInt8>) -> TradeCondition? {
    switch self {
    case .words: TradeCondition.allCases.first { $0.fieldName.utf8.elementsEqual(code) }
    case .cta, .utp: code.count == 1 ? code.first.flatMap(letter) : nil
    case .lean: Self.flags(code)
    case .massive: Self.number(code)
    }
  }

  /// Sources: "CTS Output Specification" of the CTA Plan and "UTDF Specification" of the UTP Plan, their tables of sale conditions and of
  /// consolidated processing.
  private func letter(_ letter: UInt8) -> TradeCondition? {
    switch letter {
    // The two differ in this letter only: an average price, or bunched trades at one price.
    case UInt8(ascii: "B"): self == .cta ? .averagePrice : .regular
    // Regular, acquisition, distribution, automatic, NYSE 127 and AMEX 155, sold last, split, cross, yellow flag; stopped stock; exempt.
    case UInt8(ascii: "@"), UInt8(ascii: "A"), UInt8(ascii: "D"), UInt8(ascii: "E"), UInt8(ascii: "K"), UInt8(ascii: "L"),
      UInt8(ascii: "S"), UInt8(ascii: "X"), UInt8(ascii: "Y"), UInt8(ascii: "1"), UInt8(ascii: "2"), UInt8(ascii: "8"):
      .regular
    case UInt8(ascii: "F"): .sweep
    case UInt8(ascii: "O"), UInt8(ascii: "5"): .opening
    case UInt8(ascii: "6"): .closing
    case UInt8(ascii: "9"): .correctedClose
    case UInt8(ascii: "4"): .derivativelyPriced
    case UInt8(ascii: "P"): .priorReferencePrice
    case UInt8(ascii: "Z"), UInt8(ascii: "G"), UInt8(ascii: "3"): .outOfSequence
    case UInt8(ascii: "T"), UInt8(ascii: "U"): .extendedHours
    case UInt8(ascii: "I"): .oddLot
    case UInt8(ascii: "W"): .averagePrice
    case UInt8(ascii: "H"): .priceVariation
    case UInt8(ascii: "C"), UInt8(ascii: "N"), UInt8(ascii: "R"): .specialSettlement
    case UInt8(ascii: "V"), UInt8(ascii: "7"): .contingent
    case UInt8(ascii: "M"), UInt8(ascii: "Q"): .officialPrice
    default: nil
    }
  }

  /// The conditions by bit of the flags. Source: Lean, `TradeConditionFlags`. The last two are the exemption from the trade-through rule,
  /// which does not affect what a trade counts for, and an undocumented flag.
  private static let bits: [TradeCondition] = [
    .regular, .specialSettlement, .specialSettlement, .specialSettlement, .regular, .sweep, .opening, .closing, .opening,
    .derivativelyPriced, .extendedHours, .regular, .regular, .extendedHours, .outOfSequence, .regular, .regular, .regular, .contingent,
    .regular, .averagePrice, .regular, .priceVariation, .regular, .officialPrice, .priorReferencePrice, .officialPrice, .regular,
    .regular, .regular, .regular, .oddLot,
  ]

  private static func flags(_ digits: some Collection<UInt8>) -> TradeCondition? {
    let digits = digits.starts(with: "0x".utf8) ? digits.dropFirst(2) : digits.dropFirst(0)
    if digits.isEmpty || digits.count > 16 { return nil }
    var flags: UInt64 = 0
    for digit in digits {
      switch digit {
      case 48...57: flags = flags << 4 | UInt64(digit - 48)
      case 65...70: flags = flags << 4 | UInt64(digit - 55)
      case 97...102: flags = flags << 4 | UInt64(digit - 87)
      default: return nil
      }
    }
    if flags >> 32 != 0 { return nil }
    return bits.indices.reduce(.regular) { flags >> UInt64($1) & 1 == 0 ? $0 : $0.combined(with: bits[$1]) }
  }

  /// Source: Massive's list of conditions of stocks. Numbers below 100 that are not here are indicators, or count for all.
  private static func number(_ digits: some Collection<UInt8>) -> TradeCondition? {
    if digits.isEmpty || digits.count > 2 || !digits.allSatisfy({ 48...57 ~= $0 }) { return nil }
    return switch digits.reduce(0, { $0 * 10 + Int($1 - 48) }) {
    case 14: .sweep
    case 17, 18, 25, 28, 55: .opening
    case 8, 19: .closing
    case 38: .correctedClose
    case 10: .derivativelyPriced
    case 22: .priorReferencePrice
    case 5, 32, 33: .outOfSequence
    case 12, 13, 43: .extendedHours
    case 37: .oddLot
    case 2: .averagePrice
    case 21, 42: .priceVariation
    case 7, 20, 29: .specialSettlement
    case 52, 53: .contingent
    case 15, 16: .officialPrice
    case 44, 49, 54: .cancelled
    default: .regular
    }
  }
}
