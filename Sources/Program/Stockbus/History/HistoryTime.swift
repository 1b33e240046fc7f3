import ArgumentParser
import StockbusPlugin
import StockbusProgram

/// A date, or a time with a zone, as an argument.
struct HistoryTime: Hashable, Sendable {
  /// Nanoseconds since 1970: the first moment.
  let start: Int64
  /// The end of the date, or the time itself; nil if it is beyond the last possible time.
  let end: Int64?

  init(argument text: String) throws {
    if let date = Self.date(text) {
      let day: Int64 = 86_400_000_000_000
      let (start, overflow) = Int64(date.daysSinceEpoch).multipliedReportingOverflow(by: day)
      if overflow { throw ValidationError("\(shown(text)): the years are 1678 to 2262") }
      self.start = start
      let (end, isLast) = start.addingReportingOverflow(day)
      self.end = isLast ? nil : end
    } else if let time = try? Timestamp(iso8601: text) {
      start = time.ns
      end = time.ns
    } else {
      throw ValidationError("\(shown(text)) is not a time such as 2013-10-08 or 2013-10-08T13:30:00Z")
    }
  }

  private static func date(_ text: String) -> CivilDate? {
    var text = text
    return text.withUTF8 { bytes in
      var reader = ByteReader(bytes)
      guard let date = try? reader.date(), (try? reader.expectEnd()) != nil else { return nil }
      return date
    }
  }
}
