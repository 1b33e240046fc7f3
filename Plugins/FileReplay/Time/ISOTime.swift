internal import MarketData
internal import StockbusFiles

/// Reads ISO-8601 times and dates; a date that equals the previous one takes two comparisons.
///
/// Unsafe inside: it loads words from rows; `LineReader` guarantees readable bytes after them.
struct ISOTime {
  /// Why a text is not a valid time; nil if there is no particular reason.
  struct Problem: Error {
    var reason: String?

    init(reason: String?) { self.reason = reason }

    init(_ error: TextError) {
      switch error.code {
      case .outOfRange: reason = "is out of range"
      case .tooManyDecimals: reason = "is finer than a nanosecond ('finer: truncate' cuts it off)"
      default: reason = nil
      }
    }
  }
  private var zone: ZoneRules?
  private let finer: FinerTimes
  // The last date: its ten bytes as two overlapping words, its days since the epoch, and its first moment in the zone.
  private var front: UInt64 = 0
  private var back: UInt64 = 0
  private var day = 0
  private var begin: Int64 = 0

  init(zone: ZoneRules?, finer: FinerTimes = .reject) {
    self.zone = zone
    self.finer = finer
  }

  /// A time on the same date as the last one, in the usual form; nil if `read` has to be used.
  @inline(always)
  mutating func quick(_ p: UnsafePointer<UInt8>, _ count: Int, _ format: TimeFormat) -> Timestamp? {
    guard ByteWords.load(p) == front, ByteWords.load(p + 2) == back else { return nil }
    if count == 10 { return format == .iso8601 ? nil : Timestamp(ns: begin) }
    guard count >= 19, format != .date, p[10] == 84 || p[10] == 32 else { return nil }
    // `13:30:00` XOR `00:00:00`: digits become 0...9, colons 0.
    let clock = ByteWords.load(p + 11) ^ 0x3030_3a30_303a_3030
    if ((clock &+ 0x7676_7f76_767f_7676) | clock) & 0x8080_8080_8080_8080 != 0 { return nil }
    let hour = (clock & 15) &* 10 &+ (clock >> 8) & 15
    let minute = (clock >> 24 & 15) &* 10 &+ (clock >> 32) & 15
    let second = (clock >> 48 & 15) &* 10 &+ clock >> 56
    if hour > 23 || minute > 59 || second > 59 { return nil }
    var at = p + 19
    var fraction: UInt64 = 0
    if at.pointee == 46 {
      at += 1
      var width = Digits.read(at, &fraction)
      if width == 8 { width &+= Digits.read(at + 8, &fraction) }
      if width == 0 || width > 9 { return nil }
      at += width
      fraction &*= Digits.power(9 &- width)
    }
    let ofDay = hour &* 3600 &+ minute &* 60 &+ second
    var seconds = day &* 86_400 &+ Int(truncatingIfNeeded: ofDay)
    if at.pointee == 90, at + 1 == p + count {
      // Already in UTC.
    } else if at == p + count, zone != nil, let utc = zone?.utc(local: seconds) {
      seconds = utc
    } else {
      return nil
    }
    return Self.timestamp(seconds, Int64(truncatingIfNeeded: fraction))
  }

  /// A time or, except in the format `iso8601`, a date.
  @inline(never)
  mutating func read(_ text: UnsafeBufferPointer<UInt8>, _ format: TimeFormat) throws(Problem) -> Timestamp {
    do throws(TextError) {
      let (date, written) = try Self.parse(text, format)
      let begin = try remember(date, text)
      switch written {
      case .day: return begin
      case .moment(let time): return time
      case .local(let time):
        // The day is stored already; only the conversion to the zone can still fail.
        if zone != nil, let utc = try inZone(time) { return utc }
      }
    } catch {
      if error.code == .tooManyDecimals, finer == .truncate, let shorter = Self.truncated(text) {
        return try shorter.withUnsafeBufferPointer { shorter in
          Result { () throws(Problem) in try read(shorter, format) }
        }.get()
      }
      throw Problem(error)
    }
    throw zoneProblem
  }

  /// The moment of a time that a pattern has read; `date` is the one of times of day.
  mutating func moment(_ read: TimePattern.Reading, date: CivilDate?) throws(Problem) -> Timestamp {
    if read.isFiner, finer == .reject { throw Problem(TextError(.tooManyDecimals, at: 0)) }
    guard let days = (read.date ?? date)?.daysSinceEpoch else { throw Problem(reason: nil) }
    let local = days * 86_400 + (read.second ?? 0)
    let utc = read.offset.map { local - $0 } ?? (read.second == nil ? zone?.begin(ofDay: days) ?? local : zone?.utc(local: local))
    guard let utc else { throw zoneProblem }
    guard let time = Self.timestamp(utc, read.nanosecond) else { throw Problem(TextError(.outOfRange, at: 0)) }
    return time
  }

  /// Why a local time has no moment.
  private var zoneProblem: Problem {
    guard let zone else { return Problem(reason: "has no time zone (set one: 'zone: America/New_York', or 'zone: UTC')") }
    return Problem(reason: "does not exist in \(zone.name): clocks go forward")
  }

  /// The text without the digits after the ninth decimal; nil if there are none.
  private static func truncated(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    guard let point = text.firstIndex(where: { $0 == 46 || $0 == 44 }) else { return nil }
    let decimals = text[(point + 1)...].prefix { $0 &- 48 < 10 }
    if decimals.count <= 9 { return nil }
    return Array(text[..<(point + 10)]) + Array(text[decimals.endIndex...])
  }

  private enum Written {
    case day
    case moment(Timestamp)
    /// A local time in the assumed zone, stored as if it were UTC.
    case local(Timestamp)
  }

  private static func parse(_ text: UnsafeBufferPointer<UInt8>, _ format: TimeFormat) throws(TextError) -> (CivilDate, Written) {
    var reader = ByteReader(text)
    let date = try reader.date()
    guard reader.isAtEnd == (format == .date) || format == .auto, !reader.isAtEnd || format != .iso8601 else {
      throw TextError(.badTime, at: 0)
    }
    if reader.isAtEnd { return (date, .day) }
    reader = ByteReader(text)
    let hasZone = text.dropFirst(11).contains { $0 == 90 || $0 == 122 || $0 == 43 || $0 == 45 }
    let time = try reader.iso8601(zone: hasZone ? nil : 0)
    try reader.expectEnd()
    return (date, hasZone ? .moment(time) : .local(time))
  }

  private mutating func inZone(_ local: Timestamp) throws(TextError) -> Timestamp? {
    var seconds = local.ns / 1_000_000_000
    var rest = local.ns % 1_000_000_000
    if rest < 0 {
      seconds -= 1
      rest += 1_000_000_000
    }
    guard let utc = zone?.utc(local: Int(seconds)) else { return nil }
    guard let time = Self.timestamp(utc, rest) else { throw TextError(.outOfRange, at: 0) }
    return time
  }

  /// Stores `date` as the last one and returns its first moment.
  private mutating func remember(_ date: CivilDate, _ text: UnsafeBufferPointer<UInt8>) throws(TextError) -> Timestamp {
    let days = date.daysSinceEpoch
    guard let moment = Self.timestamp(zone?.begin(ofDay: days) ?? days * 86_400, 0), Self.timestamp(days * 86_400, 0) != nil else {
      throw TextError(.outOfRange, at: 0)
    }
    front = 0
    back = 0
    for i in 0..<8 {
      front |= UInt64(text[i]) << UInt64(8 * i)
      back |= UInt64(text[i + 2]) << UInt64(8 * i)
    }
    day = days
    begin = moment.ns
    return moment
  }

  @inline(always)
  private static func timestamp(_ seconds: Int, _ rest: Int64) -> Timestamp? {
    let (ns, overflow) = Int64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, overflow2) = ns.addingReportingOverflow(rest)
    return overflow || overflow2 ? nil : Timestamp(ns: sum)
  }
}
