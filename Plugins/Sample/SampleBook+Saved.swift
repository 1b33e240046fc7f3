internal import StockbusPlugin

/// What an instance leaves to the next one: the open intervals in the order of their ends.
struct SavedIntervals: Sendable, Codable {
  struct Interval: Sendable, Codable {
    /// The symbol's last event, which waits or was sent.
    var event: SavedEvent
    /// The columns beside it; nil without columns.
    var row: [String: Int64]?
    var end: Int64
    /// The number of the event in the order of arrival; nil if it was sent.
    var waiting: Int?
  }

  var every: Int64
  var now: Int64
  var newest: Int64
  var lastEnd: Int64
  var intervals: [Interval]
}

extension SampleBook {
  var saved: SavedIntervals {
    var open: [SavedIntervals.Interval] = []
    var place = first
    while place >= 0 {
      let interval = intervals[place]
      open.append(
        SavedIntervals.Interval(
          event: SavedEvent(events[place]), row: rows.saved(place), end: interval.end,
          waiting: interval.state == .waiting ? interval.number : nil))
      place = Int(interval.next)
    }
    return SavedIntervals(every: every, now: now, newest: newest, lastEnd: lastEnd, intervals: open)
  }

  /// Goes on from an instance that may have had another length: its intervals keep their beginnings. Called before the first event.
  mutating func restore(_ saved: SavedIntervals) {
    restoreTime(now: saved.now, newest: saved.newest, lastEnd: saved.lastEnd)
    let longer = every.subtractingSaturating(saved.every)
    for interval in saved.intervals {
      guard let event = interval.event.event(E.self) else { continue }
      restore(event, interval.row, end: interval.end.addingSaturating(longer), waiting: interval.waiting.map { max(0, min($0, .max / 2)) })
    }
  }
}
