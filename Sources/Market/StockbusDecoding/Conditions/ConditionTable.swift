package import StockbusPlugin

/// Finds the condition of a trade from the feed's text: by the codes of a plan, and by codes that a configuration adds or changes.
package struct ConditionTable: Sendable {
  private let codes: ConditionCodes
  private let own: [(code: [UInt8], condition: TradeCondition)]

  package init(_ codes: ConditionCodes, own: Mapping<TradeCondition>? = nil) {
    self.codes = codes
    self.own = (own?.entries ?? []).map { (Array($0.name.utf8), $0.value) }
  }

  /// The condition of a trade with these codes: of several, the one that counts for the least; regular if there is none. Nil if one of the
  /// codes is unknown. Letters are adjacent; other codes are separated by blanks or commas. Brackets and quotation marks are skipped, as in
  /// a list written in JSON.
  package func condition(of text: UnsafeBufferPointer<UInt8>) -> TradeCondition? {
    var condition = TradeCondition.regular
    var at = text.startIndex
    while true {
      while at < text.endIndex, Self.isBetween(text[at]) { at += 1 }
      if at == text.endIndex { return condition }
      var end = at + 1
      if codes != .cta, codes != .utp { while end < text.endIndex, !Self.isBetween(text[end]) { end += 1 } }
      guard let one = self.condition(ofCode: text[at..<end]) else { return nil }
      condition = condition.combined(with: one)
      at = end
    }
  }

  private func condition(ofCode code: UnsafeBufferPointer<UInt8>.SubSequence) -> TradeCondition? {
    own.first { $0.code.elementsEqual(code) }?.condition ?? codes.condition(of: code)
  }

  /// True for a blank, a tab, and the characters `" , ; [ ] |`.
  private static func isBetween(_ byte: UInt8) -> Bool {
    switch byte {
    case 32, 9, 34, 44, 59, 91, 93, 124: true
    default: false
    }
  }
}
