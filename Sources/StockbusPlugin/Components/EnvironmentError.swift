/// An error of the world around a component, not of an event: a full disk, a closed pipe, a damaged file.
///
/// No event is blamed for it: the run that was being worked on comes again, without those of its events that were taken.
public protocol EnvironmentError: Error {
  /// True where a further life would only meet it again: supervision then does not try one.
  var isPermanent: Bool { get }
  /// Events at the beginning of a sink's run that it has taken before it failed: they count as delivered and do not come again.
  var taken: Int { get }
}

extension EnvironmentError {
  public var taken: Int { 0 }
}

/// An environment error in words.
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
