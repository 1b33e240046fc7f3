internal import MarketData
internal import StockbusFiles

/// Reads times in one format.
struct TimeDecoder: ~Copyable {
  private let format: TimeFormat
  private let finer: FinerTimes
  private let unit: UInt64  // 0 if the format is not a plain number
  private let origin: Int64  // ns since the epoch from which times are counted
  private let length: Int64  // the length of the day in ns; Int64.max for the epoch
  /// True if whole numbers are times since the epoch.
  let isEpoch: Bool
  var text: ISOTime

  /// `date` is only needed by the formats since midnight.
  init(format: TimeFormat, zone: ZoneRules?, date: CivilDate?, finer: FinerTimes = .reject) {
    self.format = format
    self.finer = finer
    unit = format.unit ?? 0
    text = ISOTime(zone: zone, finer: finer)
    isEpoch = format != .iso8601 && format != .date && !format.isSinceMidnight
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

  /// The time in a row's field.
  mutating func time(_ slot: FieldSlot, _ field: Int) throws(FieldProblem) -> Timestamp {
    if slot.kind == .number, format != .iso8601, format != .date { return try epoch(slot.number, slot, field) }
    if slot.kind == .text {
      if unit == 0, slot.count >= 10, slot.start[4] == 45, let time = text.quick(slot.start, slot.count, format) { return time }
      if format != .iso8601, format != .date {
        var p = slot.start
        if let number = Decimal.scan(&p, .loose), p == slot.start + slot.count { return try epoch(number, slot, field) }
      }
    }
    return try slow(slot, field)
  }

  /// The time of a whole number since the epoch, if `isEpoch`; nil if it does not fit.
  @inline(always)
  func quick(_ whole: UInt64) -> Int64? {
    let (ns, overflow) = whole.multipliedReportingOverflow(by: unit == 0 ? TimeUnit.guess(whole) : unit)
    return overflow || ns > UInt64(Int64.max) ? nil : Int64(truncatingIfNeeded: ns)
  }

  private mutating func epoch(_ number: Decimal, _ slot: FieldSlot, _ field: Int) throws(FieldProblem) -> Timestamp {
    if !number.isLong, let ns = number.nanoseconds(unit: unit == 0 ? TimeUnit.guess(number.whole) : unit) {
      return try placed(ns, field)
    }
    return try placed(try inexact(slot, field), field)
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
  private func inexact(_ slot: FieldSlot, _ field: Int) throws(FieldProblem) -> Int64 {
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
        if isOver || isOver2 { throw FieldProblem(field: field, reason: .time("is out of range")) }
        whole = sum
      case 46: isFraction = true
      case 45: isNegative = true
      case 43: break
      // Times are not written with exponents.
      default: throw FieldProblem(field: field, reason: .time("is not a time in \(described)"))
      }
    }
    let unit = unit == 0 ? TimeUnit.guess(whole) : unit
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
    guard let exact = Int64(exactly: signed) else { throw FieldProblem(field: field, reason: .time("is out of range")) }
    return exact
  }

  @inline(never)
  private mutating func slow(_ slot: FieldSlot, _ field: Int) throws(FieldProblem) -> Timestamp {
    switch slot.kind {
    case .container: throw FieldProblem(field: field, reason: .notAValue)
    case _ where slot.trimmed.isEmpty: throw FieldProblem(field: field, reason: .missing)
    case .absent, .literal, .number: break
    case .text:
      let trimmed = slot.trimmed
      let looksLikeDate = trimmed.count >= 10 && trimmed[4] == 45
      if unit == 0, format != .auto || looksLikeDate {
        do throws(ISOTime.Problem) { return try text.read(trimmed, format) } catch {
          throw FieldProblem(field: field, reason: .time(error.reason ?? "is not a time in \(described)"))
        }
      }
      // Only blanks around the number can be the reason that it was not read before.
      if trimmed.count < slot.count, let number = try? ValueDecoder.slowNumber(slot, field) { return try epoch(number, slot, field) }
    }
    throw FieldProblem(field: field, reason: .time("is not a time in \(described)"))
  }

  /// True if times and dates are read that are not plain numbers.
  var isForText: Bool { unit == 0 }

  private var described: String {
    switch format {
    case .auto: "ISO-8601 or since the epoch"
    case .iso8601: "ISO-8601"
    case .date: "the form 2008-01-02"
    case .seconds, .milliseconds, .microseconds, .nanoseconds: "\(format.name) since the epoch"
    default: format.name
    }
  }
}
