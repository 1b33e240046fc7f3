public import EventBus
public import MarketData

/// A processor that is called when time advances, for example to end a bar when nothing trades.
///
/// Time is that of the events' receipts, not the clock's: it is taken from the events, and between them from the inputs' watermarks. So a
/// replay gives the same results as the live run. The events of several inputs arrive in the order of their receipts, ties in the order of
/// the configuration's `inputs`.
///
/// An event received at `r` implies that everything received before `r` has arrived. So `process` first has to do what `advance(to:)` does
/// for the last moment before `r`. The component's output then depends neither on batches nor on pauses nor on how often `advance` is
/// called. `TimedEventProcessor` ensures this.
///
/// An output event caused by an event has that event's receipt; one caused by time has the moment when it was due. Receipts of output
/// events never decrease.
public protocol TimedProcessor<Input, Output>: Processor {
  /// Does the work due by `time`, after everything received up to and including `time` has been processed. Called when no event waits, with
  /// times that never decrease. A throw ends the instance.
  func advance(to time: Timestamp, into output: inout Outlet<Output>) throws
  /// The next time at which `advance` has work to do; nil if there is none. The watermarks of live sources that wait for input are then
  /// advanced by the clock.
  var due: Timestamp? { get }
}

/// A timed processor that gets one event at a time. Before each event it is advanced to just before the event's receipt.
public protocol TimedEventProcessor<Input, Output>: TimedProcessor, EventProcessor {}

extension TimedEventProcessor {
  @inlinable
  public func process(_ events: Span<Input>, into output: inout Outlet<Output>) throws {
    for i in events.indices {
      let before = Input.schema.receipt(of: events[i]).before
      if let due, due <= before { try advance(to: before, into: &output) }
      try process(events[i], into: &output)
    }
  }
}

/// A timed processor of several event types, with one handler for each.
public protocol MultiProcessor<Output>: Component {
  associatedtype Output: Event
  /// One handler, such as `InputHandler(Trade.self) { $0.take($1, into: &$2) }`, for every event type that the processor takes.
  static var handlers: [InputHandler<Self>] { get }
  /// See `TimedProcessor.advance`.
  func advance(to time: Timestamp, into output: inout Outlet<Output>) throws
  /// See `TimedProcessor.due`.
  var due: Timestamp? { get }
  /// Called once after the last event of all inputs: send the events held back. A throw is a permanent failure: these events are lost.
  func drain(into output: inout Outlet<Output>) throws
  /// Called instead of `drain` if an instance with other options, or another run with this memory, continues at the next event; the default
  /// calls `drain`.
  func handOver(into output: inout Outlet<Output>) throws
}

extension MultiProcessor {
  @usableFromInline typealias Settling = @Sendable (isolated Self, inout Outlet<Output>) async throws -> Void
  /// Processes waiting events, for whose output there is the given room; returns how many.
  @usableFromInline typealias Turn = @Sendable (isolated Self, Int, inout Outlet<Output>) -> Int

  public func advance(to time: Timestamp, into output: inout Outlet<Output>) throws {}
  public var due: Timestamp? { nil }
  public func drain(into output: inout Outlet<Output>) throws {}
  public func handOver(into output: inout Outlet<Output>) throws { try drain(into: &output) }
}

/// A processor of several event types that has to wait before its output may be visible.
public protocol SettlingProcessor<Output>: MultiProcessor {
  /// Called after each call of a handler, `advance`, `drain` or `handOver`; may wait, for what must be stored before its output is visible.
  /// Meanwhile commands are performed and no events arrive. A throw counts as one of the preceding call.
  func settle(into output: inout Outlet<Output>) async throws
}

/// One event type that a `MultiProcessor` takes, with the method that processes its batches.
public struct InputHandler<Owner: MultiProcessor>: Sendable {
  @usableFromInline package let type: any Event.Type
  @usableFromInline let attach: @Sendable (any AnyInlet) -> Attached

  /// `body` gets the next events of this type, inside the component's isolation; rules as for `Processor.process`.
  @inlinable
  public init<E: Event>(_: E.Type, _ body: @escaping @Sendable (isolated Owner, Span<E>, inout Outlet<Owner.Output>) throws -> Void) {
    type = E.self
    attach = { inlet in
      guard let inlet = inlet as? Inlet<E> else { preconditionFailure("the wiring gave a topic of another type") }
      return Attached(
        inlet: inlet,
        process: { owner, limit, output in
          let batch = inlet.nextBatch(limit: limit)
          if batch.count == 0 { return 0 }
          inlet.begin(batch)
          try body(owner, batch.span, &output)
          return batch.count
        },
        finish: { count, filtered in inlet.finish(count, filtered: filtered) })
    }
  }

  /// A handler with its inlet. A class, so that the loop need not retain its parts for each batch.
  @usableFromInline package final class Attached: Sendable {
    @usableFromInline let inlet: any AnyInlet
    /// Processes waiting events, at most the given number; returns how many it has processed, which are not finished.
    @usableFromInline let process: @Sendable (isolated Owner, Int, inout Outlet<Owner.Output>) throws -> Int
    /// Finishes the given number of events, of which the second number were filtered.
    @usableFromInline let finish: @Sendable (Int, Int) -> Void

    @usableFromInline
    init(
      inlet: any AnyInlet, process: @escaping @Sendable (isolated Owner, Int, inout Outlet<Owner.Output>) throws -> Int,
      finish: @escaping @Sendable (Int, Int) -> Void
    ) {
      self.inlet = inlet
      self.process = process
      self.finish = finish
    }
  }
}
