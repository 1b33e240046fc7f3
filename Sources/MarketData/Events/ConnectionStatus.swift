/// What became of a connection to the world.
public struct ConnectionStatus: Hashable, Sendable {
  public enum State: UInt8, BitwiseCopyable, Hashable, Sendable, CaseIterable {
    case disconnected, connecting, connected
  }
  /// The component whose connection it is.
  public var component: String
  public var state: State
  /// Why, in words.
  public var reason: String
  public var time: Timestamp

  public init(component: String, state: State, reason: String, time: Timestamp) {
    self.component = component
    self.state = state
    self.reason = reason
    self.time = time
  }
}
