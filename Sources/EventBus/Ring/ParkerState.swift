/// Where one component sleeps, as a pure state machine: what to do is returned, and done outside the lock.
///
/// It is a permit of one: a wake-up that comes before the sleep is kept and ends the next sleep at once, so none is lost. Two
/// wake-ups before one sleep are one: whoever wakes up looks at everything again.
struct ParkerState<Sleeper> {
  enum Phase {
    case awake
    /// Somebody called `wake` since the last sleep ended.
    case notified
    case asleep(Sleeper)
  }

  private(set) var phase = Phase.awake

  /// The owner wants to sleep. Answers the sleeper back where it must not.
  mutating func sleep(_ sleeper: Sleeper) -> Sleeper? {
    switch phase {
    case .notified:
      phase = .awake
      return sleeper
    case .awake:
      phase = .asleep(sleeper)
      return nil
    case .asleep: preconditionFailure("a sleeping place has one owner")
    }
  }

  /// Somebody has something for the owner. Answers the sleeper to be resumed.
  mutating func wake() -> Sleeper? {
    switch phase {
    case .asleep(let sleeper):
      phase = .awake
      return sleeper
    case .awake, .notified:
      phase = .notified
      return nil
    }
  }
}
