public import EventBus
public import MarketData

/// Consumes batches of events. It may wait, because sinks do I/O; a method without `async` satisfies the requirement too, at no cost.
///
/// An actor that is a `Sink` and a `Source` is a relay: it sends what it receives to the outside and publishes what comes back, in two
/// loops that interleave at their awaits. Its `drain` means that no more events will be received; its `run` then has to return.
public protocol Sink<Input>: Component {
  associatedtype Input: Event
  /// Called with waiting events, in order, never empty. A throw ends the instance; the batch is delivered again to the next instance, one
  /// event at a time. So each event is delivered at least once.
  func receive(_ events: Span<Input>) async throws
  /// Called once after the last event of all inputs: flush. A throw is a permanent failure: events held back are lost.
  func drain() async throws
  /// Called instead of `drain` if an instance with other options, or another run with this memory, continues at the next event; the default
  /// calls `drain`. A sink whose `drain` waits for a person or a remote end does not wait here.
  func handOver() async throws
}

extension Sink {
  public func drain() async throws {}
  public func handOver() async throws { try await drain() }
}

/// A sink for which a batch is a round trip to another system: it gets all waiting events at once, so that one wait serves all of them.
@usableFromInline
package protocol RemoteSink: Sink {}

/// A sink that is called when time advances, for example to report that nothing has come for a while. It may be a relay.
///
/// Time and the order of several inputs are those of a `TimedProcessor`, and so is what makes a replay equal to the live run: an event
/// received at `r` implies that everything received before `r` has arrived, so `receive` first has to do what `advance(to:)` does for the
/// last moment before `r`.
public protocol TimedSink<Input>: Sink {
  /// True if the component needs time with these settings, which is the default. Without it, it is served like any other sink: several
  /// inputs come as they arrive, and neither `advance` nor `due` is called.
  static func worksWithTime(_ settings: Settings) -> Bool
  /// Does the work due by `time`, after everything received up to and including `time` has been received. Called when no event waits, with
  /// times that never decrease; may wait. A throw ends the instance.
  func advance(to time: Timestamp) async throws
  /// The next time at which `advance` has work to do; nil if there is none, and a time that has passed to get the present one. The
  /// watermarks of live sources that wait for input are then advanced by the clock.
  var due: Timestamp? { get }
}

extension TimedSink {
  public static func worksWithTime(_ settings: Settings) -> Bool { true }
}

/// A relay that passes time on: when it advances its output to a time, all that it received up to that time has come back and is published.
public protocol TimedRelay: Sink, Source {
  /// Called when its inputs' events up to `time` have been taken and no event waits, if a reader of its output waits for time.
  func advance(to time: Timestamp)
}

/// A sink of several event types, with one handler for each.
public protocol MultiSink: Component {
  /// One handler, such as `Handler(Trade.self) { $0.show($1) }`, for every event type that the sink takes.
  static var handlers: [Handler<Self>] { get }
  /// Called after every round of deliveries; may wait. Write here what the handlers have collected, so that slow output slows the bus down
  /// and nothing accumulates. A throw ends the instance; delivered events are not delivered again.
  func settle() async throws
  /// Called once after the last event of all inputs: flush. A throw is a permanent failure: events held back are lost.
  func drain() async throws
  /// Called instead of `drain` if an instance with other options, or another run with this memory, continues at the next event; the default
  /// calls `drain`. A sink whose `drain` waits for a person or a remote end does not wait here.
  func handOver() async throws
}

extension MultiSink {
  public func settle() async throws {}
  public func drain() async throws {}
  public func handOver() async throws { try await drain() }
}

/// One event type that a `MultiSink` takes, with the method that receives its batches.
public struct Handler<Owner: MultiSink>: Sendable {
  @usableFromInline package let type: any Event.Type
  @usableFromInline let attach: @Sendable (any AnyInlet) -> Attached

  /// `body` receives the waiting events, inside the sink's isolation; a throw ends the instance as for `Sink`.
  @inlinable
  public init<E: Event>(_: E.Type, _ body: @escaping @Sendable (isolated Owner, Span<E>) throws -> Void) {
    type = E.self
    attach = { inlet in
      guard let inlet = inlet as? Inlet<E> else { preconditionFailure("the wiring gave a topic of another type") }
      return Attached(inlet: inlet) { owner in
        let batch = inlet.nextBatch(limit: maximumBatch)
        if batch.count == 0 { return 0 }
        inlet.begin(batch)
        try body(owner, batch.span)
        inlet.finish(batch.count)
        return batch.count
      }
    }
  }

  /// A handler with its inlet.
  @usableFromInline package struct Attached: Sendable {
    @usableFromInline let inlet: any AnyInlet
    /// Delivers the waiting events; returns their number.
    @usableFromInline let drain: @Sendable (isolated Owner) throws -> Int

    @usableFromInline
    init(inlet: any AnyInlet, drain: @escaping @Sendable (isolated Owner) throws -> Int) {
      self.inlet = inlet
      self.drain = drain
    }
  }
}
