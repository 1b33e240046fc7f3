internal import MarketData
internal import StockbusInstruments

// What a run leaves to the next one. Lists and positions follow from the standings, and what is due from the periods.
extension MoverBoard {
  struct Saved: Codable, Sendable {
    var standings: [MoverStanding]
    var received: Int64
    var changeByTime: UInt32
    var clocks: [PeriodClock]
    /// Nil for periods of a calendar.
    var window: RollingWindow.Saved?
  }

  var saved: Saved {
    Saved(
      standings: Array(standings), received: received, changeByTime: changeByTime, clocks: clocks, window: window?.saved)
  }

  /// Goes on from a board with the same settings. Returns false, and begins anew, if the calendars of the symbols are others now, or if no board
  /// has left this.
  mutating func restore(_ saved: Saved) -> Bool {
    let symbols = Set(saved.standings.map(\.symbol))
    guard standings.isEmpty, symbols.count == saved.standings.count, saved.clocks.count == clocks.count,
      (saved.window == nil) == (window == nil),
      saved.standings.allSatisfy({ Int($0.calendar) == calendar(of: $0.symbol) })
    else { return false }
    if let left = saved.window, window?.restore(left, symbols: saved.standings.count) != true { return false }
    (received, changeByTime, clocks) = (saved.received, saved.changeByTime, saved.clocks)
    nextDue = window?.due ?? clocks.map(\.due).min() ?? .max
    lists.extend(to: saved.standings.count, rules)
    for standing in saved.standings {
      var standing = standing
      standing.flags.subtract([.isGainer, .isLoser, .isActive])
      // Splits may have become known since then.
      let last = standing.time == .min ? standing.referenceTime : standing.time
      if last > .min { standing.nextSplit = reference.split(standing.symbol, last)?.time ?? .max }
      list(standing)
    }
    return true
  }
}

extension RollingWindow {
  struct Saved: Codable, Sendable {
    var buckets: [Bucket]
    /// By symbol: where its newest slot is.
    var last: [Last]
  }

  var saved: Saved { Saved(buckets: buckets, last: Array(last)) }

  /// Returns false, and changes nothing, if no window has left this: each slot leads to an earlier one of its symbol, or to a bucket that has left
  /// the window, and so is before all others.
  mutating func restore(_ saved: Saved, symbols: Int) -> Bool {
    guard saved.last.count == symbols, zip(saved.buckets, saved.buckets.dropFirst()).allSatisfy({ $0.number < $1.number }) else {
      return false
    }
    let start = saved.buckets.first?.number ?? .max
    let counts = Dictionary(uniqueKeysWithValues: saved.buckets.map { ($0.number, $0.slots.map(\.entry)) })
    func isPlace(_ bucket: Int64, _ index: UInt32, of entry: UInt32) -> Bool {
      guard let entries = counts[bucket] else { return bucket < start }
      return Int(index) < entries.count && entries[Int(index)] == entry
    }
    var (buckets, last) = (saved.buckets, ContiguousArray(saved.last))
    for at in buckets.indices {
      for index in buckets[at].slots.indices {
        let slot = buckets[at].slots[index]
        guard Int(slot.entry) < symbols, slot.previousBucket < buckets[at].number,
          isPlace(slot.previousBucket, slot.previousIndex, of: slot.entry)
        else { return false }
        // A bucket of this number must not be found if it comes again.
        if slot.previousBucket < start { (buckets[at].slots[index].previousBucket, buckets[at].slots[index].previousIndex) = (.min, 0) }
      }
    }
    for (entry, place) in last.enumerated() {
      if !isPlace(place.bucket, place.index, of: UInt32(truncatingIfNeeded: entry)) { return false }
      if place.bucket < start { last[entry] = Last() }
    }
    put(buckets, last)
    return true
  }
}

extension MoverFeed {
  struct Saved: Codable, Sendable {
    var board: MoverBoard.Saved
    var barLength: BarLength?
    var bars: [Symbol: LastBar]
    var totals: [Symbol: Int64]
  }
}
