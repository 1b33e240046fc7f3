public import EventBus

/// Whose turn it is among a component's inputs. Holds the inlet, because fetching it from the array for every run would count it up
/// and down, two locked instructions.
@usableFromInline
struct Turn<E: Event> {
  @usableFromInline var inlet: Inlet<E>
  @usableFromInline var place = 0

  @inlinable
  init(_ first: Inlet<E>) { inlet = first }
}
