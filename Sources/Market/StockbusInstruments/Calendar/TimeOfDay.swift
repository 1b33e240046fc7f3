package import StockbusPlugin

/// A time by the clock of an exchange, from 00:00 to 24:00.
package struct TimeOfDay: BitwiseCopyable, Hashable, Comparable, Sendable {
  /// Seconds from midnight, at most 86,400.
  package let seconds: Int

  package static func < (a: TimeOfDay, b: TimeOfDay) -> Bool { a.seconds < b.seconds }
}

extension TimeOfDay: ScalarOption {
  package init(option text: String) throws(OptionTextError) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard (2...3).contains(parts.count), parts.allSatisfy({ $0.utf8.count == 2 }) else {
      throw parts.count >= 2 ? .hint("write two digits for each part, such as 09:30") : .mismatch
    }
    var seconds = 0
    for part in parts {
      guard part.utf8.allSatisfy({ $0 &- 48 < 10 }), let number = Int(part) else { throw .mismatch }
      guard number < 60 else { throw .because("a minute or second is at most 59") }
      seconds = seconds * 60 + number
    }
    if parts.count == 2 { seconds *= 60 }
    guard seconds <= 86_400 else { throw .because("the latest is 24:00") }
    self.seconds = seconds
  }
  package static var optionType: OptionType { OptionType("time of day", plural: "times of day", phrase: "a time of day such as 09:30") }
  package static var optionSample: String { "09:30" }
  package static var optionSchema: JSONValue { OptionPattern.text("[0-9]{2}:[0-9]{2}(:[0-9]{2})?") }
  package var optionText: String {
    let two = { (value: Int) in (value < 10 ? "0" : "") + String(value) }
    return two(seconds / 3600) + ":" + two(seconds / 60 % 60) + (seconds % 60 == 0 ? "" : ":" + two(seconds % 60))
  }
}

/// A date with a time of day: `2024-11-29 13:00`.
package struct DatedTime: BitwiseCopyable, Hashable, Sendable {
  package let date: TradingDate
  package let time: TimeOfDay
}

extension DatedTime: ScalarOption {
  package init(option text: String) throws(OptionTextError) {
    let parts = text.split(separator: " ")
    guard parts.count == 2 else { throw .mismatch }
    date = try TradingDate(option: String(parts[0]))
    time = try TimeOfDay(option: String(parts[1]))
  }
  package static var optionType: OptionType {
    OptionType("date with a time", plural: "dates with times", phrase: "a date with a time of day such as 2024-11-29 13:00")
  }
  package static var optionSample: String { "2024-11-29 13:00" }
  package static var optionSchema: JSONValue { OptionPattern.text("[0-9]{4}-[0-9]{2}-[0-9]{2} +[0-9]{2}:[0-9]{2}(:[0-9]{2})?") }
  package var optionText: String { "\(date) \(time.optionText)" }
}

/// A day of the week, or several in a row: `mon`, `mon-fri`.
package struct Weekdays: Hashable, Sendable {
  package let first: Weekday
  package let last: Weekday

  var all: [Weekday] { Weekday.allCases.filter { first.rawValue <= $0.rawValue && $0.rawValue <= last.rawValue } }
}

extension Weekdays: ScalarOption {
  package init(option text: String) throws(OptionTextError) {
    let days = text.split(separator: "-", omittingEmptySubsequences: false).map { word in
      Weekday.allCases.first { $0.word == word }
    }
    guard (1...2).contains(days.count), let first = days.first.flatMap(\.self), let last = days.last.flatMap(\.self) else {
      throw .hint("days are mon, tue, wed, thu, fri, sat and sun")
    }
    guard first.rawValue <= last.rawValue else { throw .because("weeks begin on Monday") }
    self.first = first
    self.last = last
  }
  package static var optionType: OptionType {
    OptionType("days", plural: "days of the week", phrase: "days of the week such as mon or mon-fri")
  }
  package static var optionSample: String { "mon-fri" }
  package static var optionSchema: JSONValue {
    let day = "(mon|tue|wed|thu|fri|sat|sun)"
    return OptionPattern.text("\(day)(-\(day))?")
  }
  package var optionText: String { first == last ? first.word : "\(first.word)-\(last.word)" }
}
