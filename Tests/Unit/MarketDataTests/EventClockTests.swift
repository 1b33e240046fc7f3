import MarketData
import Testing

@Suite struct EventClockTests {
  private let second: Int64 = 1_000_000_000

  /// The reading for each of these events (time, time of receipt; in seconds), and the clock's time after it.
  private func readings(_ events: [(Int64, Int64)]) -> [(EventClock.Reading, Int64)] {
    var clock = EventClock()
    return events.map { time, received in
      let reading = clock.take(Timestamp(ns: time * second), received: Timestamp(ns: received * second))
      return (reading, clock.now / second)
    }
  }

  private func expect(_ events: [(Int64, Int64)], _ expected: [(EventClock.Reading, Int64)]) {
    let found = readings(events)
    #expect(found.map(\.0) == expected.map(\.0))
    #expect(found.map(\.1) == expected.map(\.1))
  }

  @Test func `an event dated ahead counts as of its receipt; stragglers and five seconds change nothing`() {
    expect(
      [(10, 11), (15, 12), (18, 12), (90_000, 13), (14, 15), (16, 16), (9, 17), (18, 18)],
      [(.fair, 10), (.fair, 15), (.ahead, 15), (.ahead, 15), (.fair, 15), (.fair, 16), (.fair, 16), (.fair, 18)])
  }

  @Test func `a feed whose clock is always ahead goes by its receipts`() {
    expect([(110, 10), (111, 11), (112, 12)], [(.ahead, 10), (.ahead, 11), (.ahead, 12)])
  }

  @Test func `three receipts in a row before the clock's time set it back to the newest of them`() {
    expect(
      [(1, 1), (90_000, 90_000), (2, 2), (4, 4), (3, 3), (5, 5)],
      [(.fair, 1), (.fair, 90_000), (.fair, 90_000), (.fair, 90_000), (.setBack, 4), (.fair, 5)])
    // One event that agrees between them means that a new day has begun; two that do not are late events.
    expect(
      [(1, 1), (90_000, 90_000), (2, 2), (3, 3), (90_001, 90_001), (4, 4), (5, 5)],
      [(.fair, 1), (.fair, 90_000), (.fair, 90_000), (.fair, 90_000), (.fair, 90_001), (.fair, 90_001), (.fair, 90_001)])
  }

  @Test func `late times of a live feed never set it back`() {
    expect(Array(repeating: (1, 1000), count: 5) + [(999, 1000)], Array(repeating: (.fair, 1), count: 5) + [(.fair, 999)])
    expect([(999, 1000)] + Array(repeating: (1, 1000), count: 5), Array(repeating: (.fair, 999), count: 6))
  }

  @Test func `the ends of time do not trap`() {
    var clock = EventClock()
    for time in [Int64.min, 0, .max] {
      for received in [Int64.min, 0, .max, 0, 0, 0, 0] { _ = clock.take(Timestamp(ns: time), received: Timestamp(ns: received)) }
    }
    #expect(EventClock.fair(Timestamp(ns: .max), received: Timestamp(ns: .max)).ns == .max)
  }
}
