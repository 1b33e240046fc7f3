import MarketData
import TestSupport
import Testing

@Suite struct TimestampTests {
  @Test(arguments: [
    ("1970-01-01T00:00:00Z", 0), ("1970-01-01T00:00:00.000000001Z", 1), ("1969-12-31T23:59:59.999999999Z", -1),
    ("1969-12-31T23:59:59Z", -1_000_000_000),
    ("2013-10-08T13:30:00.012Z", 1_381_239_000_012_000_000), ("2013-10-08T15:30:00.012+02:00", 1_381_239_000_012_000_000),
    ("2013-10-08 08:00:00.012-0530", 1_381_239_000_012_000_000), ("2013-10-08t14:30:00,012+01", 1_381_239_000_012_000_000),
    ("2013-10-08T13:30:00.0120000000000z", 1_381_239_000_012_000_000), ("2013-10-08T13:30Z", 1_381_239_000_000_000_000),
    ("2000-02-29T00:00:00Z", 951_782_400_000_000_000), ("1900-03-01T00:00:00Z", -2_203_891_200_000_000_000),
    ("2262-04-11T23:47:16.854775807Z", Int64.max), ("1677-09-21T00:12:43.145224192Z", Int64.min),
    ("2262-04-12T01:47:16.854775807+02:00", Int64.max), ("1677-09-20T22:12:43.145224192-02:00", Int64.min),
  ])
  func `reads ISO-8601`(text: String, ns: Int64) throws {
    #expect(try Timestamp(iso8601: text).ns == ns)
  }

  @Test(arguments: [
    ("", TextError.Code.badTime, 0), ("2013-10-08", .badTime, 10), ("2013-10-08T13:30:00", .badTime, 19),
    ("2013-02-29T00:00:00Z", .badTime, 0),
    ("1900-02-29T00:00:00Z", .badTime, 0), ("2013-13-01T00:00:00Z", .badTime, 0), ("2013-00-01T00:00:00Z", .badTime, 0),
    ("2013-04-31T00:00:00Z", .badTime, 0), ("2013-10-08T24:00:00Z", .badTime, 0), ("2013-10-08T13:60:00Z", .badTime, 0),
    ("2013-10-08T13:30:60Z", .badTime, 0), ("2013-10-08T13:30.5Z", .badTime, 16), ("2013-10-08T13:30:00.Z", .badTime, 20),
    ("2013-10-08T13:30:00.1234567891Z", .tooManyDecimals, 29), ("2013-10-08T13:30:00+2:00", .badTime, 21),
    ("2013-10-08T13:30:00+02:", .badTime, 23),
    ("2013-10-08T13:30:00+02:0", .badTime, 24), ("2013-10-08T13:30:00+24:00", .badTime, 25), ("2013-10-08T13:30:00Zx", .unexpected, 20),
    ("2262-04-11T23:47:16.854775808Z", .outOfRange, 0), ("1677-09-21T00:12:43.145224191Z", .outOfRange, 0),
    ("9999-12-31T00:00:00Z", .outOfRange, 0),
    ("0000-01-01T00:00:00Z", .outOfRange, 0), ("2013-1-08T00:00:00Z", .badTime, 6), ("-2013-10-08T00:00:00Z", .badTime, 0),
    ("２013-10-08T00:00:00Z", .badTime, 0),
  ])
  func `refuses what is no time, naming the place`(text: String, code: TextError.Code, offset: Int) {
    #expect(throws: TextError(code, at: offset)) { try Timestamp(iso8601: text) }
  }

  @Test func `takes a given zone only where the text has none`() throws {
    #expect(try reading("2013-10-08T13:30:00") { r throws(TextError) in try r.iso8601(zone: 3600) }.ns == 1_381_235_400_000_000_000)
    #expect(try reading("2013-10-08T13:30:00Z") { r throws(TextError) in try r.iso8601(zone: 3600) }.ns == 1_381_239_000_000_000_000)
  }

  @Test func `prints as many decimals as it needs, in groups of three`() {
    #expect(Timestamp(ns: 0).description == "1970-01-01T00:00:00Z")
    #expect(Timestamp(ns: 12_000_000).description == "1970-01-01T00:00:00.012Z")
    #expect(Timestamp(ns: 12_000).description == "1970-01-01T00:00:00.000012Z")
    #expect(Timestamp(ns: 12).description == "1970-01-01T00:00:00.000000012Z")
    #expect(Timestamp(ns: -1).description == "1969-12-31T23:59:59.999999999Z")
    #expect(Timestamp(ns: .min).description == "1677-09-21T00:12:43.145224192Z")
    #expect(Timestamp(ns: .max).description == "2262-04-11T23:47:16.854775807Z")
  }

  @Test(arguments: [
    (ByteWriter.TimeForm.seconds, "1969-12-31T23:59:59Z"), (.milliseconds, "1969-12-31T23:59:59.998Z"),
    (.microseconds, "1969-12-31T23:59:59.998765Z"),
    (.nanoseconds, "1969-12-31T23:59:59.998765432Z"), (.shortest, "1969-12-31T23:59:59.998765432Z"),
  ])
  func `cuts what a fixed form does not show`(form: ByteWriter.TimeForm, text: String) {
    var out = ByteWriter()
    out.reserve(32)
    out.put(iso8601: Timestamp(ns: -1_234_568), form: form)
    #expect(out.string == text)
  }

  @Test func `every day from 1677 to 2262 has its date and back, as counting days says`() {
    var (year, month, day) = (1677, 1, 1)
    var wrong = 0
    for days in -107_015...107_015 {
      let date = CivilDate(daysSinceEpoch: days)
      if (date.year, date.month, date.day) != (year, month, day) || date.daysSinceEpoch != days { wrong += 1 }
      if CivilDate(year: year, month: month, day: day) != date { wrong += 1 }
      let leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0
      day += 1
      if day > [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] {
        if CivilDate(year: year, month: month, day: day) != nil { wrong += 1 }
        (month, day) = (month + 1, 1)
        if month == 13 { (year, month) = (year + 1, 1) }
      }
    }
    #expect(wrong == 0)
    #expect((year, month, day) == (2263, 1, 1))
    #expect(CivilDate(daysSinceEpoch: 0) == CivilDate(year: 1970, month: 1, day: 1))
  }

  @Test(arguments: 0..<10) func `whatever it prints it reads again, in any zone`(seed: UInt64) throws {
    var random = SplitMix(seed)
    for _ in 0..<500 {
      let ns = Int64(truncatingIfNeeded: random.next()) >> Int64.random(in: 0...60, using: &random)
      let text = Timestamp(ns: ns).description
      #expect(try Timestamp(iso8601: text).ns == ns)
      // The same digits with an offset of an hour and a half more are that much earlier.
      let (earlier, overflow) = ns.subtractingReportingOverflow(5_400_000_000_000)
      if !overflow { #expect(try Timestamp(iso8601: text.dropLast() + "+01:30").ns == earlier) }
    }
  }
}
