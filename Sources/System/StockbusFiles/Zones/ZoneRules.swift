/// The rules of an IANA time zone, cached by day, so that converting millions of local times needs few look-ups in the zone's file.
package struct ZoneRules: Sendable {
  /// The zone's name: `America/New_York`, `UTC`.
  package let name: String
  private let zone: ZoneFile
  /// The offset by local day since 1970-01-01, in seconds east of Greenwich; `mixed` for a day on which it may change.
  private var days: [Int: Int] = [:]
  private var lastDay = Int.min
  private var lastOffset = 0
  private static let mixed = Int.max

  /// Reads the system's file for the zone. Throws if there is none, or it cannot be read. `UTC` needs no file.
  package init(_ name: String) throws(ZoneProblem) { try self.init(name, in: .system) }

  init(_ name: String, in database: ZoneDatabase) throws(ZoneProblem) {
    self.name = name
    zone = name == "UTC" ? ZoneFile() : try database.zone(name)
  }

  /// The offset at `time`, which is in seconds since the epoch; in seconds east of Greenwich.
  package func offset(at time: Int) -> Int { zone.offset(at: time) }

  /// The offset at the beginning of `times` (seconds since the epoch), and its changes after that and before the end, ascending.
  package func changes(in times: Range<Int>) -> (first: Int, changes: [(time: Int, offset: Int)]) { zone.changes(in: times) }

  /// Seconds since the epoch at the local time `local` (seconds since 1970-01-01T00:00:00 by a clock in the zone).
  ///
  /// If clocks are set back and show the local time twice, the first moment; nil if they are set forward and never show it.
  package mutating func utc(local: Int) -> Int? {
    let day = local >= 0 ? local / 86_400 : (local - 86_399) / 86_400
    if day != lastDay {
      lastOffset = offset(onDay: day)
      lastDay = day
    }
    return lastOffset == Self.mixed ? exactUTC(local: local, day: day) : local - lastOffset
  }

  /// Seconds since the epoch at the beginning of a day: midnight, unless clocks are set forward over midnight.
  package mutating func begin(ofDay day: Int) -> Int {
    if let midnight = utc(local: day * 86_400) { return midnight }
    let before = zone.offset(at: (day - 1) * 86_400)
    var low = day * 86_400 - before - 86_400  // before the change
    var high = day * 86_400 - before  // after the change
    while high - low > 1 {
      let middle = (low + high) / 2
      if zone.offset(at: middle) == before { low = middle } else { high = middle }
    }
    return high
  }

  private mutating func offset(onDay day: Int) -> Int {
    if let known = days[day] { return known }
    let before = zone.offset(at: (day - 1) * 86_400)
    let found = before == zone.offset(at: (day + 2) * 86_400) ? before : Self.mixed
    days[day] = found
    return found
  }

  private func exactUTC(local: Int, day: Int) -> Int? {
    let offsets = [zone.offset(at: (day - 1) * 86_400), zone.offset(at: (day + 2) * 86_400)]
    return offsets.filter { zone.offset(at: local - $0) == $0 }.map { local - $0 }.min()
  }
}
