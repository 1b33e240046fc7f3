import MarketData
import Testing

@testable import FileReplay

/// Quotation marks in files without a header, whose rows may have any number of fields.
@Suite struct BareQuoteTests {
  private let bare = options {
    $0.csv.hasHeader = false
    $0.columns = ["symbol": "1", "price": "2", "time": "3"]
  }

  @Test func `fields in quotation marks are read without them where there is no header`() {
    let outcome = run("A,1,1\n\"B\",\"2.50\",\"2\"\n\"C, or \"\"D\"\"\",3,3\nE,4,4,\"more,\nand more\"\nF,5,5\n", bare)
    #expect(outcome.events.map(line) == ["A 1 x0 @1970-01-01T00:00:01Z", "B 2.50 x0 @1970-01-01T00:00:02Z"] + tail)
    #expect(outcome.reasons.count == 1 && outcome.reasons[0].hasPrefix("3: 'symbol': a symbol cannot contain"))
  }

  private let tail = ["E 4 x0 @1970-01-01T00:00:04Z", "F 5 x0 @1970-01-01T00:00:05Z"]

  /// Found by libFuzzer: the column positions of the previous row were used, and some were beyond the row's end.
  @Test func `a quotation mark in a later row is malformed where it is, and no place of another row is used`() {
    let outcome = run("A,1,17\n\"I\",\"1.25\"x,3\nAo%\", then\n", bare)
    #expect(outcome.events.map(line) == ["A 1 x0 @1970-01-01T00:00:17Z"])
    #expect(
      outcome.reasons == [
        "2: byte 11: text between a closing quotation mark and the next field",
        "3: byte 4: a quotation mark inside a field that does not begin with one",
      ])
  }
}
