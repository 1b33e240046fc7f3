internal import MarketData
internal import StockbusPlugin

/// How times are written in a file, as in `MM/dd/yyyy HH:mm:ss.SSS`; compiled once, and strict.
///
/// `yyyy` or `yy`, `MM`, `dd`, `HH` (or `hh` with `a` for AM and PM), `mm` and `ss` are numbers of two digits, and with one letter (`M`, `d`,
/// `H`) of one or two. `SSS` are three digits of a fraction, `S` is any number of them. `MMM` and `MMMM` are English months, `EEE` and `EEEE`
/// days of the week. `X` is an offset from UTC: `Z`, `+01`, `+0100`, `+01:00`. `T` and text in single quotes stand for themselves; `Z`, `UTC`
/// and `GMT` also say that the time is in UTC. Other characters stand for themselves; a blank also for the no-break blanks.
struct TimePattern: Hashable, Sendable {
  /// Why a text is no pattern, in one sentence.
  struct Fault: Error {
    let message: String
  }
  enum Unit: Int, Sendable {
    case year, month, day, hour, halfHour, minute, second, fraction
  }
  enum Part: Hashable, Sendable {
    case number(Unit, ClosedRange<Int>)
    case month(isLong: Bool)
    case weekday(isLong: Bool)
    case half, offset
    case literal([UInt8])
    /// Text that says that the time is in UTC.
    case utc([UInt8])
  }
  /// A time as it was written.
  struct Reading {
    /// Nil if the pattern has no date.
    var date: CivilDate?
    /// Since midnight by the clock; nil if the pattern has no time of day.
    var second: Int?
    var nanosecond: Int64 = 0
    /// Seconds east of Greenwich; nil if nothing says it.
    var offset: Int?
    /// True if digits after the ninth decimal were cut off.
    var isFiner = false
  }

  /// The pattern as it is written in a configuration.
  let text: String
  let parts: [Part]
  let hasDate: Bool
  let hasClock: Bool

  init(_ text: String) throws(Fault) {
    self.text = text
    if text.utf8.count > 64 { throw Fault(message: "a pattern has at most 64 characters") }
    var parts: [Part] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.first {
      let run = rest.prefix { $0 == byte }.count
      if let word = ["UTC", "GMT", "Z", "T"].first(where: { rest.starts(with: $0.utf8) }) {
        parts.append(word == "T" ? .literal([byte]) : .utc(Array(word.utf8)))
        rest = rest.dropFirst(word.utf8.count)
      } else if byte == 39 {
        parts.append(try Self.quoted(&rest))
      } else if (65...90).contains(byte & 0xdf), byte < 128 {
        parts.append(try Self.part(Character(Unicode.Scalar(byte)), run))
        rest = rest.dropFirst(run)
      } else {
        parts.append(.literal([byte]))
        rest = rest.dropFirst()
      }
    }
    self.parts = parts
    func has(_ unit: Unit) -> Bool { parts.contains { if case .number(unit, _) = $0 { true } else { false } } }
    let hasMonth = has(.month) || parts.contains { if case .month = $0 { true } else { false } }
    hasDate = has(.year) || hasMonth || has(.day)
    hasClock = has(.hour) || has(.halfHour)
    if hasDate, !(has(.year) && hasMonth && has(.day)) { throw Fault(message: "a date needs a year, a month and a day: yyyy, MM, dd") }
    if !hasClock, has(.minute) || has(.second) || has(.fraction) || !hasDate {
      throw Fault(message: "there is no hour, HH: MM is the month, mm the minute")
    }
    if has(.halfHour) != parts.contains(.half) { throw Fault(message: "hh and a belong together: 12 hours need AM or PM; 24 hours are HH") }
    let units = parts.compactMap { part -> Int? in
      switch part {
      case .number(let unit, _): unit == .halfHour ? Unit.hour.rawValue : unit.rawValue
      case .month: Unit.month.rawValue
      default: nil
      }
    }
    if Set(units).count < units.count { throw Fault(message: "a part is there twice; MM is the month, mm the minute") }
  }

  private static func part(_ letter: Character, _ count: Int) throws(Fault) -> Part {
    let widths = count == 1 ? 1...2 : count...count
    switch (letter, count) {
    case ("y", 2), ("y", 4): return .number(.year, widths)
    case ("M", 1...2): return .number(.month, widths)
    case ("M", 3...4): return .month(isLong: count == 4)
    case ("E", 3...4): return .weekday(isLong: count == 4)
    case ("d", 1...2): return .number(.day, widths)
    case ("H", 1...2): return .number(.hour, widths)
    case ("h", 1...2): return .number(.halfHour, widths)
    case ("m", 1...2): return .number(.minute, widths)
    case ("s", 1...2): return .number(.second, widths)
    case ("S", 1...12): return .number(.fraction, count == 1 ? 1...12 : widths)
    case ("a", 1): return .half
    case ("X", _): return .offset
    default:
      throw Fault(
        message:
          "'\(String(repeating: letter, count: min(count, 8)))' is no part of a time; there are yyyy, MM, dd, HH, mm, ss, SSS, hh with a, "
          + "MMM, EEE and X, and text in single quotes")
    }
  }

  /// The text in single quotes at the start of `rest`; two quotes are one.
  private static func quoted(_ rest: inout ArraySlice<UInt8>) throws(Fault) -> Part {
    let text = rest.dropFirst().prefix { $0 != 39 }
    rest = rest.dropFirst(text.count + 1)
    if rest.isEmpty { throw Fault(message: "a single quote is not closed") }
    rest = rest.dropFirst()
    if text.isEmpty { return .literal([39]) }
    let isUTC = ["UTC", "GMT", "Z"].contains { $0.utf8.elementsEqual(text) }
    return isUTC ? .utc(Array(text)) : .literal(Array(text))
  }

  // MARK: Reading

  /// The time in a text that fits from its first byte to its last; nil for any other.
  func read(_ text: UnsafeBufferPointer<UInt8>) -> Reading? {
    var reading = Reading()
    var (year, month, day, hour, minute, second) = (0, 0, 0, 0, 0, 0)
    var isAfternoon: Bool?
    var at = 0
    for part in parts {
      switch part {
      case .literal(let literal): guard Self.take(literal, text, &at) else { return nil }
      case .utc(let literal):
        guard Self.take(literal, text, &at) else { return nil }
        reading.offset = 0
      case .number(.fraction, let widths):
        guard let width = Self.fraction(text, &at, widths, &reading) else { return nil }
        at += width
      case .number(let unit, let widths):
        guard let number = Self.number(text, &at, widths) else { return nil }
        switch unit {
        case .year: year = widths.upperBound == 4 ? number : number + (number < 70 ? 2000 : 1900)
        case .month: month = number
        case .day: day = number
        case .hour where number < 24: hour = number
        case .halfHour where (1...12).contains(number): hour = number % 12
        case .minute where number < 60: minute = number
        case .second where number < 60: second = number
        default: return nil
        }
      case .month(let isLong):
        guard let place = Self.name(text, &at, Self.months, isLong) else { return nil }
        month = place + 1
      case .weekday(let isLong): guard Self.name(text, &at, Self.weekdays, isLong) != nil else { return nil }
      case .half:
        guard let place = Self.name(text, &at, ["am", "pm"], true) else { return nil }
        isAfternoon = place == 1
      case .offset:
        guard let offset = Self.offset(text, &at) else { return nil }
        reading.offset = offset
      }
    }
    guard at == text.count else { return nil }
    if hasDate {
      guard let date = CivilDate(year: year, month: month, day: day) else { return nil }
      reading.date = date
    }
    if hasClock { reading.second = (hour + (isAfternoon == true ? 12 : 0)) * 3600 + minute * 60 + second }
    return reading
  }

  private static let months = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december",
  ]
  private static let weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

  private static func take(_ literal: [UInt8], _ text: UnsafeBufferPointer<UInt8>, _ at: inout Int) -> Bool {
    if text[at...].starts(with: literal) {
      at += literal.count
      return true
    }
    // The no-break blanks that many programs write before AM and PM.
    guard literal == [32], let blank = [[0xe2, 0x80, 0xaf], [0xc2, 0xa0]].first(where: { text[at...].starts(with: $0) }) else {
      return false
    }
    at += blank.count
    return true
  }

  private static func number(_ text: UnsafeBufferPointer<UInt8>, _ at: inout Int, _ widths: ClosedRange<Int>) -> Int? {
    let digits = text[at...].prefix(widths.upperBound).prefix { $0 &- 48 < 10 }
    guard digits.count >= widths.lowerBound else { return nil }
    at += digits.count
    return digits.reduce(0) { $0 * 10 + Int($1 - 48) }
  }

  private static func fraction(
    _ text: UnsafeBufferPointer<UInt8>, _ at: inout Int, _ widths: ClosedRange<Int>, _ reading: inout Reading
  ) -> Int? {
    let digits = text[at...].prefix(widths.upperBound).prefix { $0 &- 48 < 10 }
    guard digits.count >= widths.lowerBound else { return nil }
    var unit: Int64 = 100_000_000
    for digit in digits {
      if unit == 0, digit != 48 { reading.isFiner = true }
      reading.nanosecond += Int64(digit - 48) * unit
      unit /= 10
    }
    return digits.count
  }

  /// The place of the name at `at`, in any case; short names are the first three letters.
  private static func name(_ text: UnsafeBufferPointer<UInt8>, _ at: inout Int, _ names: [String], _ isLong: Bool) -> Int? {
    let place = names.firstIndex { name in
      let wanted = isLong ? name.utf8.prefix(20) : name.utf8.prefix(3)
      return text[at...].prefix(wanted.count).elementsEqual(wanted) { $0 | 0x20 == $1 }
    }
    if let place { at += isLong ? names[place].utf8.count : 3 }
    return place
  }

  private static func offset(_ text: UnsafeBufferPointer<UInt8>, _ at: inout Int) -> Int? {
    guard at < text.count else { return nil }
    let sign = text[at]
    at += 1
    if sign == 90 { return 0 }
    guard sign == 43 || sign == 45, let hours = number(text, &at, 2...2) else { return nil }
    if at < text.count, text[at] == 58 { at += 1 }
    let minutes = number(text, &at, 2...2)
    guard hours <= 18, minutes ?? 0 < 60, minutes != nil || text[at - 1] != 58 else { return nil }
    return (hours * 3600 + (minutes ?? 0) * 60) * (sign == 45 ? -1 : 1)
  }
}

extension TimePattern {
  /// True for a month's or weekday's name, in full or its first three letters; for the guess of a pattern.
  static func namePart(_ word: String) -> String? {
    let word = word.lowercased()
    for (names, letter) in [(months, "M"), (weekdays, "E")] {
      // May is its own short name.
      if names.contains(where: { $0.prefix(3) == word }) { return String(repeating: letter, count: 3) }
      if names.contains(word) { return String(repeating: letter, count: 4) }
    }
    return nil
  }
}
