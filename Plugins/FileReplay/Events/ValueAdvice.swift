internal import StockbusPlugin

/// Hints for malformed values that are written in another notation; empty if none is likely.
enum ValueAdvice {
  /// Longer texts are not a number or time in any notation.
  private static let limit = 48

  /// `; write 12.50, without the currency`; with the value of `numbers` that reads it, if there is one.
  static func number(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
    guard bytes.count <= limit, let text = String(validating: bytes, as: UTF8.self) else { return "" }
    let (grouped, comma) = (NumberForm.grouped.number(bytes), NumberForm.comma.number(bytes))
    let forms = [grouped == nil ? nil : "'numbers: grouped'", comma == nil || comma == grouped ? nil : "'numbers: comma'"].compactMap(
      \.self)
    guard let advice = NumberText.advice(text) else { return forms.isEmpty ? "" : "; set \(forms.joined(separator: " or "))" }
    return "; \(advice)" + (forms.isEmpty ? "" : ", or set \(forms.joined(separator: " or "))")
  }

  /// `; write time: "MM/dd/yyyy" if the month is first, or "dd/MM/yyyy" if the day is`: the patterns that read the text.
  static func time(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
    guard bytes.count <= limit, let text = String(validating: bytes, as: UTF8.self) else { return "" }
    if CompactTime.isDate(bytes) { return "; 'time: yyyymmdd' reads dates and times without separators" }
    let patterns = TimePattern.guesses(text)
    guard let first = patterns.first else { return "" }
    if !first.hasDate {
      return "; a time of day needs its date: name its column, as in 'columns: { date: Date }', or set 'date' and time: \"\(first.text)\""
    }
    if first.text.wholeMatch(of: /yyyy-MM-dd([T ]HH:mm(:ss(\.S+)?)?[ZX]?)?/) != nil { return "; 'time: auto' reads it" }
    guard patterns.count > 1 else { return "; write time: \"\(first.text)\"" }
    return "; write time: \"\(first.text)\" if the month is first, or \"\(patterns[1].text)\" if the day is"
  }

  /// `; 'sides: { buy: [BOT], sell: [SLD] }' says what it means`.
  static func side(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
    let text = String(decoding: bytes.prefix(limit), as: UTF8.self)
    let general = "; 'sides' can say what it means"
    guard let pair = pairs.first(where: { $0.contains(text.lowercased()) }) else { return general }
    let words = pair.map { word in text == text.uppercased() ? word.uppercased() : text == text.capitalized() ? word.capitalized() : word }
    let (buy, sell) = (yaml(words[0]), yaml(words[1]))
    if pair[0] != "ask" { return "; set 'sides: { buy: [\(buy)], sell: [\(sell)] }'" }
    return "; set 'sides: { buy: [\(buy)], sell: [\(sell)] }' if it is the quote at which was traded, and the other way round if it is the "
      + "side of the order that took it"
  }

  /// Words of other programs for a buyer's and a seller's trade.
  private static let pairs = [
    ["ask", "bid"], ["+", "-"], ["1", "-1"], ["long", "short"], ["up", "down"], ["kauf", "verkauf"], ["achat", "vente"],
  ]

  private static func yaml(_ word: String) -> String { word.allSatisfy(\.isLetter) ? word : "'\(word)'" }
}

extension String {
  /// The first letter as a capital, the others as they are.
  fileprivate func capitalized() -> String { prefix(1).uppercased() + dropFirst() }
}
