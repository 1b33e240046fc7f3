/// Pauses between failing attempts: each may be up to twice as long as the previous one, up to a limit, with random variation.
///
/// A pause is drawn uniformly from the upper half of its bound ("equal jitter": Marc Brooker, "Exponential Backoff and Jitter", AWS
/// Architecture Blog, 2015), so that many clients that lost one server do not all reconnect at the same moment, and none at once.
public struct Backoff: Sendable {
  /// The bound of the first pause.
  public let first: Duration
  /// The bound of the longest pause.
  public let most: Duration
  private var bound: Duration
  private var random: RandomStream

  /// - Parameter random: the component's own stream: `context.random()`.
  public init(first: Duration, most: Duration, random: RandomStream) {
    self.first = max(first, .nanoseconds(1))
    self.most = max(most, self.first)
    bound = self.first
    self.random = random
  }

  /// The next pause: between half its bound and its bound.
  public mutating func next() -> Duration {
    let pause = bound / 2 + bound / 2 * Double(random.next() >> 11) * 0x1p-53
    bound = min(bound * 2, most)
    return pause
  }

  /// To be called when an attempt has succeeded: the next pause is again a first pause.
  public mutating func reset() { bound = first }
}
