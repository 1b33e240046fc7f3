public import EventBus
package import MarketData

/// Turns batches of events into events, without waiting for anything.
public protocol Processor<Input, Output>: Component {
  associatedtype Input: Event
  associatedtype Output: Event
  /// Called with waiting events, in order, never empty.
  ///
  /// `output.send` never waits; the runtime waits between batches. The sent events become visible when this returns. A throw discards these
  /// events and the values remembered meanwhile, and ends the instance; the batch is delivered again to the next instance, one event at a
  /// time, and an event that throws when it is alone becomes a dead letter.
  func process(_ events: Span<Input>, into output: inout Outlet<Output>) throws
  /// Called once after the last event of all inputs: send the events held back. A throw is a permanent failure: these events are lost.
  func drain(into output: inout Outlet<Output>) throws
  /// Called instead of `drain` if an instance with other options, or another run with this memory, continues at the next event; the default
  /// calls `drain`. Anything that is neither sent nor remembered is lost.
  func handOver(into output: inout Outlet<Output>) throws
}

extension Processor {
  public func drain(into output: inout Outlet<Output>) throws {}
  public func handOver(into output: inout Outlet<Output>) throws { try drain(into: &output) }
}

/// A processor that distinguishes its inputs, which have one event type.
@usableFromInline
package protocol LaneProcessor<Input, Output>: Component {
  associatedtype Input: Event
  associatedtype Output: Event
  /// True if the events of its inputs always come in the order of their receipts, as those of a timed processor: each call then has the
  /// events of one input that are next.
  static var mergesInputs: Bool { get }
  /// How many inputs it needs at least, for examples.
  static var leastInputs: Int { get }
  /// Called before the first batch, and again whenever other components become the inputs: their names, in order.
  func attend(to inputs: [String])
  /// As `Processor.process`; all events are from the input at `lane` of the names.
  func process(_ events: Span<Input>, from lane: Int, into output: inout Outlet<Output>) throws
  func drain(into output: inout Outlet<Output>) throws
  func handOver(into output: inout Outlet<Output>) throws
}

extension LaneProcessor {
  package static var mergesInputs: Bool { false }
  package static var leastInputs: Int { 1 }
  package func drain(into output: inout Outlet<Output>) throws {}
}

/// A processor that distinguishes its inputs and gets the time; rules as for `TimedProcessor`. The events of all inputs come in the order of
/// their receipts.
@usableFromInline
package protocol TimedLaneProcessor<Input, Output>: LaneProcessor {
  func advance(to time: Timestamp, into output: inout Outlet<Output>) throws
  var due: Timestamp? { get }
}

/// A processor that gets one event at a time, still without waiting. It is as fast, because the loop is compiled in the plugin.
public protocol EventProcessor<Input, Output>: Processor {
  associatedtype Input  // redeclared, because inference does not find the refined protocol's through the default below
  associatedtype Output
  /// Called with every event, in order; rules as for `process(_ events:)`.
  func process(_ event: Input, into output: inout Outlet<Output>) throws
}

extension EventProcessor {
  @inlinable
  public func process(_ events: Span<Input>, into output: inout Outlet<Output>) throws {
    for i in events.indices { try process(events[i], into: &output) }
  }
}

/// Turns batches of events into events, and may wait meanwhile, for example for a service or a file.
public protocol AsyncProcessor<Input, Output>: Component {
  associatedtype Input: Event
  associatedtype Output: Event
  /// Called with waiting events, in order, never empty. No sent event is visible before this returns, however long it waits. A throw
  /// discards all of them, and the batch is delivered again as for `Processor`. Effects outside the bus are not undone, so they happen at
  /// least once.
  func process(_ events: Span<Input>, into output: inout Outlet<Output>) async throws
  /// Called once after the last event of all inputs: send the events held back. A throw is a permanent failure: these events are lost.
  func drain(into output: inout Outlet<Output>) async throws
  /// Called instead of `drain` if an instance with other options, or another run with this memory, continues at the next event; the default
  /// calls `drain`. Anything that is neither sent nor remembered is lost.
  func handOver(into output: inout Outlet<Output>) async throws
}

extension AsyncProcessor {
  public func drain(into output: inout Outlet<Output>) async throws {}
  public func handOver(into output: inout Outlet<Output>) async throws { try await drain(into: &output) }
}
