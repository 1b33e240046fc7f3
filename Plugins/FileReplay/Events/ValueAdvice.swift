internal import MarketData

/// What to write in place of a value of a row that was none because others write it differently; empty where nothing is likely.
enum ValueAdvice {
  /// Longer ones are no number or time in any notation.
  private static let limit = 48

  /// `; write 12.50, without the currency sign`.
  static func number(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
    guard bytes.count <= limit, let text = String(validating: bytes, as: UTF8.self) else { return "" }
    var rest = Array(text.unicodeScalars)
    var reasons: [String] = []
    var sign = ""
    func takeSign() {
      guard sign.isEmpty, let first = rest.first, first == "-" || first == "+" else { return }
      if first == "-" { sign = "-" }
      rest.removeFirst()
    }
    takeSign()
    if takeCurrency(&rest) { reasons.append("without the currency") }
    takeSign()
    if rest.last == "%" {
      rest.removeLast()
      reasons.append("without the per cent sign")
    }
    guard let number = Grouped(rest) else { return "" }
    reasons += number.reasons
    if reasons.isEmpty { return "" }
    let other = number.other.map { " or \(sign)\($0)" } ?? ""
    return "; write \(sign)\(number.plain)\(other), \(reasons.joined(separator: ", "))"
  }

  /// Cuts `$`, `EUR` and the like off either end; false where there is none.
  private static func takeCurrency(_ text: inout [Unicode.Scalar]) -> Bool {
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
    while let first = text.first, Grouped.isBlank(first) { text.removeFirst() }
    while let last = text.last, Grouped.isBlank(last) { text.removeLast() }
    return true
  }

  /// A number with a mark between its thousands, or with a decimal comma.
  private struct Grouped {
    var plain: String
    /// The other number that it may be.
    var other: String?
    var reasons: [String] = []

    static func isBlank(_ scalar: Unicode.Scalar) -> Bool { [" ", "\u{a0}", "\u{2009}", "\u{202f}"].contains(scalar) }
    private static func isMark(_ scalar: Unicode.Scalar) -> Bool { isBlank(scalar) || [",", ".", "'", "\u{2019}"].contains(scalar) }
    private static let thousands = "without marks between thousands"
    private static let point = "with a decimal point"

    init?(_ text: [Unicode.Scalar]) {
      let pieces = text.split(omittingEmptySubsequences: false, whereSeparator: Self.isMark)
        .map { String(String.UnicodeScalarView($0)) }
      guard pieces.allSatisfy({ $0.utf8.allSatisfy { (48...57).contains($0) } }), pieces.contains(where: { !$0.isEmpty }) else {
        return nil
      }
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
        // All but the last stand between thousands.
        let whole = pieces.dropLast()
        guard Set(marks.dropLast()).count == 1, last == "," || last == ".", (1...3).contains(whole[0].utf8.count),
          whole.dropFirst().allSatisfy({ $0.utf8.count == 3 }), let decimals = pieces.last
        else { return nil }
        plain = whole.joined() + "." + decimals
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
        // As Americans write thousands, and others three decimals.
        other = pieces.joined()
        reasons = ["whichever is meant: a comma is read as neither"]
      }
    }
  }

  /// `; dates are read with the year first: write 2024-03-01 or 2024-01-03, whichever is meant`.
  static func time(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
    guard bytes.count <= limit, let text = String(validating: bytes, as: UTF8.self) else { return "" }
    let date = text.prefix { $0 != " " && $0 != "T" && $0 != "," }
    let marks = date.filter { !$0.isASCII || !$0.isNumber }
    let pieces = date.split(omittingEmptySubsequences: false) { !$0.isASCII || !$0.isNumber }
    if marks.first == ":", pieces.allSatisfy({ $0.count <= 2 }), pieces[0].count > 0 {
      return "; a time of day needs its date before it, as in 2013-10-08T09:30:00"
    }
    if Set(marks).count == 1, marks.count == 2, let mark = marks.first, "./-".contains(mark) {
      let meant = dates(pieces.map { Int($0) ?? 0 }, widths: pieces.map(\.count)).map(written)
      if meant == [String(date)] { return "" }
      if let first = meant.first {
        let rest = meant.count > 1 ? " or \(meant[1]), whichever is meant: no other order is read" : ""
        return "; dates are read with the year first: write \(first)\(rest)"
      }
      let isPlain = mark == "-" && pieces[0].count == 4
      return isPlain ? "" : "; dates are read as 2013-10-08, the year first and with four digits"
    }
    let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
    let small = text.lowercased()
    if small.contains(where: \.isNumber), months.contains(where: { small.contains($0) }) {
      return "; dates are read as 2013-10-08, times as 2013-10-08T13:30:00Z"
    }
    return ""
  }

  private static func written(_ date: CivilDate) -> String {
    func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(date.year)-\(padded(date.month))-\(padded(date.day))"
  }

  /// The days that three numbers may name, with a year of four digits.
  private static func dates(_ numbers: [Int], widths: [Int]) -> [CivilDate] {
    var dates: [CivilDate] = []
    func add(_ year: Int, _ month: Int, _ day: Int) {
      guard let date = CivilDate(year: year, month: month, day: day), !dates.contains(date) else { return }
      dates.append(date)
    }
    if widths[0] == 4, widths[1] <= 2, widths[2] <= 2 {
      add(numbers[0], numbers[1], numbers[2])
    } else if widths[2] == 4, widths[0] <= 2, widths[1] <= 2 {
      add(numbers[2], numbers[1], numbers[0])
      add(numbers[2], numbers[0], numbers[1])
    }
    return dates
  }
}
