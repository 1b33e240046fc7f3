/// What a component's `drain` has thrown: what it held back is lost, and no further life can bring it back.
public struct DrainError: Error, CustomStringConvertible {
  public let underlying: any Error

  /// A cancellation stays what it is.
  @usableFromInline
  static func of(_ error: any Error) -> any Error { error is CancellationError ? error : DrainError(underlying: error) }

  public var description: String { "\(underlying)" }
}
