package import StockbusPlugin

/// The pauses between attempts to get data from one server, for clients of every kind: they grow while the attempts bring none, and last at
/// least as long as the server asks for.
///
/// Neither an open connection nor a message ends their growth: a server that acknowledges a subscription and closes would otherwise be
/// connected to several times a second without end, for which venues ban clients. Only service ends it: a connection that has lasted for
/// `goodService`, or one that has brought the requested data and has lasted for `shortService`. So a server that each time sends data and
/// then closes gets about one connection in ten seconds at most.
package struct RetryPauses: Sendable {
  /// The time after which a connection has served, whatever it has brought.
  package static let goodService = Duration.seconds(60)
  /// The time after which a connection has served if it has brought the requested data.
  package static let shortService = Duration.seconds(10)

  private var backoff: Backoff

  /// - Parameters:
  ///   - first: the bound of the first pause.
  ///   - most: the bound of the longest pause, unless a server asks for more.
  ///   - random: the component's own stream: `context.random()`.
  package init(first: Duration, most: Duration, random: RandomStream) {
    backoff = Backoff(first: first, most: most, random: random)
  }

  /// Notes that a connection has ended; returns true if it has served, after which the next pause is a first one.
  ///
  /// - Parameters:
  ///   - lasted: from the beginning of the attempt to its end.
  ///   - hasDelivered: requested data have arrived, such as an event; not an acknowledgement, a heartbeat or a refusal.
  package mutating func ended(after lasted: Duration, hasDelivered: Bool) -> Bool {
    guard lasted >= (hasDelivered ? Self.shortService : Self.goodService) else { return false }
    succeeded()
    return true
  }

  /// Notes that an attempt has brought the requested data: the next pause is again a first pause.
  package mutating func succeeded() { backoff.reset() }

  /// The pause before the next attempt.
  ///
  /// - Parameter asked: the pause that the server has asked for.
  package mutating func next(asked: RetryAfter? = nil) -> Duration { max(backoff.next(), asked?.pause ?? .zero) }
}
