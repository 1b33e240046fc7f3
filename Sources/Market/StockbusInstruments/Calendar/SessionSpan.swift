package import MarketData

/// The state of a market at a moment.
package enum SessionKind: UInt8, CaseIterable, BitwiseCopyable, Sendable {
  case closed, pre, regular, post

  /// The name of the kind: `regular`.
  package var word: String {
    switch self {
    case .closed: "closed"
    case .pre: "pre"
    case .regular: "regular"
    case .post: "post"
    }
  }

  /// The session as events carry it; a closed market has none.
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
/// With a span, a hot path calls its calendar only a few times a day: while `contains` is true, an event costs one comparison.
package struct SessionSpan: BitwiseCopyable, Hashable, Sendable {
  package let kind: SessionKind
  /// The trading date. A closed market has the date of the previous session.
  package let date: TradingDate
  package let start: Timestamp
  /// The length in nanoseconds from `start`; unsigned, so that a span may be as long as the whole range of time.
  @usableFromInline let length: UInt64

  /// A span from `start` up to, but not including, `end`.
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

  /// An initial span, which contains no time.
  package static let none = SessionSpan()

  /// The moment at which the span ends.
  package var end: Timestamp { Timestamp(ns: start.ns &+ Int64(bitPattern: length)) }

  @inlinable @inline(__always)
  package func contains(_ time: Timestamp) -> Bool { UInt64(bitPattern: time.ns &- start.ns) < length }
}
