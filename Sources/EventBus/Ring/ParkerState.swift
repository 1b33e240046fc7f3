/// The state of a parker as a pure state machine: it returns what is to be resumed, and the caller resumes it outside the lock.
///
/// It holds one permit: a wake-up that comes before the sleep is kept and ends the next sleep at once, so none is lost. Two wake-ups before
/// one sleep count as one, because a component that wakes checks everything again.
struct ParkerState<Sleeper> {
  enum Phase {
    case awake
    /// `wake` was called since the last sleep ended.
    case notified
    case asleep(Sleeper)
  }

  private(set) var phase = Phase.awake

  /// The owner wants to sleep. Returns the sleeper to be resumed at once if a wake-up is kept.
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

  /// There is news for the owner. Returns the sleeper to be resumed, if there is one.
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
