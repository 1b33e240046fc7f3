/// A topic's events as an `AsyncSequence`; each iterator is one subscriber.
public struct EventSequence<E: Event>: AsyncSequence, Sendable {
  public typealias Element = E
  public typealias Failure = Never
  let topic: Topic<E>
  let options: SubscriptionOptions

  /// The subscription begins here, not at the first `next`: the iterator gets everything published after this call.
  public func makeAsyncIterator() -> Iterator { makeAsyncIterator(at: begin()) }

  /// Begins now for an iterator that is made later.
  package func begin() -> Beginning { Beginning(topic.attach(Parker(), options: options)) }

  /// An iterator that gets everything published since `beginning`, of which only one may be made.
  package func makeAsyncIterator(at beginning: Beginning) -> Iterator { Iterator(beginning) }

  /// Where an iterator begins. It detaches when it and its iterator are destroyed.
  package final class Beginning: Sendable {
    fileprivate let inlet: Inlet<E>

    fileprivate init(_ inlet: Inlet<E>) { self.inlet = inlet }

    deinit { inlet.detach() }
  }

  /// Not Sendable, because one task reads it. It detaches when it is destroyed.
  public final class Iterator: AsyncIteratorProtocol {
    private let inlet: Inlet<E>
    private let beginning: Beginning

    fileprivate init(_ beginning: Beginning) {
      inlet = beginning.inlet
      self.beginning = beginning
    }

    public func next() async -> E? { await next(isolation: #isolation) }

    /// The next event; nil at the topic's end or when the task is cancelled.
    public func next(isolation actor: isolated (any Actor)?) async -> E? {
      while true {
        if Task.isCancelled { return nil }
        let batch = inlet.nextBatch(limit: 1)
        if let event = batch.first {
          inlet.begin(1)
          inlet.finish(1)
          return event
        }
        let parker = inlet.parker
        let more = await withTaskCancellationHandler {
          await inlet.waitUntilReady()
        } onCancel: {
          parker.wake()
        }
        if !more { return nil }
      }
    }
  }
}

extension Topic {
  /// The events from now on, one after the other.
  public func events(options: SubscriptionOptions = .new) -> EventSequence<E> { EventSequence(topic: self, options: options) }
}
