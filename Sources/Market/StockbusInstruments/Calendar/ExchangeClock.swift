package import StockbusFiles

/// The local time of an exchange at every moment in the range of `Timestamp`, and the reverse.
///
/// The zone's changes are computed once, so that each direction is one binary search, without locks or caches.
package struct ExchangeClock: Sendable {
  /// The zone's name: `America/New_York`.
  package let zone: String
  /// Seconds since the epoch at which the offset changes, ascending.
  private let changes: [Int]
  /// Seconds east of Greenwich before the first change, and after each one: one item more than `changes`.
  private let offsets: [Int]
  /// The local times at which the offset in force ends, one for each change; ascending.
  private let localEnds: [Int]

  /// The seconds since the epoch that a `Timestamp` can have.
  static let range = -9_223_372_037..<9_223_372_037

  package init(_ rules: ZoneRules) {
    let found = rules.changes(in: Self.range)
    zone = rules.name
    changes = found.changes.map(\.time)
    offsets = [found.first] + found.changes.map(\.offset)
    var ends: [Int] = []
    for (i, change) in found.changes.enumerated() { ends.append(max(ends.last ?? .min, change.time + offsets[i])) }
    localEnds = ends
  }

  /// The clock of the system's zone with this name.
  package init(zone: String) throws(ZoneProblem) { self.init(try ZoneRules(zone)) }

  private init(utc: Void) {
    zone = "UTC"
    changes = []
    offsets = [0]
    localEnds = []
  }

  /// Coordinated universal time, which needs no file.
  package static let utc = ExchangeClock(utc: ())

  /// Seconds east of Greenwich at `time`, in seconds since the epoch.
  package func offset(at time: Int) -> Int { offsets[Self.count(changes, upTo: time)] }

  /// The offset at `time`, if it is the same for `margin` seconds before and after it; otherwise nil.
  func steadyOffset(at time: Int, margin: Int) -> Int? {
    let place = Self.count(changes, upTo: time)
    if place > 0, changes[place - 1] > time - margin { return nil }
    return place < changes.count && changes[place] < time + margin ? nil : offsets[place]
  }

  /// Seconds since the epoch at the local time `local` (seconds since 1970-01-01T00:00 by a clock of the zone).
  ///
  /// If clocks are set back and show the local time twice, the first moment. If they are set forward and never show it, the moment of the
  /// change. So a later local time never gives an earlier moment.
  package func utc(local: Int) -> Int {
    let at = Self.count(localEnds, upTo: local)
    let time = local - offsets[at]
    return at == 0 ? time : max(time, changes[at - 1])
  }

  /// How many of the `numbers`, in ascending order, are at most `limit`.
  private static func count(_ numbers: [Int], upTo limit: Int) -> Int {
    var (low, high) = (0, numbers.count)
    while low < high {
      let middle = (low + high) / 2
      if numbers[middle] <= limit { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
