public import EventBus

/// The input of a component that is read next. It holds the inlet, because fetching the inlet from the array for every batch would retain
/// and release it, two locked instructions.
@usableFromInline
struct Turn<E: Event> {
  @usableFromInline var inlet: Inlet<E>
  @usableFromInline var place = 0

  /// The most events of the turn's next batch.
  @usableFromInline var limit: Int

  @inlinable
  init(_ first: Inlet<E>, limit: Int) {
    inlet = first
    self.limit = limit
  }
}
