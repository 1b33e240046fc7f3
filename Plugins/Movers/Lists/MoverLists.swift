internal import MarketData

/// The three lists; unwanted ones stay empty.
struct MoverLists {
  /// The changes by an update of a symbol, with the present members of each list.
  struct Changes {
    var gainers = TopList<Int64>.Change()
    var losers = TopList<Int64>.Change()
    var active = TopList<Int128>.Change()
  }

  /// The lists at some moment.
  struct Snapshot {
    var gainers: [TopList<Int64>.Member]
    var losers: [TopList<Int64>.Member]
    var active: [TopList<Int128>.Member]
  }

  private(set) var gainers: TopList<Int64>
  private(set) var losers: TopList<Int64>
  private(set) var active: TopList<Int128>

  init(top: Int) {
    gainers = TopList(capacity: top)
    losers = TopList(capacity: top)
    active = TopList(capacity: top)
  }

  mutating func extend(to count: Int, _ rules: Rules) {
    if rules.ranksPercent {
      gainers.extend(to: count)
      losers.extend(to: count)
    }
    if rules.ranksActivity { active.extend(to: count) }
  }

  var snapshot: Snapshot { Snapshot(gainers: gainers.members, losers: losers.members, active: active.members) }

  /// Sets a symbol's keys. A list in which it neither takes part nor did so is not touched, which saves its cache lines.
  @inline(__always)
  mutating func update(_ entry: UInt32, _ keys: Rules.Keys, _ flags: inout MoverStanding.Flags) -> Changes {
    var changes = Changes()
    if keys.gain != .min || flags.contains(.isGainer) {
      changes.gainers = gainers.update(entry, keys.gain)
      if keys.gain != .min { flags.insert(.isGainer) } else { flags.remove(.isGainer) }
    }
    if keys.loss != .min || flags.contains(.isLoser) {
      changes.losers = losers.update(entry, keys.loss)
      if keys.loss != .min { flags.insert(.isLoser) } else { flags.remove(.isLoser) }
    }
    if keys.activity != .min || flags.contains(.isActive) {
      changes.active = active.update(entry, keys.activity)
      if keys.activity != .min { flags.insert(.isActive) } else { flags.remove(.isActive) }
    }
    return changes
  }
}
