import MarketData
import StockbusDecoding
import Synchronization
import Testing

@testable import FileReplay

/// Numbers as times, where no option says what they count.
@Suite struct GuessTests {
  /// Rows are read on 2024-03-04 at noon.
  private static let now = Timestamp(ns: 1_709_553_600_000_000_000)

  private static func auto(_ change: (inout ReplayOptions) -> Void = { _ in }) -> ReplayOptions {
    options {
      $0.earliest = TimeGuess.earliest
      $0.now = { now }
      change(&$0)
    }
  }

  /// The time in a CSV field, or why there is none.
  private static func time(_ text: String, _ change: (inout ReplayOptions) -> Void = { _ in }) -> String {
    let outcome = run("symbol,time,price\nA,\(text),1\n", auto(change))
    return outcome.events.first.map { "\($0.time)" } ?? outcome.malformed[0].reason
  }

  @Test(arguments: [
    ("631152000", "1990-01-01T00:00:00Z"), ("1709562600", "2024-03-04T14:30:00Z"), ("1709562600.25", "2024-03-04T14:30:00.250Z"),
    ("1709562600000", "2024-03-04T14:30:00Z"), ("1709562600000000", "2024-03-04T14:30:00Z"),
    ("1709562600000000001", "2024-03-04T14:30:00.000000001Z"), ("1709640000", "2024-03-05T12:00:00Z"),
    ("20240102", "2024-01-02T00:00:00Z"), ("19620102", "1962-01-02T00:00:00Z"), (" 20240102 ", "2024-01-02T00:00:00Z"),
  ])
  func `a number is a time from 1990 to tomorrow in one unit, or a date`(_ text: String, _ time: String) {
    #expect(Self.time(text) == time)
  }

  @Test(arguments: [
    ("631151999", "set 'time: s' (or ms, us, ns, days, yyyymmdd) to say what it is"), ("1709640001", "to say what it is"), ("1", "to say"),
    ("86400", "to say"), ("19786", "'time: days' reads it as days since 1970, 2024-03-04"),
    ("45293", "'time: excel' reads it as a spreadsheet's date, 2024-01-02"),
    ("20300101", "'time: yyyymmdd' reads it as a date, 2030-01-01"), ("20240230", "to say what it is"),
    ("202401020930", "'time: yyyymmdd' reads it as a date, 2024-01-02"), ("20240102093000", "'time: yyyymmdd'"),
    ("34200.183", "to say what it is"), ("-1709562600", "whether in s, ms, us or ns since 1970: '-1709562600'"),
    ("1709562600e3", "whether in s"),
  ])
  func `any other number is refused with what to write`(_ text: String, _ advice: String) {
    let reason = Self.time(text)
    #expect(reason.hasPrefix("'time' is not a time from 1990 to tomorrow, whether in s, ms, us or ns since 1970"))
    #expect(reason.contains(advice), "\(reason)")
  }

  @Test func `what numbers are taken for is said once for each field and unit`() {
    var said: [String] = []
    let text = "symbol,time,received,price\n" + (0..<5).map { "A,\(1_709_562_600 + $0),1709562600\($0)00,1\n" }.joined()
    let outcome = run(text, Self.auto()) { said.append("\($0.line): \($0.text)") }
    #expect(outcome.events.map { ($0.received.ns - $0.time.ns) / 100_000_000 } == [0, -9, -18, -27, -36])
    #expect(
      said == [
        "2: 'time' is read as seconds since 1970: '1709562600' is 2024-03-04T14:30:00Z",
        "2: 'received' is read as milliseconds since 1970: '1709562600000' is 2024-03-04T14:30:00Z",
      ])
  }

  @Test func `a reader that goes on for days takes the times of these days`() {
    let clock = ManualTime()
    let text = "symbol,time,price\nA,1709562600,1\nA,1709735400,1\nA,1709735401,1\n"
    #expect(run(text, Self.auto { $0.now = { clock.next(by: 172_800) } }).events.count == 3)
    #expect(run(text, Self.auto()).events.count == 1)
  }

  @Test(arguments: [
    ("20240102", "2024-01-02T05:00:00Z"), ("20240102093000", "2024-01-02T14:30:00Z"), ("20240102 093000", "2024-01-02T14:30:00Z"),
    ("20240102 0930", "2024-01-02T14:30:00Z"), ("20240102T093000.25", "2024-01-02T14:30:00.250Z"),
    ("20240102 09:30:01", "2024-01-02T14:30:01Z"), ("20240102T093000Z", "2024-01-02T09:30:00Z"), ("2024-01-02", "2024-01-02T05:00:00Z"),
    ("20300101", "2030-01-01T05:00:00Z"), ("202401", "'time' is not a time in the form 20080102 or 20080102093000: '202401'"),
    ("20241302", "'time' is not a time in the form 20080102 or 20080102093000: '20241302'"),
  ])
  func `dates without separators may have the time of day`(_ text: String, _ time: String) {
    let read = Self.time(text) {
      $0.time.format = .compact
      $0.zone = "America/New_York"
    }
    #expect(read == time)
  }

  @Test func `days since 1970 are dates`() {
    #expect(Self.time("19786") { $0.time.format = .days } == "2024-03-04T00:00:00Z")
    #expect(Self.time("-1") { $0.time.format = .days } == "1969-12-31T00:00:00Z")
    #expect(Self.time("1.5") { $0.time.format = .days } == "'time' is not a time in days since 1970: '1.5'")
  }
}

/// A clock that goes on when it is asked.
private final class ManualTime: Sendable {
  private let seconds = Mutex<Int64>(1_709_553_600)

  func next(by step: Int64) -> Timestamp {
    seconds.withLock { seconds in
      defer { seconds += step }
      return Timestamp(ns: seconds * 1_000_000_000)
    }
  }
}
