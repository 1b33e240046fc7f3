/// An error that may be known to come again in every further life: supervision then does not try one.
public protocol PermanentError: Error {
  /// True where another life would only meet it again.
  var isPermanent: Bool { get }
}
