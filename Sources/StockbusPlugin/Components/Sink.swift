public import EventBus

/// Consumes runs of events; may wait, because sinks talk to the world. A method without `async` satisfies it too, and costs
/// nothing.
///
/// An actor that is a `Sink` and a `Source` is a relay: what it receives goes out, what comes back is published, each in its own
/// loop, interleaved at their awaits. Its `drain` says that nothing more will be received; its `run` then has to return.
public protocol Sink<Input>: Component {
  associatedtype Input: Event
  /// Called with as many events as are waiting, in order, never empty. A throw ends the life; the run comes again to the next
  /// life, one event at a time: at least once.
  func receive(_ events: Span<Input>) async throws
  /// Called once after the last event of all inputs: flush. A throw is a failure for good: what was held back is lost.
  func drain() async throws
  /// Called instead of `drain` where another instance goes on at the next event, because of other options: `drain` where nothing else
  /// is said. A sink that waits for people or for the world at its end does not do that here.
  func handOver() async throws
}

extension Sink {
  public func drain() async throws {}
  public func handOver() async throws { try await drain() }
}

/// A sink of several event types: one line for each in `handlers`.
public protocol MultiSink: Component {
  /// `Handler(Trade.self) { $0.show($1) }` for every type it takes.
  static var handlers: [Handler<Self>] { get }
  /// Called after every round of hand-overs; may wait: write out here what the handlers have collected, so that a slow world
  /// slows the bus down and nothing piles up. A throw ends the life; what was handed over does not come again.
  func settle() async throws
  /// Called once after the last event of all inputs: flush. A throw is a failure for good: what was held back is lost.
  func drain() async throws
  /// Called instead of `drain` where another instance goes on at the next event, because of other options: `drain` where nothing else
  /// is said. A sink that waits for people or for the world at its end does not do that here.
  func handOver() async throws
}

extension MultiSink {
  public func settle() async throws {}
  public func drain() async throws {}
  public func handOver() async throws { try await drain() }
}

/// One event type that a `MultiSink` takes, with the method that gets its runs.
public struct Handler<Owner: MultiSink>: Sendable {
  public let type: any Event.Type
  @usableFromInline let attach: @Sendable (any AnyInlet) -> Attached

  /// `body` gets as many events as are waiting, inside the sink's isolation; a throw ends the life as for `Sink`.
  @inlinable
  public init<E: Event>(_: E.Type, _ body: @escaping @Sendable (isolated Owner, Span<E>) throws -> Void) {
    type = E.self
    attach = { inlet in
      guard let inlet = inlet as? Inlet<E> else { preconditionFailure("the wiring gave a topic of another type") }
      return Attached(inlet: inlet) { owner in
        let batch = inlet.nextBatch(limit: maximumBatch)
        if batch.count == 0 { return 0 }
        inlet.begin(batch.count)
        try body(owner, batch.span)
        inlet.finish(batch.count)
        return batch.count
      }
    }
  }

  /// A handler with its inlet.
  public struct Attached: Sendable {
    @usableFromInline let inlet: any AnyInlet
    /// Hands over what waits; answers how many.
    @usableFromInline let drain: @Sendable (isolated Owner) throws -> Int

    @usableFromInline
    init(inlet: any AnyInlet, drain: @escaping @Sendable (isolated Owner) throws -> Int) {
      self.inlet = inlet
      self.drain = drain
    }
  }
}
