/// An error in the component's environment, not in an event: a full disk, a closed pipe, a damaged file.
///
/// No event counts as its cause: the batch in hand is delivered again, without the events that were taken.
public protocol EnvironmentError: Error {
  /// True if a new instance would meet the same error, so that supervision does not start one.
  var isPermanent: Bool { get }
  /// How many events at the beginning of a batch the sink took before it failed. They count as delivered and are not delivered again.
  var taken: Int { get }
}

extension EnvironmentError {
  public var taken: Int { 0 }
}

/// An environment error with a description.
public struct EnvironmentFailure: EnvironmentError, CustomStringConvertible {
  public let description: String
  public let isPermanent: Bool
  public let taken: Int

  public init(_ description: String, isPermanent: Bool, taken: Int = 0) {
    self.description = description
    self.isPermanent = isPermanent
    self.taken = taken
  }
}
