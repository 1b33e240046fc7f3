internal import LibC
public import MarketData

/// The time zone in which times are shown to users, the same for a whole run. Output for machines is in UTC.
public struct DisplayZone: Sendable {
  /// The zone's name: `America/New_York`, `UTC`.
  public let name: String
  private let offset: @Sendable (Int) -> Int

  /// - Parameter offset: seconds east of Greenwich at a time in seconds since the epoch.
  package init(name: String, offset: @escaping @Sendable (Int) -> Int) {
    self.name = name
    self.offset = offset
  }

  public static let utc = DisplayZone(name: "UTC") { _ in 0 }

  /// The zone of the machine or of the environment variable TZ, as the C library knows it.
  public static let system = DisplayZone(name: systemName) { time in
    var seconds = time_t(time)
    var parts = tm()
    return localtime_r(&seconds, &parts) == nil ? 0 : parts.tm_gmtoff
  }

  /// A short form for narrow places: `New York`, `UTC`.
  public var shortName: String {
    String((name.split(separator: "/").last ?? "UTC").map { $0 == "_" ? " " : $0 })
  }

  /// Seconds east of Greenwich at `time`.
  public func offset(at time: Timestamp) -> Int {
    let (seconds, rest) = time.ns.quotientAndRemainder(dividingBy: 1_000_000_000)
    return offset(Int(rest < 0 ? seconds - 1 : seconds))
  }

  /// The zone's time of day to milliseconds: `09:30:00.401`.
  public func timeOfDay(_ time: Timestamp) -> String { shifted(time, by: offset(at: time)).timeOfDay }

  /// The time of day with its offset from UTC, which identifies the zone in a line that stands alone: `09:30:00.401-04:00`,
  /// `13:30:00.401Z`; with `seconds`, to whole seconds: `09:30:00-04:00`.
  public func stamp(_ time: Timestamp, seconds: Bool = false) -> String {
    let offset = offset(at: time)
    return shifted(time, by: offset).timeOfDay.prefix(seconds ? 8 : 12) + Self.text(ofOffset: offset)
  }

  /// If the shifted time is out of a timestamp's range, UTC is shown.
  private func shifted(_ time: Timestamp, by offset: Int) -> Timestamp {
    let (ns, overflow) = time.ns.addingReportingOverflow(Int64(offset) * 1_000_000_000)
    return overflow ? time : Timestamp(ns: ns)
  }

  /// `Z`, `-04:00`, `+05:45`; with seconds if the offset has some, as local mean time had.
  public static func text(ofOffset offset: Int) -> String {
    if offset == 0 { return "Z" }
    let two = { (value: Int) in (value < 10 ? "0" : "") + String(value) }
    let seconds = Int(offset.magnitude)
    let rest = seconds % 60 == 0 ? "" : ":" + two(seconds % 60)
    return (offset < 0 ? "-" : "+") + two(seconds / 3600) + ":" + two(seconds / 60 % 60) + rest
  }

  private static var systemName: String {
    if let set = getenv("TZ") {
      let name = String(cString: set).drop { $0 == ":" }
      return name.isEmpty ? "UTC" : name.firstRange(of: "zoneinfo/").map { String(name[$0.upperBound...]) } ?? String(name)
    }
    var path = [CChar](repeating: 0, count: Int(PATH_MAX))
    if readlink("/etc/localtime", &path, path.count - 1) > 0 {
      let target = String(decoding: path.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      if let found = target.firstRange(of: "zoneinfo/") { return String(target[found.upperBound...]) }
    }
    // A copy of a zone's file has no name, so its present abbreviation is used.
    var now = time(nil)
    var parts = tm()
    guard localtime_r(&now, &parts) != nil, let zone = parts.tm_zone else { return "UTC" }
    return String(cString: zone)
  }
}
