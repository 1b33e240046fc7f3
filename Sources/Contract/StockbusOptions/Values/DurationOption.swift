/// A duration is written as numbers with units, larger units first: `250ms`, `1.5s`, `1h30m`, `-5m`.
///
/// Units are `d` (24 hours), `h`, `m`, `s`, `ms`, `us` or `µs`, and `ns`. Exact to the attosecond, without `Double`.
extension Duration: ScalarOption {
  public init(option text: String) throws(OptionTextError) {
    var rest = text[...]
    let isNegative = rest.first == "-"
    if isNegative { rest = rest.dropFirst() }
    guard !rest.isEmpty else { throw .mismatch }
    var total: Int128 = 0
    var smallest = Int128.max
    while !rest.isEmpty {
      let begin = rest
      guard let number = DecimalText(&rest) else { throw Self.rewritten(text).map { .hint("write \($0)") } ?? .mismatch }
      let name = rest.prefix { $0.isLetter }
      rest = rest.dropFirst(name.count)
      guard let unit = Self.units.first(where: { $0.names.contains(String(name)) }) else {
        throw Self.unknownUnit(name, in: text, number: begin, isAlone: begin.count == text.count - (isNegative ? 1 : 0) && rest.isEmpty)
      }
      guard unit.attoseconds < smallest else { throw .hint("write each unit once, the larger ones first") }
      smallest = unit.attoseconds
      do throws(DecimalText.Failure) {
        let (sum, overflow) = total.addingReportingOverflow(try number.times(unit.attoseconds))
        if overflow { throw .tooLarge }
        total = sum
      } catch {
        throw .because(error == .tooFine ? "finer than an attosecond" : "too long")
      }
    }
    if isNegative { total = -total }
    let (seconds, attoseconds) = total.quotientAndRemainder(dividingBy: Self.second)
    guard let seconds = Int64(exactly: seconds) else { throw .because("too long") }
    self.init(secondsComponent: seconds, attosecondsComponent: Int64(attoseconds))
  }

  private static let second: Int128 = 1_000_000_000_000_000_000

  private static let units: [(names: [String], attoseconds: Int128)] = [
    (["d"], second * 86_400), (["h"], second * 3600), (["m"], second * 60), (["s"], second), (["ms"], second / 1000),
    (["us", "\u{b5}s", "\u{3bc}s"], second / 1_000_000), (["ns"], second / 1_000_000_000),
  ]

  private static func unknownUnit(_ name: Substring, in text: String, number: Substring, isAlone: Bool) -> OptionTextError {
    if let rewritten = rewritten(text) { return .hint("write \(rewritten)") }
    if !name.isEmpty { return .hint("units are d, h, m, s, ms, us and ns") }
    // A plain number may have been meant in any unit.
    return isAlone && text.count <= 20 ? .hint("write a unit, such as \(text)s") : .mismatch
  }

  /// `5 minutes`, `90 sec` or `1H 30M` as it is written here; nil for any other text.
  static func rewritten(_ text: String) -> String? {
    var rest = text.lowercased()[...]
    var out = ""
    func skipBlanks() { rest = rest.drop { $0 == " " } }
    while !rest.isEmpty, out.utf8.count < 40 {
      let begin = rest
      guard DecimalText(&rest) != nil else { return nil }
      out += begin[..<rest.startIndex]
      skipBlanks()
      let name = rest.prefix { $0.isLetter }
      rest = rest.dropFirst(name.count)
      skipBlanks()
      guard let unit = words.first(where: { $0.words.contains(String(name)) })?.unit else { return nil }
      out += unit
    }
    return (try? Duration(option: out)) == nil ? nil : out
  }

  private static let words: [(unit: String, words: [String])] = [
    ("d", ["d", "day", "days"]), ("h", ["h", "hr", "hrs", "hour", "hours"]), ("m", ["m", "min", "mins", "minute", "minutes"]),
    ("s", ["s", "sec", "secs", "second", "seconds"]), ("ms", ["ms", "msec", "millis", "millisecond", "milliseconds"]),
    ("us", ["us", "usec", "microsecond", "microseconds"]), ("ns", ["ns", "nanosecond", "nanoseconds"]),
  ]

  public static var optionType: OptionType { OptionType("duration", plural: "durations", phrase: "a duration such as 250ms") }
  public static var optionSample: String { "250ms" }
  public static var optionSchema: JSONValue { OptionSchema.text(#"-?([0-9]+(\.[0-9]+)?(d|h|ms|m|us|µs|μs|ns|s))+"#) }

  /// The duration rounded for people: three significant digits below a minute, whole seconds above. `5s`, `1.23s`, `12.3ms`, `1h2m5s`.
  public var roughText: String {
    let total = attoseconds
    let magnitude = abs(total)
    var step: Int128 = 1
    while magnitude / step >= 1000, step < Self.second { step *= 10 }
    if magnitude >= 60 * Self.second { step = Self.second }
    let rounded = (magnitude + step / 2) / step * step * (total < 0 ? -1 : 1)
    let (whole, rest) = rounded.quotientAndRemainder(dividingBy: Self.second)
    // Rounding up the largest duration overflows.
    guard let whole = Int64(exactly: whole) else { return optionText }
    return Duration(secondsComponent: whole, attosecondsComponent: Int64(rest)).optionText
  }

  /// The duration in customary units, exact: `1d12h`, `1m30s`, `1.5s`, `250ms`, `0.5ns`.
  public var optionText: String {
    var total = attoseconds
    if total == 0 { return "0s" }
    let sign = total < 0 ? "-" : ""
    total = abs(total)  // cannot overflow, as seconds have 64 bits
    if total < Self.second {
      let unit = Self.units.dropFirst(4).first { $0.attoseconds <= total } ?? Self.units[6]
      return sign + decimalText(total, per: unit.attoseconds) + unit.names[0]
    }
    var text = sign
    for unit in Self.units.prefix(3) where total >= unit.attoseconds {
      text += "\(total / unit.attoseconds)\(unit.names[0])"
      total %= unit.attoseconds
    }
    return total == 0 ? text : text + decimalText(total, per: Self.second) + "s"
  }
}
