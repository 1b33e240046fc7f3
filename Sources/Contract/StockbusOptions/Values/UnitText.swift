/// A decimal number as written: the digits before and after the point.
struct DecimalText {
  let whole: Substring
  let fraction: Substring

  /// Reads the number at the start of `text` and advances `text` past it; nil if there is none.
  init?(_ text: inout Substring) {
    var rest = text
    let isDigit = { (c: Character) in c.isASCII && c.isNumber }
    whole = rest.prefix(while: isDigit)
    rest = rest.dropFirst(whole.count)
    if whole.isEmpty { return nil }
    if rest.first == "." {
      fraction = rest.dropFirst().prefix(while: isDigit)
      if fraction.isEmpty { return nil }
      rest = rest.dropFirst(fraction.count + 1)
    } else {
      fraction = ""
    }
    text = rest
  }

  /// The reason why a number of units is not a whole number of the smallest unit.
  enum Failure: Error { case tooLarge, tooFine }

  /// The number in the smallest unit, exactly; `unit` is the size of the unit in which the number was written.
  func times(_ unit: Int128) throws(Failure) -> Int128 {
    var value: Int128 = 0
    for digit in whole.utf8 {
      let (tens, o) = value.multipliedReportingOverflow(by: 10)
      let (sum, o2) = tens.addingReportingOverflow(Int128(digit - 48))
      if o || o2 { throw .tooLarge }
      value = sum
    }
    let (scaled, overflow) = value.multipliedReportingOverflow(by: unit)
    if overflow { throw .tooLarge }
    value = scaled
    var place = unit
    for digit in fraction.utf8 where place > 0 {
      let isLast = place % 10 != 0
      // With a unit that is not a multiple of ten, the result is exact only for some digits.
      let (part, rest) = (Int128(digit - 48) * place).quotientAndRemainder(dividingBy: 10)
      if rest != 0 { throw .tooFine }
      let (sum, overflow) = value.addingReportingOverflow(part)
      if overflow { throw .tooLarge }
      value = sum
      place = isLast ? 0 : place / 10
    }
    // Digits beyond the smallest unit must be zeros.
    guard fraction.utf8.dropFirst(places(of: unit)).allSatisfy({ $0 == 48 }) else { throw .tooFine }
    return value
  }

  /// How many decimals of `unit` can be represented.
  private func places(of unit: Int128) -> Int {
    var unit = unit
    var places = 1
    while unit % 10 == 0 {
      unit /= 10
      places += 1
    }
    return places
  }
}

/// `value` divided by `unit`, a power of ten, in decimal without trailing zeros.
func decimalText(_ value: Int128, per unit: Int128) -> String {
  let (whole, rest) = value.quotientAndRemainder(dividingBy: unit)
  if rest == 0 { return String(whole) }
  var digits = String(rest)
  digits = String(repeating: "0", count: String(unit).count - 1 - digits.count) + digits
  while digits.last == "0" { digits.removeLast() }
  return "\(whole).\(digits)"
}
