/// An error that a component's `drain` has thrown: the events held back are lost, and another instance cannot recover them.
@usableFromInline package struct DrainError: Error, CustomStringConvertible {
  package let underlying: any Error

  /// Wraps an error, except a cancellation.
  @usableFromInline
  static func of(_ error: any Error) -> any Error { error is CancellationError ? error : DrainError(underlying: error) }

  @usableFromInline package var description: String { "\(underlying)" }
}
