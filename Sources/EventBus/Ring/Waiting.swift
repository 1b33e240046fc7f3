/// What a component does before it sleeps while it waits for the other end of a ring.
public enum WaitStrategy: String, Sendable, Hashable, CaseIterable {
  /// Spins for a moment, as long as that has paid lately: fastest if the other end runs on another core.
  case spin
  /// Gives its thread back at once: fastest if the other end runs next on the same thread.
  case park
}

/// How a component waits.
public struct Waiting: Sendable {
  public let strategy: WaitStrategy
  let watch: (any SleepWatch)?

  /// Without a watch the sleeper runs the heavy barrier itself.
  public init(_ strategy: WaitStrategy = .spin, watch: (any SleepWatch)? = nil) {
    self.strategy = strategy
    self.watch = watch
  }
}

/// Runs one heavy barrier for many sleepers, and then checks again on their behalf.
///
/// It guarantees: after `notice` has returned true, it runs a heavy barrier and then calls `lookAgain` on the parker, soon in any case, and
/// before the calling thread goes idle. It calls `endNotice` before the barrier.
public protocol SleepWatch: AnyObject, Sendable {
  /// The owner of `parker` has announced itself and is about to sleep. Returns false if the owner must run the barrier itself.
  func notice(_ parker: Parker) -> Bool
}

/// Something that may end a sleep, as the watch sees it.
protocol WakeCause: AnyObject, Sendable {
  /// True if the sleeper has announced itself and has not been woken, although what it waits for is there.
  var isUnheard: Bool { get }
}
