public import EventBus

/// Makes events.
public protocol Source<Output>: Component {
  associatedtype Output: Event
  /// Called once a life. Returns when there is nothing more to send: then downstream drains.
  ///
  /// A graceful stop cancels the task: end with what `output` or the clock throws. What was sent by then is still delivered. Any
  /// other throw ends the life, and supervision decides about the next.
  func run(into output: inout Outlet<Output>) async throws
}
