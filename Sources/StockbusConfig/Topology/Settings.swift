public struct SupervisionPolicy: Sendable {
  public enum OnFailure: String, Sendable { case isolate, stop }
  public var restarts = 5
  public var backoff = Duration.milliseconds(100)
  public var maxBackoff = Duration.seconds(10)
  public var onFailure = OnFailure.isolate
  public init() {}
}
public struct RunSettings: Sendable {
  public var drainDeadline = Duration.seconds(10)
  public var seed: UInt64 = 42
  public init() {}
}
