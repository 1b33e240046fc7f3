internal import StockbusFiles
package import StockbusPlugin

/// A time of day, to the minute: `22:00`.
package struct QuietTime: Hashable, Comparable, Sendable {
  /// Minutes since midnight.
  let minutes: Int

  package static func < (a: QuietTime, b: QuietTime) -> Bool { a.minutes < b.minutes }
}

extension QuietTime: ScalarOption {
  package init(option text: String) throws(OptionTextError) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].utf8.count <= 2, parts[1].utf8.count == 2,
      parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (48...57).contains($0) } }), let hour = Int(parts[0]),
      let minute = Int(parts[1])
    else { throw .mismatch }
    guard hour < 24, minute < 60 else { throw .because("an hour is at most 23, a minute at most 59") }
    minutes = hour * 60 + minute
  }
  package static var optionType: OptionType {
    OptionType("time of day", plural: "times of day", phrase: "a time of day such as 22:00, between quotation marks")
  }
  package static var optionSample: String { "22:00" }
  package static var optionSchema: JSONValue { ["type": "string"] }
  package var optionText: String {
    let minute = minutes % 60
    return "\(minutes / 60):" + (minute < 10 ? "0" : "") + "\(minute)"
  }
  package var optionJSON: JSONValue { .string(optionText) }
}

/// The hours in which channels that respect them send nothing.
package struct QuietHours: Options {
  @Setting("When they begin.")
  package var from: QuietTime
  @Setting("When they end; an end before the beginning is on the next day.")
  package var to: QuietTime
  @Setting("Their time zone: a name of the IANA time zone database, such as Europe/Zurich.", length: 1...100)
  package var zone = "UTC"

  package init() {}

  package func validate(_ problems: inout OptionProblems) {
    if from == to { problems.add("'from' and 'to' are the same", at: "to") }
    do throws(ZoneProblem) { _ = try ZoneRules(zone) } catch { problems.add("'zone': \(error.message)", at: "zone") }
  }
}
