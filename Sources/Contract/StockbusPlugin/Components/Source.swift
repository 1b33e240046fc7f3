public import EventBus

/// Produces events.
public protocol Source<Output>: Component {
  associatedtype Output: Event
  /// Called once per instance. Returns when there are no more events to send; then the components downstream drain.
  ///
  /// A graceful stop cancels the task: end by rethrowing what `output` or the clock throws. Events sent before are still delivered. Any
  /// other throw ends the instance, and supervision decides whether another one starts.
  func run(into output: inout Outlet<Output>) async throws
}

/// A source that gives what happens now, and that may have a past: recordings that are played before it begins (`past:`). By a `PastBorder` it
/// leaves out those of its first events that were in there.
public protocol LiveSource: Source {}
