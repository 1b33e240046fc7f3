internal import MarketData
internal import StockbusFiles

/// Reads times in one format.
struct TimeDecoder: ~Copyable {
  private let format: TimeFormat
  private let pattern: TimePattern?
  private let date: CivilDate?
  private let readsNumbers: Bool
  private let finer: FinerTimes
  private let unit: UInt64  // 0 if the format is not a plain number
  private let origin: Int64  // ns since the epoch from which times are counted
  private let length: Int64  // the length of the day in ns; Int64.max for the epoch
  /// True if whole numbers are times since the epoch.
  let isEpoch: Bool
  var text: ISOTime
  private let now: @Sendable () -> Timestamp
  private let earliest: Timestamp
  /// The guessed meanings of numbers that have arrived in the format `auto`.
  private var guesses: [TimeGuess] = []
  // The whole numbers that `quick` reads, from `least` on, and their unit.
  private var least: UInt64
  private var width: UInt64
  private var quickUnit: UInt64

  /// `date` is only needed by the formats since midnight and patterns without a date, `now` by `auto`.
  init(
    form: TimeForm, zone: ZoneRules?, date: CivilDate?, finer: FinerTimes = .reject,
    now: @escaping @Sendable () -> Timestamp = { Timestamp(ns: .max) }, earliest: Timestamp = TimeGuess.earliest
  ) {
    self.earliest = earliest
    let format = form.format
    self.format = format
    readsNumbers = format.readsNumbers
    pattern = form.pattern
    self.date = date
    self.finer = finer
    self.now = now
    unit = format.unit ?? 0
    text = ISOTime(zone: zone, finer: finer)
    isEpoch = format == .auto || (unit > 0 && !format.isSinceMidnight)
    // No number fits until the first one has been judged.
    (least, width, quickUnit) = unit == 0 ? (.max, 0, 0) : (0, UInt64(Int64.max) / unit, unit)
    if format.isSinceMidnight, let date {
      var zone = zone
      let begin = zone?.begin(ofDay: date.daysSinceEpoch) ?? date.daysSinceEpoch * 86_400
      let next = zone?.begin(ofDay: date.daysSinceEpoch + 1) ?? begin + 86_400
      origin = Int64(begin) &* 1_000_000_000
      length = Int64(next - begin) * 1_000_000_000
    } else {
      origin = 0
      length = .max
    }
  }

  /// The time in a row's field. In the format `auto`, throws `unsettledTime` for a number that `settle` has not judged.
  mutating func time(_ slot: RowSlot, _ field: Int) throws(FieldProblem) -> Timestamp {
    if slot.kind == .number, readsNumbers { return try number(slot.number, slot, field) }
    if slot.kind == .text {
      if unit == 0, slot.count >= 10, slot.start[4] == 45, let time = text.quick(slot.start, slot.count, format) { return time }
      if readsNumbers {
        var p = slot.start
        if let number = Decimal.scan(&p, .loose), p == slot.start + slot.count { return try self.number(number, slot, field) }
      }
    }
    return try slow(slot, field)
  }

  /// The time of a whole number since the epoch, if `isEpoch`; nil if it does not fit.
  @inline(always)
  func quick(_ whole: UInt64) -> Int64? {
    whole &- least <= width ? Int64(truncatingIfNeeded: whole &* quickUnit) : nil
  }

  private mutating func number(_ number: Decimal, _ slot: RowSlot, _ field: Int) throws(FieldProblem) -> Timestamp {
    if unit != 0 { return try epoch(number, slot, field, unit) }
    switch format {
    case .compact: return try compact(slot, field)
    case .days:
      guard !number.isLong, number.places == 0, number.mantissa < 200_000 else {
        throw FieldProblem(field: field, reason: .time("is not a time in \(described)"))
      }
      return try day(number.isNegative ? -Int(number.mantissa) : Int(number.mantissa), field)
    case .excel: return try excel(number, field)
    default:
      guard !number.isNegative, let whole = number.isLong ? Self.whole(of: slot) : number.whole,
        let guess = guesses.first(where: { $0.covers(whole) })
      else { throw FieldProblem(field: field, reason: .unsettledTime) }
      return guess.unit == 0 ? try compact(slot, field) : try epoch(number, slot, field, guess.unit)
    }
  }

  /// Determines the meaning of a number in the format `auto`, and returns it. Throws if the number cannot be a time.
  mutating func settle(_ slot: RowSlot, _ field: Int) throws(FieldProblem) -> TimeGuess {
    let text = slot.trimmed
    let whole = Self.whole(of: slot)
    guard let whole, let guess = TimeGuess(whole, now: now(), from: earliest), guess.unit != 0 || text.count == 8 else {
      let advice = whole.map { TimeGuess.advice($0, digits: text.count, now: now()) } ?? ""
      throw FieldProblem(
        field: field, reason: .time("is not a time from 1990 to tomorrow, whether in s, ms, us or ns since 1970\(advice)"))
    }
    guesses.removeAll { $0.unit == guess.unit }
    guesses.append(guess)
    // `quick` reads the rows' time; a receipt time may have another unit.
    if field == RowValues.timePlace, guess.unit != 0 { (least, width, quickUnit) = (guess.least, guess.width, guess.unit) }
    return guess
  }

  /// The digits before the point of a number; nil if there is a sign or an exponent, or if they are too many.
  private static func whole(of slot: RowSlot) -> UInt64? {
    let text = slot.trimmed
    let whole = text.prefix { $0 &- 48 < 10 }
    guard (1...19).contains(whole.count), text[whole.endIndex...].allSatisfy({ $0 == 46 || $0 &- 48 < 10 }) else { return nil }
    return whole.reduce(0) { $0 * 10 + UInt64($1 - 48) }
  }

  private mutating func epoch(_ number: Decimal, _ slot: RowSlot, _ field: Int, _ unit: UInt64) throws(FieldProblem) -> Timestamp {
    if !number.isLong, let ns = number.nanoseconds(unit: unit) { return try placed(ns, field) }
    return try placed(try inexact(slot, field, unit), field)
  }

  /// A date without separators.
  private mutating func compact(_ slot: RowSlot, _ field: Int) throws(FieldProblem) -> Timestamp {
    guard let iso = CompactTime.iso(slot.trimmed) else {
      throw FieldProblem(field: field, reason: .time("is not a time in \(described)"))
    }
    return try read(iso, field)
  }

  /// Days and a part of a day since 1899-12-30, to the millisecond, which is what a spreadsheet keeps.
  private mutating func excel(_ number: Decimal, _ field: Int) throws(FieldProblem) -> Timestamp {
    guard !number.isLong, !number.isNegative, number.whole < 200_000 else {
      throw FieldProblem(field: field, reason: .time("is not a time in \(described)"))
    }
    if number.places == 0 { return try day(Int(number.mantissa) - 25_569, field) }
    let (part, scale) = (UInt128(number.mantissa), UInt128(Digits.power(Int(number.places))))
    let milliseconds = Int((part * 86_400_000 * 2 + scale) / (scale * 2)) - 25_569 * 86_400_000
    let ofDay = ((milliseconds % 86_400_000) + 86_400_000) % 86_400_000
    var reading = TimePattern.Reading()
    reading.date = CivilDate(daysSinceEpoch: (milliseconds - ofDay) / 86_400_000)
    reading.second = ofDay / 1000
    reading.nanosecond = Int64(ofDay % 1000) * 1_000_000
    return try moment(reading, field)
  }

  private mutating func moment(_ reading: TimePattern.Reading?, _ field: Int) throws(FieldProblem) -> Timestamp {
    guard let reading else { throw FieldProblem(field: field, reason: .time("is not a time in \(described)")) }
    do throws(ISOTime.Problem) { return try text.moment(reading, date: date) } catch {
      throw FieldProblem(field: field, reason: .time(error.reason ?? "is not a time in \(described)"))
    }
  }

  private mutating func day(_ days: Int, _ field: Int) throws(FieldProblem) -> Timestamp {
    try read(Array(CivilDate(daysSinceEpoch: days).iso.utf8), field)
  }

  private mutating func read(_ iso: [UInt8], _ field: Int) throws(FieldProblem) -> Timestamp {
    let result = iso.withUnsafeBufferPointer { iso in Result { () throws(ISOTime.Problem) in try text.read(iso, .auto) } }
    do throws(ISOTime.Problem) { return try result.get() } catch {
      throw FieldProblem(field: field, reason: .time(error.reason ?? "is not a time in \(described)"))
    }
  }

  @inline(always)
  private func placed(_ ns: Int64, _ field: Int) throws(FieldProblem) -> Timestamp {
    if origin == 0, length == .max { return Timestamp(ns: ns) }
    if ns < 0 { throw FieldProblem(field: field, reason: .time("is before midnight")) }
    if ns >= length { throw FieldProblem(field: field, reason: .time("is past the end of the day")) }
    return Timestamp(ns: origin &+ ns)
  }

  /// The nanoseconds of a number that is too long, too large or too fine for `quick`, computed from its digits.
  @inline(never)
  private func inexact(_ slot: RowSlot, _ field: Int, _ unit: UInt64) throws(FieldProblem) -> Int64 {
    var isNegative = false
    var whole: UInt64 = 0
    var fraction: [UInt8] = []
    var isFraction = false
    let text = slot.trimmed
    if text.count > 64 { throw FieldProblem(field: field, reason: .time("is not a time in \(described)")) }
    for byte in text {
      switch byte {
      case 48...57 where isFraction: if fraction.count < 10 || byte != 48 { fraction.append(byte - 48) }
      case 48...57:
        let (product, isOver) = whole.multipliedReportingOverflow(by: 10)
        let (sum, isOver2) = product.addingReportingOverflow(UInt64(byte - 48))
        if isOver || isOver2 { throw FieldProblem(field: field, reason: .beyondTime(unit: unit)) }
        whole = sum
      case 46: isFraction = true
      case 45: isNegative = true
      case 43: break
      // Times are not written with exponents.
      default: throw FieldProblem(field: field, reason: .time("is not a time in \(described)"))
      }
    }
    var ns = Int128(whole) * Int128(unit)
    var place = Int128(unit)
    var isFiner = false
    for digit in fraction {
      place /= 10
      if place > 0 { ns += Int128(digit) * place } else if digit != 0 { isFiner = true }
    }
    if isFiner, finer == .reject, ns <= Int64.max {
      throw FieldProblem(field: field, reason: .time("is finer than a nanosecond ('finer: truncate' cuts it off)"))
    }
    // Rounded down, also before 1970.
    let signed = isNegative ? -ns - (isFiner ? 1 : 0) : ns
    guard let exact = Int64(exactly: signed) else { throw FieldProblem(field: field, reason: .beyondTime(unit: unit)) }
    return exact
  }

  @inline(never)
  private mutating func slow(_ slot: RowSlot, _ field: Int) throws(FieldProblem) -> Timestamp {
    switch slot.kind {
    case .container: throw FieldProblem(field: field, reason: .notAValue)
    case _ where slot.trimmed.isEmpty: throw FieldProblem(field: field, reason: .missing)
    case .absent, .literal, .number: break
    case .text:
      let trimmed = slot.trimmed
      if let pattern { return try moment(pattern.read(trimmed), field) }
      let looksLikeDate = trimmed.count >= 10 && trimmed[4] == 45
      // Digits alone are a number, which `auto` judges by its size.
      if !looksLikeDate, format == .compact || (format == .auto && CompactTime.isDate(trimmed)) {
        return try compact(RowSlot(start: slot.start, count: slot.count, kind: .text), field)
      }
      if unit == 0, format != .days, format != .excel, !format.readsNumbers || looksLikeDate {
        let form = format == .compact ? .auto : format
        do throws(ISOTime.Problem) { return try text.read(trimmed, form) } catch {
          throw FieldProblem(field: field, reason: .time(error.reason ?? "is not a time in \(described)"))
        }
      }
      // Only blanks around the number can be the reason that it was not read before.
      if trimmed.count < slot.count, let number = try? ValueDecoder.slowNumber(slot, field) { return try self.number(number, slot, field) }
    }
    throw FieldProblem(field: field, reason: .time("is not a time in \(described)"))
  }

  /// True if the format has times and dates that are written with separators.
  var isForText: Bool { unit == 0 && format != .compact && format != .days && format != .excel }

  private var described: String {
    switch format {
    case .auto: "ISO-8601 or since the epoch"
    case .iso8601: "ISO-8601"
    case .date: "the form 2008-01-02"
    case .compact: "the form 20080102 or 20080102093000"
    case .days: "days since 1970"
    case .excel: "days since 1899-12-30, as spreadsheets write"
    case .pattern: "the form \(pattern?.text ?? "")"
    case .seconds, .milliseconds, .microseconds, .nanoseconds: "\(format.name) since the epoch"
    default: format.name
    }
  }
}
