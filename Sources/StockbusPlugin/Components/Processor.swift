public import EventBus

/// Turns runs of events into events, without waiting for anything.
public protocol Processor<Input, Output>: Component {
  associatedtype Input: Event
  associatedtype Output: Event
  /// Called with as many events as are waiting, in order, never empty.
  ///
  /// `output.send` never waits; the runtime waits between runs. What is sent becomes visible when this returns. A throw forgets
  /// it and ends the life; the run comes again to the next life, one event at a time, and the one that throws alone becomes a
  /// dead letter.
  func process(_ events: Span<Input>, into output: inout Outlet<Output>) throws
  /// Called once after the last event of all inputs: send what is held back. A throw is a failure for good: what was held back
  /// is lost.
  func drain(into output: inout Outlet<Output>) throws
  /// Called instead of `drain` where another instance goes on at the next event, because of other options: `drain` where nothing else
  /// is said. What is not sent has to be remembered, or is lost.
  func handOver(into output: inout Outlet<Output>) throws
}

extension Processor {
  public func drain(into output: inout Outlet<Output>) throws {}
  public func handOver(into output: inout Outlet<Output>) throws { try drain(into: &output) }
}

/// The convenience form: one event at a time, still without waiting; as fast, because the loop is compiled in the plugin.
public protocol EventProcessor<Input, Output>: Processor {
  associatedtype Input  // said again, because inference does not look for the refined protocol's through the default below
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

/// Turns runs of events into events and may wait while it does: a look-up in a service, a file.
public protocol AsyncProcessor<Input, Output>: Component {
  associatedtype Input: Event
  associatedtype Output: Event
  /// Called with as many events as are waiting, in order, never empty. Nothing sent is visible before it returns, however long
  /// it waits; a throw forgets it all, and the run comes again as for `Processor`. What was done to the world is not undone:
  /// at least once.
  func process(_ events: Span<Input>, into output: inout Outlet<Output>) async throws
  /// Called once after the last event of all inputs: send what is held back. A throw is a failure for good: what was held back
  /// is lost.
  func drain(into output: inout Outlet<Output>) async throws
  /// Called instead of `drain` where another instance goes on at the next event, because of other options: `drain` where nothing else
  /// is said. What is not sent has to be remembered, or is lost.
  func handOver(into output: inout Outlet<Output>) async throws
}

extension AsyncProcessor {
  public func drain(into output: inout Outlet<Output>) async throws {}
  public func handOver(into output: inout Outlet<Output>) async throws { try await drain(into: &output) }
}
