internal import StockbusPlugin

/// The numbers of a symbol's trades: which have come, and in which ranges some are missing.
///
/// Exact: a number below the last one is either in a hole, or it has come. Only a venue that begins its numbers anew looks the same as one
/// that repeats a trade; it is told by the trade's time, which is then later than that of the last trade.
struct TradeNumbers: Sendable {
  /// A range of missing numbers.
  struct Hole: Hashable, Sendable {
    var first: Int64
    var last: Int64
    /// The time of the trade before it.
    var since: Timestamp
    /// When it is fetched next.
    var due: Duration
    /// How often it was asked for in vain.
    var attempts = 0
    /// True once it was told as a gap: its numbers are not fetched, but sent if they come by themselves.
    var isTold = false

    var range: ClosedRange<Int64> { first...last }
  }

  enum Verdict: Hashable {
    /// One more than the last number, or after new missing ones.
    case next, opens
    /// A missing number.
    case fills
    /// The number has come before.
    case double
    /// The venue has begun its numbers anew; nothing was changed.
    case restarts
  }

  /// The most holes of a symbol; the lowest one is forgotten for a further one, and later trades in it are doubles.
  static let holeLimit = 256
  /// How much later than the last trade a trade with a known number must be, in nanoseconds, to begin the numbers anew: venues do not order
  /// their trades' times exactly.
  static let restart: Int64 = 1_000_000_000

  /// The holes, in the order of their numbers.
  private(set) var holes: [Hole] = []
  private(set) var first: Int64
  private(set) var last: Int64
  private(set) var lastTime: Timestamp

  init(_ number: Int64, at time: Timestamp) {
    first = number
    last = number
    lastTime = time
  }

  /// Behind a recording: every number up to `number` has come before, whatever was missing in there.
  init(after number: Int64, at time: Timestamp) {
    first = .min
    last = number
    lastTime = time
  }

  var openCount: Int { holes.count { !$0.isTold } }

  /// Records the number of a trade that has come. A hole that it opens is due at `due`.
  mutating func take(_ number: Int64, at time: Timestamp, due: Duration) -> Verdict {
    if number > last {
      let isNext = number - 1 == last
      if !isNext { holes.append(Hole(first: last + 1, last: number - 1, since: lastTime, due: due)) }
      last = number
      lastTime = max(lastTime, time)
      return isNext ? .next : .opens
    }
    if remove(number, onlyOpen: false) { return .fills }
    let (later, overflows) = time.ns.subtractingReportingOverflow(lastTime.ns)
    if !overflows, later > Self.restart { return .restarts }
    if number >= first { return .double }
    let isNext = number + 1 == first
    if !isNext { holes.insert(Hole(first: number + 1, last: first - 1, since: time, due: due), at: 0) }
    first = number
    return isNext ? .fills : .opens
  }

  /// Takes a number out of its hole; false if it is in none.
  mutating func remove(_ number: Int64, onlyOpen: Bool) -> Bool {
    guard let index = hole(of: number), !onlyOpen || !holes[index].isTold else { return false }
    _ = cut(index, number...number) { _ in nil }
    return true
  }

  /// True if a number is missing and may be fetched.
  func misses(_ number: Int64) -> Bool { hole(of: number).map { !holes[$0].isTold } ?? false }

  /// Marks the open holes in `range` as told, and returns them.
  mutating func tell(_ range: ClosedRange<Int64>) -> [Hole] {
    var told: [Hole] = []
    change(range) { hole in
      told.append(hole)
      var hole = hole
      hole.isTold = true
      return hole
    }
    return told
  }

  /// Puts off the open holes in `range` until `due`. Another attempt in vain is counted, unless some of its numbers were found.
  mutating func postpone(_ range: ClosedRange<Int64>, until due: Duration, wasInVain: Bool) {
    change(range) { hole in
      var hole = hole
      hole.due = due
      hole.attempts = wasInVain ? hole.attempts + 1 : 0
      return hole
    }
  }

  /// Forgets the lowest hole if there are too many; returns it if it was not told.
  mutating func shrink() -> Hole? {
    guard holes.count > Self.holeLimit else { return nil }
    let index = holes.firstIndex { $0.isTold } ?? 0
    let hole = holes.remove(at: index)
    return hole.isTold ? nil : hole
  }

  private func hole(of number: Int64) -> Int? { holes.lastIndex { $0.first <= number }.flatMap { holes[$0].last >= number ? $0 : nil } }

  private mutating func change(_ range: ClosedRange<Int64>, _ body: (Hole) -> Hole?) {
    var index = 0
    while index < holes.count {
      guard !holes[index].isTold, holes[index].range.overlaps(range) else {
        index += 1
        continue
      }
      index += cut(index, holes[index].range.clamped(to: range), body)
    }
  }

  /// Replaces the part of a hole in `range`; returns how many holes there are in its place.
  private mutating func cut(_ index: Int, _ range: ClosedRange<Int64>, _ body: (Hole) -> Hole?) -> Int {
    let hole = holes[index]
    var parts: [Hole] = []
    if hole.first < range.lowerBound {
      var part = hole
      part.last = range.lowerBound - 1
      parts.append(part)
    }
    var middle = hole
    (middle.first, middle.last) = (range.lowerBound, range.upperBound)
    if let changed = body(middle) { parts.append(changed) }
    if hole.last > range.upperBound {
      var part = hole
      part.first = range.upperBound + 1
      parts.append(part)
    }
    holes.replaceSubrange(index...index, with: parts)
    return parts.count
  }
}
