public import EventBus

/// The events of one component of a run, in order, until the end of its output.
///
/// The first iterator gets everything published since the sequence was created; any further iterator begins when it is created.
public final class RunEvents<E: Event>: AsyncSequence, Sendable {
  public typealias Element = E
  public typealias Failure = Never
  private let sequence: EventSequence<E>
  /// The beginning of the first iterator: attached and not iterated yet.
  private let first: Guarded<EventSequence<E>.Beginning?>

  init(_ topic: Topic<E>, _ options: SubscriptionOptions) {
    sequence = topic.events(options: options)
    first = Guarded(sequence.begin())
  }

  public func makeAsyncIterator() -> EventSequence<E>.Iterator {
    let beginning = first.withLock { first in
      defer { first = nil }
      return first
    }
    return beginning.map { sequence.makeAsyncIterator(at: $0) } ?? sequence.makeAsyncIterator()
  }
}
