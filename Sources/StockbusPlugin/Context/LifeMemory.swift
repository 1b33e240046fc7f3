internal import Synchronization

/// What a component keeps from one life to the next, such as its place in a file. Gone when the run ends.
public final class LifeMemory: Sendable {
  private let values = Mutex<[String: any Sendable]>([:])

  public init() {}

  subscript(key: String) -> (any Sendable)? {
    get { values.withLock { $0[key] } }
    set { values.withLock { $0[key] = newValue } }
  }
}
