internal import Synchronization

/// How long one event took over an edge, in nanoseconds of the caller's clock.
@usableFromInline package struct EdgeTiming: Sendable, Hashable {
  /// When it was published; if several were at once, the last of them is meant.
  package let published: Int64
  /// When its reader has taken it in hand, and with it all before it.
  package let taken: Int64
  /// When the reader has finished it.
  package let finished: Int64

  package init(published: Int64, taken: Int64, finished: Int64) {
    self.published = published
    self.taken = taken
    self.finished = finished
  }
}

/// A measurement of one event; its reader uses it, from when the event is published.
final class EdgeTimer: Sendable {
  let clock: @Sendable () -> Int64
  let report: @Sendable (EdgeTiming) -> Void
  /// The number after that of the event, and when it was published.
  let end = Register()
  let published = Register()
  /// When the reader has taken it; 0 before.
  private let taken = Register()

  init(clock: @escaping @Sendable () -> Int64, report: @escaping @Sendable (EdgeTiming) -> Void) {
    self.clock = clock
    self.report = report
  }

  func take() { taken.number = Int(clock()) }

  func finish() {
    report(EdgeTiming(published: Int64(published.number), taken: Int64(taken.number), finished: clock()))
  }

  var isTaken: Bool { taken.number != 0 }
}

// Measuring one event at a time. The producer learns of it from its attention word, and the reader from `indirect`, so an edge that is not
// measured pays nothing.
extension Inlet {
  @usableFromInline package func time(
    by clock: @escaping @Sendable () -> Int64, report: @escaping @Sendable (EdgeTiming) -> Void
  ) {
    // One that is under way is not disturbed. If the event was conflated or dropped, or came before a hand-over, nothing is reported.
    if isTimed { return }
    awaitedTimer.withLock { $0 = EdgeTimer(clock: clock, report: report) }
    _ = topic.attention.pointee.bitwiseOr(Topic<E>.timerBit, ordering: .sequentiallyConsistent)
  }

  private var isTimed: Bool { indirect.number & Self.timerBit != 0 }

  /// See `Reader.beginTiming`.
  func begin(timingUpTo end: Int) {
    let timer = awaitedTimer.withLock { timer in
      defer { timer = nil }
      return timer
    }
    guard let timer else { return }
    timer.published.number = Int(timer.clock())
    timer.end.number = end
    self.timer.withLock { $0 = timer }
    _ = indirect.value.bitwiseOr(Self.timerBit, ordering: .sequentiallyConsistent)
  }

  /// The reader gets, or looks at, `n` events. The last time before it finishes them is when it has taken them.
  func noteTaken(_ n: Int) {
    guard let timer = presentTimer else { return }
    // It got the event before it could know of the timer.
    if reach(0) >= timer.end.number { return endTiming() }
    if reach(n) >= timer.end.number { timer.take() }
  }

  /// The reader has finished `n` events, and its position is still before them.
  func noteFinished(_ n: Int) {
    guard let timer = presentTimer, reach(n) >= timer.end.number else { return }
    endTiming()
    if timer.isTaken { timer.finish() }
  }

  private func endTiming() {
    _ = indirect.value.bitwiseAnd(~Self.timerBit, ordering: .sequentiallyConsistent)
    timer.withLock { $0 = nil }
  }

  private var presentTimer: EdgeTimer? { isTimed ? timer.withLock { $0 } : nil }

  /// The number after the last of the reader's next `n` events.
  private func reach(_ n: Int) -> Int {
    if hasSnapshot { return .min }
    if let mailbox { return mailbox.reach(n) }
    return cursor.pointee.load(ordering: .relaxed) &+ n
  }
}
