package import MarketData

/// What a market does at a moment.
package enum SessionKind: UInt8, CaseIterable, BitwiseCopyable, Sendable {
  case closed, pre, regular, post

  /// `regular`.
  package var word: String {
    switch self {
    case .closed: "closed"
    case .pre: "pre"
    case .regular: "regular"
    case .post: "post"
    }
  }

  /// The same as events carry it, where a closed market has no session.
  package var session: MarketSession {
    switch self {
    case .closed: .unknown
    case .pre: .pre
    case .regular: .regular
    case .post: .post
    }
  }
}

/// A stretch of time in which neither the kind of session nor the trading date changes.
///
/// It lets a hot path ask its calendar a few times a day only: while `contains` holds for an event's time, one comparison is all it costs.
package struct SessionSpan: BitwiseCopyable, Hashable, Sendable {
  package let kind: SessionKind
  /// The trading date. A closed market still has the date of the session before.
  package let date: TradingDate
  package let start: Timestamp
  /// The nanoseconds from `start`; unsigned, so that a span may be as long as the whole range of time.
  @usableFromInline let length: UInt64

  /// From `start` up to, but not including, `end`.
  init(_ kind: SessionKind, _ date: TradingDate, from start: Timestamp, to end: Timestamp) {
    self.kind = kind
    self.date = date
    self.start = start
    length = UInt64(bitPattern: end.ns &- start.ns)
  }

  private init() {
    kind = .closed
    date = TradingDate(days: .min)
    start = Timestamp(ns: 0)
    length = 0
  }

  /// A span that contains no time, to begin with.
  package static let none = SessionSpan()

  /// The moment at which it is over.
  package var end: Timestamp { Timestamp(ns: start.ns &+ Int64(bitPattern: length)) }

  @inlinable @inline(__always)
  package func contains(_ time: Timestamp) -> Bool { UInt64(bitPattern: time.ns &- start.ns) < length }
}

/// The span that a component is in, by one calendar.
package struct SessionCursor: BitwiseCopyable, Sendable {
  package private(set) var span = SessionSpan.none

  package init() {}

  /// The span of `time`. Costs one comparison as long as that is the same as before; times may go back.
  @inlinable @inline(__always)
  package mutating func span(at time: Timestamp, in calendar: TradingCalendar) -> SessionSpan {
    if span.contains(time) { return span }
    return look(time, calendar)
  }

  @inline(never) @usableFromInline
  mutating func look(_ time: Timestamp, _ calendar: TradingCalendar) -> SessionSpan {
    span = calendar.span(at: time)
    return span
  }
}
