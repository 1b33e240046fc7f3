public import EventBus
public import MarketData

/// A processor that is told how far time has come: what ends a bar when nothing trades.
///
/// Time is that of the events' receipts, not the clock's: it comes from the events themselves, and between them from the watermarks of the
/// inputs. So a replay gives what the live run gave. The events of several inputs come in the order of their receipts, ties in the order
/// of the configuration's `inputs`.
///
/// An event that was received at `r` implies that everything received before `r` has come. So `process` first has to do what
/// `advance(to:)` does for the last moment before `r`. What a component sends then depends neither on batches nor on pauses nor on how often
/// `advance` is called. `TimedEventProcessor` does this by itself.
///
/// What a component sends because of an event has the event's receipt as its own; what it sends because of the time has the moment when it
/// was due. Receipts of what it sends never decrease.
public protocol TimedProcessor<Input, Output>: Processor {
  /// Everything received up to and including `time` has been processed: does what is due by then. Called when no event waits, with times
  /// that never decrease. A throw ends the instance.
  func advance(to time: Timestamp, into output: inout Outlet<Output>) throws
  /// The next time at which `advance` has something to do; nil if there is none. A live source that waits for the outside is then asked how
  /// far time has come.
  var due: Timestamp? { get }
}

/// A timed processor that is given one event at a time. It has been advanced to just before the event's receipt when it gets it.
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
  /// `InputHandler(Trade.self) { $0.take($1, into: &$2) }` for every event type that it takes.
  static var handlers: [InputHandler<Self>] { get }
  /// As for a `TimedProcessor`.
  func advance(to time: Timestamp, into output: inout Outlet<Output>) throws
  /// As for a `TimedProcessor`.
  var due: Timestamp? { get }
  /// Called after each call of a handler, `advance`, `drain` or `handOver`, and may wait: for what has to be kept before anything of it is
  /// visible. Commands are performed meanwhile, and no events come. A throw is one of the call before.
  func settle(into output: inout Outlet<Output>) async throws
  /// Called once after the last event of all inputs: send what is held back. A throw is a permanent failure: what was held back is lost.
  func drain(into output: inout Outlet<Output>) throws
  /// Called instead of `drain` if an instance with other options continues at the next event; the default calls `drain`.
  func handOver(into output: inout Outlet<Output>) throws
}

extension MultiProcessor {
  public func advance(to time: Timestamp, into output: inout Outlet<Output>) throws {}
  public var due: Timestamp? { nil }
  public func settle(into output: inout Outlet<Output>) async throws {}
  public func drain(into output: inout Outlet<Output>) throws {}
  public func handOver(into output: inout Outlet<Output>) throws { try drain(into: &output) }
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
          inlet.begin(batch.count)
          try body(owner, batch.span, &output)
          return batch.count
        },
        finish: { count, filtered in inlet.finish(count, filtered: filtered) })
    }
  }

  /// A handler with its inlet.
  @usableFromInline package struct Attached: Sendable {
    @usableFromInline let inlet: any AnyInlet
    /// Processes at most as many of the events that wait; returns how many it has processed, which are not finished.
    @usableFromInline let process: @Sendable (isolated Owner, Int, inout Outlet<Owner.Output>) throws -> Int
    /// Finishes these events, of which as many were filtered.
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
