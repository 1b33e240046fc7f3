internal import StockbusConfig
internal import StockbusPlugin

/// Decides after each failure of a component's instance whether another one follows, and when: a value without clock and tasks.
///
/// Failures are counted from the last progress on (`Achievement`). To find the event that causes failures takes two of them, one with its
/// batch and one alone, which count as one.
struct Restarts: Sendable {
  /// What an instance has failed with.
  enum Cause: Sendable, CaseIterable {
    /// An event that is still to be found: the next instance gets the events of the batch one at a time.
    case unknownEvent
    /// An event that came alone, and is rejected.
    case rejectedEvent
    /// The outside world, with which another instance may have more luck.
    case environment
    /// What fails for every instance.
    case lasting
  }

  enum Verdict: Sendable, Equatable {
    /// Another instance follows, after this pause; at once if it is nil.
    case again(after: Duration?)
    case final
  }

  private let limit: Int
  private let longestPause: Duration
  private var backoff: Backoff
  private var achieved: Achievement
  private var failures = 0
  private var isSearching = false

  init(_ policy: SupervisionPolicy, achieved: Achievement, random: RandomStream) {
    limit = policy.restarts
    longestPause = policy.maxBackoff
    backoff = Backoff(first: min(policy.backoff, policy.maxBackoff), most: policy.maxBackoff, random: random)
    self.achieved = achieved
  }

  /// Takes a failure, with what the component has achieved up to it.
  mutating func fail(_ cause: Cause, achieved now: Achievement) -> Verdict {
    if now.isProgress(since: achieved, longest: longestPause) {
      failures = 0
      backoff.reset()
    }
    achieved = now
    if !(isSearching && cause == .rejectedEvent && failures > 0) { failures += 1 }
    isSearching = cause == .unknownEvent
    if cause == .lasting || failures > limit { return .final }
    // The first failure after progress is retried at once, so a poisoned event costs two instances but no delay.
    return .again(after: failures > 1 ? backoff.next() : nil)
  }
}

/// A component's work up to a time, which shows whether restarting is of use.
///
/// Rejected events are no progress, so a program that fails with each of them reaches its limit. Neither is work of which most is lost
/// again, unless it took longer than the longest pause: then restarts are as rare as they can get.
struct Achievement: Sendable {
  /// Events that were published, delivered or filtered.
  let done: Int
  let lost: Int
  let time: Duration

  func isProgress(since before: Achievement, longest pause: Duration) -> Bool {
    let (newly, lost) = (done - before.done, lost - before.lost)
    // Lost events had been counted as done.
    return newly > 0 && (newly - lost > lost || time - before.time > pause)
  }
}
