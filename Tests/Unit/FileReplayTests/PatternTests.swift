import MarketData
import StockbusPlugin
import Testing

@testable import FileReplay

/// Times in the notation that a pattern gives.
@Suite struct PatternTests {
  private func read(_ text: String, _ pattern: String, _ zone: String? = "UTC", _ change: (inout ReplayOptions) -> Void = { _ in })
    -> String
  {
    guard let pattern = try? TimePattern(pattern) else { return "no pattern" }
    return TimeTests.read("\"\(text)\"") {
      $0.time = TimeForm(pattern)
      $0.zone = zone
      change(&$0)
    }
  }

  @Test(
    arguments: [
      ("01/02/2024 09:30:00.123", "MM/dd/yyyy HH:mm:ss.SSS", "2024-01-02T09:30:00.123Z"),
      ("01/02/2024 09:30:00.123", "dd/MM/yyyy HH:mm:ss.SSS", "2024-02-01T09:30:00.123Z"),
      ("2.1.2024 9:05", "d.M.yyyy H:mm", "2024-01-02T09:05:00Z"), ("02.01.24", "dd.MM.yy", "2024-01-02T00:00:00Z"),
      ("31.12.69", "dd.MM.yy", "2069-12-31T00:00:00Z"), ("31.12.70", "dd.MM.yy", "1970-12-31T00:00:00Z"),
      ("1/2/2024 12:00:00 AM", "M/d/yyyy hh:mm:ss a", "2024-01-02T00:00:00Z"),
      ("1/2/2024 12:00:00 pm", "M/d/yyyy hh:mm:ss a", "2024-01-02T12:00:00Z"),
      ("1/2/2024, 9:30:00\u{202f}PM", "M/d/yyyy, h:mm:ss a", "2024-01-02T21:30:00Z"),
      ("Tue, 2 Jan 2024", "EEE, d MMM yyyy", "2024-01-02T00:00:00Z"), ("JANUARY 02, 2024", "MMMM dd, yyyy", "2024-01-02T00:00:00Z"),
      ("2024-01-02 14:30:00 UTC", "yyyy-MM-dd HH:mm:ss UTC", "2024-01-02T14:30:00Z"),
      ("2024-01-02T14:30:00Z", "yyyy-MM-dd'T'HH:mm:ss'Z'", "2024-01-02T14:30:00Z"),
      ("20240102T093000", "yyyyMMddTHHmmss", "2024-01-02T09:30:00Z"),
      ("20240102 09:30 o'clock", "yyyyMMdd HH:mm 'o'''clock'", "no pattern"),
      ("20240102 09:30 US/Eastern", "yyyyMMdd HH:mm 'US'/'Eastern'", "2024-01-02T09:30:00Z"),
      ("02.01.2024 15:30 +0100", "dd.MM.yyyy HH:mm X", "2024-01-02T14:30:00Z"),
      ("02.01.2024 15:30 +01:00", "dd.MM.yyyy HH:mm X", "2024-01-02T14:30:00Z"),
      ("02.01.2024 09:30 -05", "dd.MM.yyyy HH:mm X", "2024-01-02T14:30:00Z"),
      ("02.01.2024 09:30:00.5", "dd.MM.yyyy HH:mm:ss.S", "2024-01-02T09:30:00.500Z"),
      ("02.01.2024 09:30:00.123456789", "dd.MM.yyyy HH:mm:ss.S", "2024-01-02T09:30:00.123456789Z"),
      ("02.01.2024 09:30:00.1234567890", "dd.MM.yyyy HH:mm:ss.S", "2024-01-02T09:30:00.123456789Z"),
    ])
  func `a time is read as its pattern says`(text: String, pattern: String, time: String) {
    #expect(read(text, pattern) == time)
  }

  @Test(
    arguments: [
      ("1/2/2024", "MM/dd/yyyy"), ("13/01/2024", "MM/dd/yyyy"), ("02/30/2024", "MM/dd/yyyy"), ("01/02/24", "MM/dd/yyyy"),
      ("01/02/2024 ", "MM/dd/yyyy HH:mm"), ("01/02/2024x", "MM/dd/yyyy"), ("2024-01-02", "MM/dd/yyyy"), ("1704187800", "MM/dd/yyyy"),
      ("01/02/2024 24:00", "MM/dd/yyyy HH:mm"), ("01/02/2024 23:60", "MM/dd/yyyy HH:mm"), ("01/02/2024 13:00 AM", "MM/dd/yyyy hh:mm a"),
      ("01/02/2024 00:00 AM", "MM/dd/yyyy hh:mm a"), ("01/02/2024 09:30:00.12", "MM/dd/yyyy HH:mm:ss.SSS"),
      ("Foo 2 2024", "MMM d yyyy"), ("01/02/2024 09:30 +99", "MM/dd/yyyy HH:mm X"),
    ])
  func `a time that does not fit is refused with pattern and value`(text: String, pattern: String) {
    let shown = text.hasSuffix(" ") ? String(text.dropLast()) : text
    #expect(read(text, pattern).hasPrefix("'time' is not a time in the form \(pattern): '\(shown)'"))
  }

  @Test func `a time without an offset is one of the zone`() {
    // Eastern Standard Time is five hours behind UTC, daylight time four.
    #expect(read("01/02/2024 09:30", "MM/dd/yyyy HH:mm", "America/New_York") == "2024-01-02T14:30:00Z")
    #expect(read("07/02/2024 09:30", "MM/dd/yyyy HH:mm", "America/New_York") == "2024-07-02T13:30:00Z")
    #expect(read("07/02/2024", "MM/dd/yyyy", "America/New_York") == "2024-07-02T04:00:00Z")
    #expect(read("07/02/2024", "MM/dd/yyyy", nil) == "2024-07-02T00:00:00Z")
    #expect(
      read("01/02/2024 09:30", "MM/dd/yyyy HH:mm", nil)
        == "'time' has no time zone (set one: 'zone: America/New_York', or 'zone: UTC'): '01/02/2024 09:30'")
    // The clocks go from 01:59 to 03:00.
    #expect(
      read("03/10/2024 02:30", "MM/dd/yyyy HH:mm", "America/New_York")
        == "'time' does not exist in America/New_York: clocks go forward: '03/10/2024 02:30'")
  }

  @Test func `a time of day is one of the date`() {
    #expect(
      read("9:30:00 PM", "h:mm:ss a", "America/New_York") { $0.date = CivilDate(year: 2024, month: 1, day: 2) } == "2024-01-03T02:30:00Z")
    #expect(read("09:30", "HH:mm") == "times in 'HH:mm' need a date for 'f'")
  }

  @Test func `finer times are refused, or cut`() {
    let text = "02.01.2024 09:30:00.1234567891"
    #expect(read(text, "dd.MM.yyyy HH:mm:ss.S") == "'time' is finer than a nanosecond ('finer: truncate' cuts it off): '\(text)'")
    #expect(read(text, "dd.MM.yyyy HH:mm:ss.S") { $0.finer = .truncate } == "2024-01-02T09:30:00.123456789Z")
  }

  @Test func `days of a spreadsheet are read to the millisecond`() {
    func read(_ text: String) -> String {
      TimeTests.read(text) {
        $0.time = TimeForm(.excel)
        $0.zone = "UTC"
      }
    }
    // 45,293 days after 1899-12-30; 0.395833333 of a day are 9.5 hours.
    #expect(read("45293") == "2024-01-02T00:00:00Z")
    #expect(read("45293.3958333333") == "2024-01-02T09:30:00Z")
    #expect(read("45293.395833333336") == "2024-01-02T09:30:00Z")
    #expect(read("45293.9999999999") == "2024-01-03T00:00:00Z")
    #expect(read("1.5") == "1899-12-31T12:00:00Z")
    #expect(read("-1") == "'time' is not a time in days since 1899-12-30, as spreadsheets write: '-1'")
    #expect(read("45293,5").hasSuffix("fields, but the header has 3"))
  }

  @Test(
    arguments: [
      ("MM/dd/yyyy hh:mm", "hh and a belong together"), ("MM/dd", "a date needs a year"), ("mm/dd/yyyy", "a date needs a year"),
      ("yyyy-MM-dd mm:ss", "there is no hour"), ("yyyy-MM-dd MM", "a part is there twice"),
      ("yyyy-MM-dd 'at HH", "a single quote is not closed"),
      ("yyyy-MM-DD", "'DD' is no part of a time"), ("", "there is no hour"),
    ])
  func `what is no pattern says why`(text: String, start: String) {
    do throws(TimePattern.Fault) {
      _ = try TimePattern(text)
      Issue.record("\(text) is a pattern")
    } catch { #expect(error.message.hasPrefix(start), "\(error.message)") }
  }

  @Test(
    arguments: [
      ("01/02/2024 09:30:00.000", ["MM/dd/yyyy HH:mm:ss.SSS", "dd/MM/yyyy HH:mm:ss.SSS"]), ("13/02/2024", ["dd/MM/yyyy"]),
      ("02/13/24", ["MM/dd/yy"]), ("1/2/2024 9:30 AM", ["M/d/yyyy h:mm a", "d/M/yyyy h:mm a"]), ("02.01.2024 15:30", ["dd.MM.yyyy HH:mm"]),
      ("2-Jan-2024", ["d-MMM-yyyy"]), ("Jan 02, 2024", ["MMM dd, yyyy"]), ("Tue 2 January 2024", ["EEE d MMMM yyyy"]),
      ("20240102T093000", ["yyyyMMddTHHmmss"]), ("20240102 093000", ["yyyyMMdd HHmmss"]), ("20240102093000", ["yyyyMMddHHmmss"]),
      ("2024.01.02 09:30", ["yyyy.MM.dd HH:mm"]), ("2024-01-02 09:30:00 UTC", ["yyyy-MM-dd HH:mm:ss UTC"]),
      ("20240102;093000", ["yyyyMMdd;HHmmss"]), ("02 Jan 2024 09:30:00 GMT+0100", ["dd MMM yyyy HH:mm:ss GMTX"]),
      ("2024-01-02, 09:30:00", ["yyyy-MM-dd, HH:mm:ss"]), ("yesterday", []), ("100.25", []), ("1,234.5", []), ("09:30", ["HH:mm"]),
      ("AAPL", []),
      ("1704187800", []),
    ])
  func `the pattern of a text is guessed, both where day and month may be exchanged`(text: String, patterns: [String]) {
    #expect(TimePattern.guesses(text).map(\.text) == patterns)
  }

  @Test func `further texts decide between patterns`() {
    #expect(TimePattern.guesses(["01/02/2024", "01/13/2024"]).map(\.text) == ["MM/dd/yyyy"])
    #expect(TimePattern.guesses(["13/02/2024", "01/02/2024"]).map(\.text) == ["dd/MM/yyyy"])
    #expect(TimePattern.guesses(["12/31/2023 16:00", "1/2/2024 9:30"]).map(\.text) == ["M/d/yyyy H:mm"])
    #expect(TimePattern.guesses(["1.2.2024 9:30:00.5", "1.2.2024 9:30:00.123"]).map(\.text) == ["d.M.yyyy H:mm:ss.S"])
    #expect(TimePattern.guesses(["01/02/2024", "x"]).isEmpty)
  }
}
