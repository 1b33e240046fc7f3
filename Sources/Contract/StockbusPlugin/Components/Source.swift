public import EventBus

/// Produces events.
public protocol Source<Output>: Component {
  associatedtype Output: Event
  /// Called once per instance. Returns when there is nothing more to send; then the components downstream drain.
  ///
  /// A graceful stop cancels the task: end by rethrowing what `output` or the clock throws. What was sent by then is still delivered. Any
  /// other throw ends the instance, and supervision decides whether there is another.
  func run(into output: inout Outlet<Output>) async throws
}
