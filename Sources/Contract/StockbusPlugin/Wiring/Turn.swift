public import EventBus

/// Which of a component's inputs is read next. It holds the inlet, because fetching it from the array for every batch would retain and
/// release it, two locked instructions.
@usableFromInline
struct Turn<E: Event> {
  @usableFromInline var inlet: Inlet<E>
  @usableFromInline var place = 0

  /// The most events of its next batch.
  @usableFromInline var limit: Int

  @inlinable
  init(_ first: Inlet<E>, limit: Int) {
    inlet = first
    self.limit = limit
  }
}
