internal import StockbusPlugin

/// Hints for malformed values that are written in another notation; empty if none is likely.
enum ValueAdvice {
  /// Longer texts are not a number or time in any notation.
  private static let limit = 48

  /// `; write 12.50, without the currency`; with the value of `numbers` that reads it, if there is one.
  static func number(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
    guard bytes.count <= limit, let text = String(validating: bytes, as: UTF8.self) else { return "" }
    guard let advice = NumberText.advice(text) else { return "" }
    let (grouped, comma) = (NumberForm.grouped.number(bytes), NumberForm.comma.number(bytes))
    let forms = [grouped == nil ? nil : "'numbers: grouped'", comma == nil || comma == grouped ? nil : "'numbers: comma'"].compactMap(
      \.self)
    return "; \(advice)" + (forms.isEmpty ? "" : ", or set \(forms.joined(separator: " or "))")
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
      let meant = dates(pieces.map { Int($0) ?? 0 }, widths: pieces.map(\.count)).map(\.iso)
      if meant == [String(date)] { return "" }
      if let first = meant.first {
        let rest = meant.count > 1 ? " or \(meant[1]), whichever is meant; only this order is read" : ""
        return "; dates are read with the year first: write \(first)\(rest)"
      }
      let isPlain = mark == "-" && pieces[0].count == 4
      return isPlain ? "" : "; dates are read as 2013-10-08, the year first and with four digits"
    }
    if CompactTime.isDate(bytes) { return "; 'time: yyyymmdd' reads dates and times without separators" }
    let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
    let small = text.lowercased()
    if small.contains(where: \.isNumber), months.contains(where: { small.contains($0) }) {
      return "; dates are read as 2013-10-08, times as 2013-10-08T13:30:00Z"
    }
    return ""
  }

  /// The dates that three numbers may mean, with a year of four digits.
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
