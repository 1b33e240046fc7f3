/// Why a channel's attempts fail, as texts without secrets.
struct Trouble: Sendable {
  /// Why the last attempt failed; nil if it succeeded.
  private(set) var present: String?
  /// The reason of the last attempt that failed.
  private(set) var last: String?
  /// When the first of the present failures was, by the run's clock.
  private var since: Duration?

  /// Records why an attempt failed; returns true if the attempt before succeeded or failed for another reason, so that it should be logged.
  mutating func note(_ reason: String, at now: Duration) -> Bool {
    let isNew = present != reason
    (present, last, since) = (reason, reason, since ?? now)
    return isNew
  }

  /// Records a successful delivery; returns when the failures before it began, nil if there were none.
  mutating func end() -> Duration? {
    defer { (present, since) = (nil, nil) }
    return since
  }
}
