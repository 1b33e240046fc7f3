/// What became of a connection to the world, or of a document that is fetched from it.
public struct ConnectionStatus: Hashable, Sendable {
  public enum State: UInt8, BitwiseCopyable, Hashable, Sendable, CaseIterable {
    /// Of a connection that stays: down, being made, up.
    case disconnected, connecting, connected
    /// Of a document that is fetched again and again: on its way; here with something in it, or with nothing; not what it should
    /// be; not to be had.
    case loading, loaded, empty, malformed, failed
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
