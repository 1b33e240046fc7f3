/// An error of the world around a component, not of an event: a full disk, a closed pipe, a damaged file.
///
/// No event is blamed for it: the run that was being worked on comes again whole.
public protocol EnvironmentError: Error {
  /// True where a further life would only meet it again: supervision then does not try one.
  var isPermanent: Bool { get }
}

/// An environment error in words.
public struct EnvironmentFailure: EnvironmentError, CustomStringConvertible {
  public let description: String
  public let isPermanent: Bool

  public init(_ description: String, isPermanent: Bool) {
    self.description = description
    self.isPermanent = isPermanent
  }
}
