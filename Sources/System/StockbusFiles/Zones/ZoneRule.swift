internal import MarketData

/// A yearly rule for the offset, in the form of the environment variable TZ (POSIX, chapter 8.3, with the hours of RFC 9636, section
/// 3.3.1): `EST5EDT,M3.2.0,M11.1.0`.
struct ZoneRule: Hashable {
  /// Why a text is not a valid rule.
  struct Problem: Error, Hashable {
    /// The position of the error, counted from 0.
    var place: Int
    var reason: String
  }
  /// A day of every year.
  private enum Day: Hashable {
    /// 1 to 365; 29 February is never counted.
    case julian(Int)
    /// 0 to 365, counting 29 February.
    case ofYear(Int)
    /// A weekday (0 is Sunday) of a month: the first to the fourth one, or the last one for 5.
    case weekday(month: Int, week: Int, day: Int)
  }
  /// When clocks change: seconds after a day's midnight, by the local time before the change.
  private struct Change: Hashable {
    var day: Day
    var seconds: Int
  }
  private struct Summer: Hashable {
    var offset: Int
    var begins: Change
    var ends: Change
  }

  /// Seconds east of Greenwich.
  private var standard: Int
  private var summer: Summer?

  /// The offset at `time`, in seconds east of Greenwich: that after the last change of this year, of the year before, or of the next year,
  /// which zones far from Greenwich may already have reached.
  func offset(at time: Int) -> Int {
    guard let summer else { return standard }
    // Far beyond the range of a timestamp, where the calculation could overflow.
    guard time.magnitude < 1 << 40 else { return standard }
    let year = CivilDate(daysSinceEpoch: time.quotient(by: 86_400)).year
    var latest = (at: Int.min, offset: standard)
    for year in (year - 1)...(year + 1) {
      let begin = Self.moment(summer.begins, year) - standard
      let end = Self.moment(summer.ends, year) - summer.offset
      for change in begin < end ? [(begin, summer.offset), (end, standard)] : [(end, standard), (begin, summer.offset)] {
        // If one summer ends when the next begins, summer time lasts all year.
        if change.0 <= time, change.0 >= latest.at { latest = change }
      }
    }
    return latest.offset
  }

  /// The changes of the years from `first` to `last`, in seconds since the epoch, ascending; at the same time the later one applies.
  func changes(from first: Int, through last: Int) -> [(time: Int, offset: Int)] {
    guard let summer, first <= last else { return [] }
    let both = (first...last).flatMap { year in
      let begin = Self.moment(summer.begins, year) - standard
      let end = Self.moment(summer.ends, year) - summer.offset
      return begin < end ? [(begin, summer.offset), (end, standard)] : [(end, standard), (begin, summer.offset)]
    }
    return both.enumerated().sorted { ($0.element.0, $0.offset) < ($1.element.0, $1.offset) }.map { ($0.element.0, $0.element.1) }
  }

  /// The local time of a change, as if it were UTC.
  private static func moment(_ change: Change, _ year: Int) -> Int { dayNumber(change.day, year) * 86_400 + change.seconds }

  /// Days since the epoch.
  private static func dayNumber(_ day: Day, _ year: Int) -> Int {
    func number(_ month: Int) -> Int { CivilDate(year: year, month: month, day: 1)?.daysSinceEpoch ?? 0 }
    let newYear = number(1)
    switch day {
    case .julian(let number):
      let isLeap = CivilDate(year: year, month: 2, day: 29) != nil
      return newYear + number - 1 + (isLeap && number >= 60 ? 1 : 0)
    case .ofYear(let number): return newYear + number
    case .weekday(let month, let week, let day):
      let first = number(month)
      // 1970-01-01 was a Thursday.
      let weekday = (first + 4).remainder(by: 7)
      var found = first + (day - weekday + 7) % 7 + (week - 1) * 7
      let next = month == 12 ? first + 31 : number(month + 1)
      while found >= next { found -= 7 }
      return found
    }
  }
}

extension Int {
  /// Floor division, which also rounds negative numbers down.
  fileprivate func quotient(by divisor: Int) -> Int { (self - remainder(by: divisor)) / divisor }
  fileprivate func remainder(by divisor: Int) -> Int { (self % divisor + divisor) % divisor }
}

// MARK: - Reading

extension ZoneRule {
  /// Throws if the text is not a rule, or names a summer time without its beginning and end.
  init(_ text: [UInt8]) throws(Problem) {
    var reader = Reader(text: text)
    try reader.name()
    standard = -(try reader.time(hours: 24))
    if !reader.isAtEnd {
      try reader.name()
      let offset = reader.peek == 44 ? standard + 3600 : -(try reader.time(hours: 24))
      summer = Summer(offset: offset, begins: try reader.change(), ends: try reader.change())
    }
    if !reader.isAtEnd { throw reader.problem("the end is expected") }
  }

  private struct Reader {
    let text: [UInt8]
    var at = 0

    var isAtEnd: Bool { at == text.count }
    var peek: UInt8 { isAtEnd ? 0 : text[at] }

    func problem(_ reason: String) -> Problem { Problem(place: at, reason: reason) }

    mutating func expect(_ byte: UInt8) throws(Problem) {
      guard peek == byte else { throw problem("'\(Unicode.Scalar(byte))' is expected") }
      at += 1
    }

    /// A name: at least three letters, or letters, digits and signs in angle brackets.
    mutating func name() throws(Problem) {
      let start = at
      let isQuoted = peek == 60
      if isQuoted { at += 1 }
      while isLetter(peek) || (isQuoted && (peek &- 48 < 10 || peek == 43 || peek == 45)) { at += 1 }
      if isQuoted { try expect(62) }
      if at - start < 3 {
        at = start
        throw problem("a name is expected")
      }
    }

    private func isLetter(_ byte: UInt8) -> Bool { (byte | 32) &- 97 < 26 }

    /// A number of at most four digits in a range.
    mutating func number(_ range: ClosedRange<Int>) throws(Problem) -> Int {
      let start = at
      var value = 0
      while peek &- 48 < 10, at - start < 4 {
        value = value * 10 + Int(peek - 48)
        at += 1
      }
      if at == start || !range.contains(value) {
        at = start
        throw problem("a number from \(range.lowerBound) to \(range.upperBound) is expected")
      }
      return value
    }

    /// A time such as `5`, `-3:30`, `+01:00:00`, in seconds.
    mutating func time(hours: Int) throws(Problem) -> Int {
      let isNegative = peek == 45
      if isNegative || peek == 43 { at += 1 }
      var seconds = try number(0...hours) * 3600
      for unit in [60, 1] where peek == 58 {
        at += 1
        seconds += try number(0...59) * unit
      }
      return isNegative ? -seconds : seconds
    }

    /// A change such as `,M3.2.0/2`.
    mutating func change() throws(Problem) -> Change {
      try expect(44)
      let day: Day
      switch peek {
      case 74:
        at += 1
        day = .julian(try number(1...365))
      case 77:
        at += 1
        let month = try number(1...12)
        try expect(46)
        let week = try number(1...5)
        try expect(46)
        day = .weekday(month: month, week: week, day: try number(0...6))
      default: day = .ofYear(try number(0...365))
      }
      if peek != 47 { return Change(day: day, seconds: 7200) }
      at += 1
      return Change(day: day, seconds: try time(hours: 167))
    }
  }
}
