internal import StockbusFiles
internal import StockbusPlugin

/// A time in a configuration: with an offset from UTC, or as local time of a zone.
struct ReplayMoment: Hashable, Sendable {
  /// Why the time does not exist in the zone, in one sentence.
  struct Missing: Error {
    let message: String
  }
  enum Form: Hashable, Sendable {
    /// With an offset: independent of the zone.
    case exact
    /// A local time.
    case clock
    /// The first moment of a day.
    case day
  }
  let form: Form
  /// The written time; without an offset it is stored as if it were UTC.
  let written: Timestamp

  /// The moment in a zone, or in UTC if there is none. Throws if the local time does not exist in the zone.
  ///
  /// Of a local time that occurs twice, because clocks are set back, the first counts, as in rows.
  func time(in zone: inout ZoneRules?) throws(Missing) -> Timestamp {
    guard form != .exact, let name = zone?.name else { return written }
    let (seconds, rest) = written.ns.quotientAndRemainder(dividingBy: 1_000_000_000)
    // Rounded down, also before 1970.
    let local = rest < 0 ? Int(seconds) - 1 : Int(seconds)
    let found = form == .day ? zone?.begin(ofDay: local / 86_400 - (local % 86_400 < 0 ? 1 : 0)) : zone?.utc(local: local)
    guard let found else { throw Missing(message: "\(self) does not exist in \(name): clocks go forward") }
    let (ns, isOver) = Int64(found).multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, isOver2) = ns.addingReportingOverflow(rest < 0 ? rest + 1_000_000_000 : rest)
    if isOver || isOver2 { throw Missing(message: "\(self) is out of range in \(name)") }
    return Timestamp(ns: sum)
  }
}

extension ReplayMoment: ScalarOption, CustomStringConvertible {
  init(option text: String) throws(OptionTextError) {
    do throws(TextError) {
      written = try Timestamp(iso8601: text)
      form = .exact
    } catch {
      if error.code == .outOfRange || error.code == .tooManyDecimals { throw .because(error.reason) }
      if let time = try? Timestamp(iso8601: text + "Z") {
        (form, written) = (.clock, time)
      } else if let time = try? Timestamp(iso8601: text + "T00:00:00Z") {
        (form, written) = (.day, time)
      } else {
        throw .mismatch
      }
    }
  }
  static var optionType: OptionType {
    OptionType("time", plural: "times", phrase: "a time such as \(optionSample), 2013-10-08 09:30 or 2013-10-08")
  }
  static var optionSample: String { "2013-10-08T13:30:00Z" }
  static var optionSchema: JSONValue { ["type": "string"] }

  var description: String {
    switch form {
    case .exact: written.description
    case .clock: String(written.description.dropLast())
    case .day: String(written.description.prefix { $0 != "T" })
    }
  }
  var optionText: String { description }
}
