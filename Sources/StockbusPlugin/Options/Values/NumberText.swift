/// Numbers as people write them elsewhere: `$500`, `1,000.5`, `1.000,5`, `500,5`, `500 USD`.
public enum NumberText {
  /// What to write in place of a text that is none of our numbers, such as `write 1000.5: numbers have a point before their decimals, and no
  /// other marks`; nil where it looks like no number. It repeats digits of the text.
  public static func advice(_ text: String) -> String? {
    let scalars = Array(text.unicodeScalars.prefix(41))
    // Longer than any number that somebody would write.
    if scalars.count > 40 { return nil }
    guard let first = scalars.firstIndex(where: isDigit), let last = scalars.lastIndex(where: isDigit) else { return nil }
    let (before, number, behind) = (scalars[..<first], Array(scalars[first...last]), scalars[(last + 1)...])
    guard isCurrency(behind), let sign = sign(before), let plain = plain(number) else { return nil }
    let written = sign + plain
    if written == text { return nil }
    if text.contains("%") { return "write \(written)%\(reason)" }
    let isExact = before.count == sign.unicodeScalars.count && behind.isEmpty
    return "write \(written)" + (isExact ? reason : ": prices are written without a currency")
  }

  private static let reason = ": decimals stand behind a point, and thousands without marks"

  private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { (48...57).contains(scalar.value) }

  /// What stands before the digits: a sign, a currency, both.
  private static func sign(_ scalars: ArraySlice<Unicode.Scalar>) -> String? {
    let minus = scalars.filter { $0 == "-" || $0 == "\u{2212}" }
    let rest = scalars.filter { $0 != "-" && $0 != "\u{2212}" && $0 != "+" }
    return minus.count <= 1 && isCurrency(rest[...]) ? (minus.isEmpty ? "" : "-") : nil
  }

  /// True of nothing, of `%`, and of a currency by its sign or its three letters.
  private static func isCurrency(_ scalars: ArraySlice<Unicode.Scalar>) -> Bool {
    let word = scalars.filter { !$0.properties.isWhitespace }
    if word.isEmpty || word == ["%"] { return true }
    if word.count <= 3, word.contains(where: { $0.properties.generalCategory == .currencySymbol }) {
      return word.allSatisfy { $0.properties.generalCategory == .currencySymbol || ("A"..."Z").contains($0) }
    }
    return word.count == 3 && word.allSatisfy { ("A"..."Z").contains($0) }
  }

  /// The digits with a point before the decimals; nil where it cannot be told what the marks mean.
  private static func plain(_ number: [Unicode.Scalar]) -> String? {
    var digits: [String] = [""]
    var marks: [Unicode.Scalar] = []
    for scalar in number {
      if isDigit(scalar) {
        digits[digits.count - 1].unicodeScalars.append(scalar)
      } else if [",", ".", "'", "_", " ", "\u{a0}", "\u{202f}", "\u{2019}"].contains(scalar) {
        marks.append(scalar)
        digits.append("")
      } else {
        return nil
      }
    }
    if digits.contains("") { return nil }
    guard let last = marks.last else { return digits[0] }
    func areGroups(_ groups: ArraySlice<String>) -> Bool {
      (1...3).contains(groups[0].count) && groups.dropFirst().allSatisfy { $0.count == 3 }
    }
    // The last mark is the decimal one where it is another than those before it, or a point or comma alone.
    let isOther = marks.dropLast().allSatisfy { $0 != last } && (last == "." || last == ",")
    let isSame = Set(marks.dropLast()).count <= 1
    guard isSame else { return nil }
    if isOther, marks.count > 1 {
      return areGroups(digits.dropLast()) ? digits.dropLast().joined() + "." + (digits.last ?? "") : nil
    }
    if marks.count == 1, last == "." || (last == "," && !areGroups(digits[...])) { return digits.joined(separator: ".") }
    return areGroups(digits[...]) ? digits.joined() : nil
  }
}
