internal import StockbusPlugin

// What is known of the lines when others come, or another instance.
extension Occurrences {
  /// From now on these are the lines. Of one that was a line before, what it has brought is known; another one has brought nothing.
  mutating func attend(to names: [String]) {
    if names == lines, !onlyHere.isEmpty { return }
    onlyHere = Array(repeating: 0, count: names.count)
    let known = remembered
    let before = lines
    (lines, contents, events, counts) = (names, [], [], [])
    (unused, oldest, newest, count, capacity, textBytes) = (-1, -1, -1, 0, 0, 0)
    table = ContiguousArray(repeating: -1, count: 1024)
    mostSlots = max(1, min(memory / slotBytes, Int(Int32.max)))
    let places = names.map { before.firstIndex(of: $0) }
    for content in known {
      restore(content.event, counts: places.map { $0.map { content.counts[$0] } ?? 0 }, passed: content.passed, last: content.last)
    }
  }

  /// A content with how often each line has brought it.
  struct Remembered {
    var event: E
    var counts: [UInt32]
    var passed: UInt32
    var last: Int64
  }

  /// All contents, in the order in which they last came.
  var remembered: [Remembered] {
    var all: [Remembered] = []
    var slot = oldest
    while slot >= 0 {
      let content = contents[slot]
      all.append(
        Remembered(
          event: events[slot], counts: Array(counts[slot * lines.count..<(slot + 1) * lines.count]), passed: content.passed,
          last: content.last))
      slot = Int(content.newer)
    }
    return all
  }

  /// Continues at the time of an earlier instance.
  mutating func restore(now: Int64) { self.now = now }

  /// Adds a content that came after those that were added before. Ignored if it is known, and if there is nothing more to compare.
  mutating func restore(_ event: E, counts own: [UInt32], passed: UInt32, last: Int64) {
    withUnsafePointer(to: event) { at in
      let hash = identity.hash(at)
      guard lines.count > 1, own.count == lines.count, find(at, hash) < 0 else { return }
      let slot = add(event, hash, textBytes: identity.textBytes(of: at))
      for line in own.indices { counts[slot * lines.count + line] = min(own[line], passed) }
      contents[slot].passed = passed
      contents[slot].last = min(last, now)
      if isEven(slot) { remove(slot) }
    }
  }
}
