/// Common notations for numbers that differ from that of configurations: `$500`, `1,000.5`, `1.000,5`, `500,5`, `500 USD`.
package enum NumberText {
  /// The purpose of the number.
  package enum Use: Sendable {
    case amount, percentage, wholeNumber
  }

  /// Longer texts are not numbers in any notation.
  private static let limit = 48

  /// The advice for a text that is not a valid number, such as `write 12.50, without the currency`; nil if the text does not look like a
  /// number or is valid. The advice repeats digits of the text.
  package static func advice(_ text: String, for use: Use = .amount) -> String? {
    if text.utf8.count > limit { return nil }
    var rest = Array(text.unicodeScalars)[...]
    var reasons: [String] = []
    var sign = ""
    func takeSign() {
      guard sign.isEmpty, let first = rest.first, "-+\u{2212}".unicodeScalars.contains(first) else { return }
      if first != "+" { sign = "-" }
      rest.removeFirst()
    }
    takeSign()
    let isPercentage = rest.last == "%"
    if isPercentage {
      rest.removeLast()
      trim(&rest)
      if use != .percentage { reasons.append("without the per cent sign") }
    }
    if takeCurrency(&rest) { reasons.append("without the currency") }
    takeSign()
    guard var number = GroupedNumber(rest) else { return nil }
    if use == .wholeNumber {
      number.preferWhole()
      if number.plain.contains(".") { return nil }
    }
    reasons += number.reasons
    if reasons.isEmpty { return nil }
    let unit = isPercentage && use == .percentage ? "%" : ""
    let other = number.other.map { " or \(sign)\($0)\(unit)" } ?? ""
    return "write \(sign)\(number.plain)\(unit)\(other), \(reasons.joined(separator: ", "))"
  }

  /// Removes `$`, `EUR` and the like from either end; returns false if there is none.
  private static func takeCurrency(_ text: inout ArraySlice<Unicode.Scalar>) -> Bool {
    func isSign(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.generalCategory == .currencySymbol }
    func isCapital(_ scalar: Unicode.Scalar) -> Bool { ("A"..."Z").contains(scalar) }
    let count = text.count
    if let first = text.first, isSign(first) {
      text.removeFirst()
    } else if let last = text.last, isSign(last) {
      text.removeLast()
    } else if count > 3, text.prefix(3).allSatisfy(isCapital) {
      text.removeFirst(3)
    } else if count > 3, text.suffix(3).allSatisfy(isCapital) {
      text.removeLast(3)
    }
    if text.count == count { return false }
    trim(&text)
    return true
  }

  private static func trim(_ text: inout ArraySlice<Unicode.Scalar>) {
    while let first = text.first, GroupedNumber.isBlank(first) { text.removeFirst() }
    while let last = text.last, GroupedNumber.isBlank(last) { text.removeLast() }
  }
}

/// Digits with separators between their thousands, or with a decimal comma.
private struct GroupedNumber {
  /// The number in the notation of configurations.
  private(set) var plain: String
  /// The other number that the text may mean.
  private(set) var other: String?
  /// The differences from the notation of configurations.
  private(set) var reasons: [String] = []

  static func isBlank(_ scalar: Unicode.Scalar) -> Bool { [" ", "\u{a0}", "\u{2009}", "\u{202f}"].contains(scalar) }
  private static func isMark(_ scalar: Unicode.Scalar) -> Bool { isBlank(scalar) || [",", ".", "'", "\u{2019}", "_"].contains(scalar) }
  private static let thousands = "without marks between thousands"
  private static let point = "with a decimal point"

  /// Nil if the meaning of the separators is unclear.
  init?(_ text: ArraySlice<Unicode.Scalar>) {
    let pieces = text.split(omittingEmptySubsequences: false, whereSeparator: Self.isMark).map { String(String.UnicodeScalarView($0)) }
    guard pieces.allSatisfy({ $0.utf8.allSatisfy { (48...57).contains($0) } }), let end = pieces.last, !end.isEmpty else { return nil }
    let marks = text.filter(Self.isMark)
    guard let last = marks.last else {
      plain = pieces[0]
      return
    }
    let isGrouped = pieces.dropFirst().allSatisfy { $0.utf8.count == 3 } && (1...3).contains(pieces[0].utf8.count)
    if marks.count > 1, Set(marks).count == 1 {
      guard isGrouped else { return nil }
      plain = pieces.joined()
      reasons = [Self.thousands]
    } else if marks.count > 1 {
      // All separators but the last stand between thousands.
      let whole = pieces.dropLast()
      guard Set(marks.dropLast()).count == 1, last == "," || last == ".", (1...3).contains(whole[0].utf8.count),
        whole.dropFirst().allSatisfy({ $0.utf8.count == 3 })
      else { return nil }
      plain = whole.joined() + "." + end
      reasons = [Self.thousands] + (last == "," ? [Self.point] : [])
    } else if last == "." {
      plain = pieces.joined(separator: ".")
    } else if last != "," {
      guard isGrouped else { return nil }
      plain = pieces.joined()
      reasons = [Self.thousands]
    } else {
      plain = (pieces[0].isEmpty ? "0" : pieces[0]) + "." + pieces[1]
      reasons = [Self.point]
      guard isGrouped, !pieces[0].hasPrefix("0") else { return }
      // Thousands in American notation, or three decimals in others.
      other = pieces.joined()
      reasons = ["whichever is meant; a comma is not accepted"]
    }
  }

  /// Chooses the whole number if both meanings are possible.
  mutating func preferWhole() {
    guard let whole = other else { return }
    plain = whole
    other = nil
    reasons = [Self.thousands]
  }
}
