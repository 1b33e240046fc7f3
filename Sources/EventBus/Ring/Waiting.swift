/// What whoever waits for the other end of a ring does first.
public enum WaitStrategy: String, Sendable, Hashable, CaseIterable {
  /// Stays awake for a moment, as long as that has paid lately: the shortest way to an end that runs on another core.
  case spin
  /// Gives its thread back at once: the shortest way to an end that runs on the same thread next.
  case park
}

/// How a component waits.
public struct Waiting: Sendable {
  public let strategy: WaitStrategy
  let watch: (any SleepWatch)?

  /// Without a watch whoever falls asleep runs the heavy barrier itself.
  public init(_ strategy: WaitStrategy = .spin, watch: (any SleepWatch)? = nil) {
    self.strategy = strategy
    self.watch = watch
  }
}

/// Spares sleepers their heavy barriers: runs one for many, and looks again on their behalf.
///
/// What it promises: after `notice` has answered true, a heavy barrier is run, and `lookAgain` called on the parker after it; soon
/// in any case, and before the thread that called goes idle. `endNotice` comes before the barrier.
public protocol SleepWatch: AnyObject, Sendable {
  /// The owner of `parker` has announced itself and is about to sleep. Answers false where it must run the barrier itself.
  func notice(_ parker: Parker) -> Bool
}

/// What may end a sleep, seen by whoever looks again on the sleeper's behalf.
protocol WakeCause: AnyObject, Sendable {
  /// True where the sleeper has announced itself and was not told of what it waits for.
  var isUnheard: Bool { get }
}
