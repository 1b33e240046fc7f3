internal import StockbusPlugin

/// What an instance leaves to the next one: the contents in the order in which they last came.
struct SavedOccurrences: Sendable, Codable {
  struct Content: Sendable, Codable {
    var event: SavedEvent
    /// How often each line has brought it.
    var counts: [UInt32]
    var passed: UInt32
    var last: Int64
  }

  var lines: [String]
  var now: Int64
  var contents: [Content]
}

extension Occurrences {
  var saved: SavedOccurrences {
    SavedOccurrences(
      lines: lines, now: now,
      contents: remembered.map {
        SavedOccurrences.Content(event: SavedEvent($0.event), counts: $0.counts, passed: $0.passed, last: $0.last)
      })
  }

  /// Goes on from an instance that may have remembered for another time. Called before the first event.
  mutating func restore(_ saved: SavedOccurrences) {
    attend(to: saved.lines)
    restore(now: saved.now)
    // In order whatever was left, as the list has to be.
    var last = Int64.min
    for content in saved.contents {
      guard let event = content.event.event(E.self) else { continue }
      last = max(last, min(content.last, saved.now))
      restore(event, counts: content.counts, passed: content.passed, last: last)
    }
  }
}
