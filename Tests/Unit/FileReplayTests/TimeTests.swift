import MarketData
import TestSupport
import Testing

@testable import FileReplay

@Suite struct TimeTests {
  /// The time in a CSV field, or why there is none.
  static func read(_ text: String, _ change: (inout ReplayOptions) -> Void = { _ in }) -> String {
    let outcome = run("symbol,price,time\nA,1,\(text)\n", options(change))
    if let error = outcome.error { return error.message }
    return outcome.events.first.map { "\($0.time)" } ?? outcome.malformed[0].reason
  }

  @Test func `reads ISO-8601 with any decimals and zones`() {
    func read(_ text: String, _ zone: String? = nil) -> String {
      Self.read(text) {
        $0.time.format = .iso8601
        $0.zone = zone
      }
    }
    #expect(read("2013-10-08T13:30:00Z") == "2013-10-08T13:30:00Z")
    #expect(read("2013-10-08T13:30Z") == "2013-10-08T13:30:00Z")
    #expect(read("2013-10-08T13:30:00.1Z") == "2013-10-08T13:30:00.100Z")
    #expect(read("2013-10-08 13:30:00.123456789Z") == "2013-10-08T13:30:00.123456789Z")
    #expect(read("2013-10-08T13:30:00.1234567890Z") == "2013-10-08T13:30:00.123456789Z")
    #expect(
      read("2013-10-08T13:30:00.1234567891Z")
        == "'time' is finer than a nanosecond ('finer: truncate' cuts it off): '2013-10-08T13:30:00.1234567891Z'")
    #expect(read("2013-10-08T15:30:00+02:00") == "2013-10-08T13:30:00Z")
    #expect(read("2013-10-08T08:00:00-0530") == "2013-10-08T13:30:00Z")
    #expect(read("1969-12-31T23:59:59.5Z") == "1969-12-31T23:59:59.500Z")
    #expect(read(" 2013-10-08T13:30:00Z ") == "2013-10-08T13:30:00Z")
    #expect(
      read("2013-10-08T13:30:00") == "'time' has no time zone (set one: 'zone: America/New_York', or 'zone: UTC'): '2013-10-08T13:30:00'")
    #expect(read("2013-10-08T13:30:00", "UTC") == "2013-10-08T13:30:00Z")
    #expect(read("2013-10-08T09:30:00.000000001", "America/New_York") == "2013-10-08T13:30:00.000000001Z")
    #expect(read("2013-10-08") == "'time' is not a time in ISO-8601: '2013-10-08'; 'time: auto' reads it")
    #expect(read("2013-02-29T00:00:00Z") == "'time' is not a time in ISO-8601: '2013-02-29T00:00:00Z'")
    #expect(read("2013-10-08T24:00:00Z") == "'time' is not a time in ISO-8601: '2013-10-08T24:00:00Z'")
    #expect(read("2013-10-08T13:30:00Zx") == "'time' is not a time in ISO-8601: '2013-10-08T13:30:00Zx'")
    #expect(read("1381239000") == "'time' is not a time in ISO-8601: '1381239000'")
    #expect(read("3000-01-01T00:00:00Z") == "'time' is out of range: '3000-01-01T00:00:00Z'")
    #expect(read("") == "'time' is empty")
  }

  @Test func `reads a time the quick way as it reads it the first time`() {
    // A second row on the same date takes another path.
    var random = SplitMix(8601)
    let tails = ["Z", "", ".5Z", ".123456789Z", ".1234567890Z", ".Z", "z", "+01:00", ",5Z", "Zx", "x", ".123456789", " Z"]
    var texts: [String] = []
    for _ in 0..<400 {
      func two(_ limit: Int) -> String {
        let value = Int.random(in: 0...limit, using: &random)
        return value < 10 ? "0\(value)" : "\(value)"
      }
      let separator = ["T", "T", "T", " ", "t", "-"].randomElement(using: &random)!
      texts.append("2013-10-08\(separator)\(two(25)):\(two(62)):\(two(62))" + tails.randomElement(using: &random)!)
    }
    for zone in [nil, "America/New_York"] {
      let given = options {
        $0.time.format = .iso8601
        $0.zone = zone
      }
      let first = "A,1,2013-10-08T00:00:00Z\n"
      let together = run("symbol,price,time\n" + first + texts.map { "A,1,\"\($0)\"" }.joined(separator: "\n"), given)
      let alone = texts.map { run("symbol,price,time\nA,1,\"\($0)\"\n", given) }
      #expect(Array(together.events.dropFirst()) == alone.flatMap(\.events))
      #expect(together.malformed.map(\.reason) == alone.flatMap { $0.malformed.map(\.reason) })
      #expect(together.counts.events > 100)
    }
  }

  @Test func `reads dates as the first moment of the day in the zone`() {
    func read(_ text: String, _ zone: String? = nil, _ format: TimeFormat = .date) -> String {
      Self.read(text) {
        $0.time.format = format
        $0.zone = zone
      }
    }
    #expect(read("2008-01-02") == "2008-01-02T00:00:00Z")
    #expect(read("2008-01-02", "America/New_York") == "2008-01-02T05:00:00Z")
    #expect(read("2008-07-02", "America/New_York", .auto) == "2008-07-02T04:00:00Z")
    #expect(read("2008-07-02", "Asia/Kolkata") == "2008-07-01T18:30:00Z")
    // In Brazil clocks went forward at midnight, so that day began at 01:00.
    #expect(read("2018-11-04", "America/Sao_Paulo") == "2018-11-04T03:00:00Z")
    #expect(read("2018-11-05", "America/Sao_Paulo") == "2018-11-05T02:00:00Z")
    #expect(
      read("2008-1-2")
        == "'time' is not a time in the form 2008-01-02: '2008-1-2'; write time: \"yyyy-M-d\"")
    #expect(
      read("2008-01-02T00:00:00Z")
        == "'time' is not a time in the form 2008-01-02: '2008-01-02T00:00:00Z'; 'time: auto' reads it")
  }

  @Test func `follows the clocks of New York forward and back`() {
    func read(_ text: String) -> String { Self.read(text) { $0.zone = "America/New_York" } }
    // 2024-03-10: 02:00 EST becomes 03:00 EDT at 07:00Z.
    #expect(read("2024-03-09T12:00:00") == "2024-03-09T17:00:00Z")
    #expect(read("2024-03-10T01:59:59.999999999") == "2024-03-10T06:59:59.999999999Z")
    #expect(read("2024-03-10T02:30:00") == "'time' does not exist in America/New_York: clocks go forward: '2024-03-10T02:30:00'")
    #expect(read("2024-03-10T03:00:00") == "2024-03-10T07:00:00Z")
    #expect(read("2024-03-11T09:30:00") == "2024-03-11T13:30:00Z")
    // 2024-11-03: 02:00 EDT becomes 01:00 EST at 06:00Z; 01:30 occurs twice, and the first is taken.
    #expect(read("2024-11-03T00:59:59") == "2024-11-03T04:59:59Z")
    #expect(read("2024-11-03T01:30:00") == "2024-11-03T05:30:00Z")
    #expect(read("2024-11-03T02:00:00") == "2024-11-03T07:00:00Z")
    #expect(read("2024-11-04T09:30:00") == "2024-11-04T14:30:00Z")
    #expect(read("2024-11-03T01:30:00-05:00") == "2024-11-03T06:30:00Z")
  }

  @Test func `counts from the midnight of a date in a zone`() {
    func read(_ text: String, _ format: TimeFormat, _ year: Int, _ month: Int, _ day: Int, _ zone: String? = "America/New_York") -> String {
      Self.read(text) {
        $0.time.format = format
        $0.zone = zone
        $0.date = CivilDate(year: year, month: month, day: day)
      }
    }
    // 34,200 s is nine and a half hours.
    #expect(read("34200000", .millisecondsSinceMidnight, 2013, 10, 8) == "2013-10-08T13:30:00Z")
    #expect(read("34200", .secondsSinceMidnight, 2024, 1, 8) == "2024-01-08T14:30:00Z")
    #expect(read("34200.000001", .secondsSinceMidnight, 2024, 1, 8, nil) == "2024-01-08T09:30:00.000001Z")
    #expect(read("34200000000", .microsecondsSinceMidnight, 2024, 3, 11) == "2024-03-11T13:30:00Z")
    // Elapsed time: on 2024-03-10 midnight is 05:00Z, and nine and a half hours later it is 14:30Z.
    #expect(read("34200000000001", .nanosecondsSinceMidnight, 2024, 3, 10) == "2024-03-10T14:30:00.000000001Z")
    #expect(read("34200", .secondsSinceMidnight, 2024, 11, 3) == "2024-11-03T13:30:00Z")
    // The first has 23 hours, the second 25.
    #expect(read("82799", .secondsSinceMidnight, 2024, 3, 10) == "2024-03-11T03:59:59Z")
    #expect(read("82800", .secondsSinceMidnight, 2024, 3, 10) == "'time' is past the end of the day: '82800'")
    #expect(read("89999", .secondsSinceMidnight, 2024, 11, 3) == "2024-11-04T04:59:59Z")
    #expect(read("90000", .secondsSinceMidnight, 2024, 11, 3) == "'time' is past the end of the day: '90000'")
    #expect(read("-1", .secondsSinceMidnight, 2024, 11, 3) == "'time' is before midnight: '-1'")
    #expect(read("09:30:00", .secondsSinceMidnight, 2024, 11, 3) == "'time' is not a time in s since midnight: '09:30:00'")
    #expect(Self.read("1") { $0.time.format = .nanosecondsSinceMidnight } == "times in 'ns since midnight' need a date for 'f'")
  }

  @Test func `reads numbers since the epoch exactly`() {
    func read(_ text: String, _ format: TimeFormat) -> String { Self.read(text) { $0.time.format = format } }
    #expect(read("1381239000", .seconds) == "2013-10-08T13:30:00Z")
    #expect(read("1381239000.012345", .seconds) == "2013-10-08T13:30:00.012345Z")
    #expect(read("1381239000.012345678", .seconds) == "2013-10-08T13:30:00.012345678Z")
    #expect(read("1381239000.0123456780", .seconds) == "2013-10-08T13:30:00.012345678Z")
    #expect(read("1381239000.5", .milliseconds) == "1970-01-16T23:40:39.000500Z")
    #expect(read("1381239000012.25", .milliseconds) == "2013-10-08T13:30:00.012250Z")
    #expect(read("1381239000012345", .microseconds) == "2013-10-08T13:30:00.012345Z")
    #expect(read("1381239000012345678", .nanoseconds) == "2013-10-08T13:30:00.012345678Z")
    #expect(
      read("1381239000012345678.5", .nanoseconds)
        == "'time' is finer than a nanosecond ('finer: truncate' cuts it off): '1381239000012345678.5'")
    #expect(
      read("138123900001234567.5", .nanoseconds)
        == "'time' is finer than a nanosecond ('finer: truncate' cuts it off): '138123900001234567.5'")
    #expect(read("-1.5", .seconds) == "1969-12-31T23:59:58.500Z")
    #expect(read("+1", .seconds) == "1970-01-01T00:00:01Z")
    #expect(read(" 1 ", .seconds) == "1970-01-01T00:00:01Z")
    #expect(read("9223372037", .seconds) == "'time' is out of range: '9223372037'")
    #expect(read("1x", .seconds) == "'time' is not a time in s since the epoch: '1x'")
    #expect(read("1e9", .seconds) == "'time' is not a time in s since the epoch: '1e9'")
    #expect(read("2013-10-08", .seconds) == "'time' is not a time in s since the epoch: '2013-10-08'")
  }

  @Test func `times finer than a nanosecond are taken where that is asked for`() {
    func read(_ text: String, _ format: TimeFormat) -> String {
      Self.read(text) {
        $0.time.format = format
        $0.finer = .truncate
        $0.date = CivilDate(year: 2012, month: 6, day: 21)
      }
    }
    // Seconds after midnight as printed by a float.
    #expect(read("34200.01745961700", .secondsSinceMidnight) == "2012-06-21T09:30:00.017459617Z")
    #expect(read("34200.017459617231", .secondsSinceMidnight) == "2012-06-21T09:30:00.017459617Z")
    #expect(read("34200.0174596179999999999999999", .secondsSinceMidnight) == "2012-06-21T09:30:00.017459617Z")
    #expect(read("86399.9999999999", .secondsSinceMidnight) == "2012-06-21T23:59:59.999999999Z")
    #expect(read("86400.0000000001", .secondsSinceMidnight) == "'time' is past the end of the day: '86400.0000000001'")
    #expect(read("1381239000012.3456789", .milliseconds) == "2013-10-08T13:30:00.012345678Z")
    #expect(read("1381239000012345678.5", .nanoseconds) == "2013-10-08T13:30:00.012345678Z")
    #expect(read("1381239000.9999999999", .auto) == "2013-10-08T13:30:00.999999999Z")
    #expect(read("2013-10-08T13:30:00.1234567899Z", .iso8601) == "2013-10-08T13:30:00.123456789Z")
    #expect(read("2013-10-08 15:30:00.12345678999+02:00", .auto) == "2013-10-08T13:30:00.123456789Z")
    // Times are rounded down to the nanosecond, also before 1970.
    #expect(read("-0.0000000001", .seconds) == "1969-12-31T23:59:59.999999999Z")
    #expect(read("-1.5", .seconds) == "1969-12-31T23:59:58.500Z")
    // An invalid time stays invalid.
    // 2024-08-09 in another unit.
    #expect(read("1723161600170", .seconds) == "'time' is out of range: '1723161600170'; write 'time: ms'")
    #expect(read("1723161600170.5", .seconds) == "'time' is out of range: '1723161600170.5'; write 'time: ms'")
    #expect(read("1723161600170000", .milliseconds) == "'time' is out of range: '1723161600170000'; write 'time: us'")
    #expect(read("1723161600170000000", .microseconds) == "'time' is out of range: '1723161600170000000'; write 'time: ns'")
    #expect(read("99999999999999999999.5", .seconds) == "'time' is out of range: '99999999999999999999.5'")
    #expect(read("9223372037.0000000001", .seconds) == "'time' is out of range: '9223372037.0000000001'")
    #expect(read("1e9", .seconds) == "'time' is not a time in s since the epoch: '1e9'")
    #expect(read("2013-10-08T13:30:61.1234567899Z", .iso8601).hasPrefix("'time' is not a time"))
  }

  @Test func `tells units from the size of a number`() {
    func read(_ text: String) -> String { Self.read(text) }
    #expect(read("1381239000") == "2013-10-08T13:30:00Z")
    #expect(read("1381239000.25") == "2013-10-08T13:30:00.250Z")
    #expect(read("1381239000250") == "2013-10-08T13:30:00.250Z")
    #expect(read("1381239000250000") == "2013-10-08T13:30:00.250Z")
    #expect(read("1381239000250000001") == "2013-10-08T13:30:00.250000001Z")
    #expect(read("9223372036") == "2262-04-11T23:47:16Z")
    #expect(read("100000000000") == "1973-03-03T09:46:40Z")
    #expect(read("100000000000000") == "1973-03-03T09:46:40Z")
    #expect(read("100000000000000000") == "1973-03-03T09:46:40Z")
    #expect(read("2013-10-08") == "2013-10-08T00:00:00Z")
    #expect(read("2013-10-08T13:30:00Z") == "2013-10-08T13:30:00Z")
    #expect(read("yesterday") == "'time' is not a time in ISO-8601 or since the epoch: 'yesterday'")
  }

  @Test func `has a name for every format`() {
    #expect(
      TimeFormat.named.map(\.name) == [
        "auto", "iso8601", "date", "yyyymmdd", "days", "excel", "s", "ms", "us", "ns", "s since midnight", "ms since midnight",
        "us since midnight",
        "ns since midnight",
      ])
    for format in TimeFormat.named { #expect(TimeFormat(format.name) == format) }
    #expect(TimeFormat("hours") == nil)
  }
}
