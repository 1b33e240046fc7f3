internal import Synchronization

/// A request to a component that works at topics: to hand over, or to end at once. A parker's wake-up only says that something has changed;
/// the token says what.
///
/// A component that waits reads the token after each wake-up and before each sleep. The caller sets the token first and then wakes the
/// parkers. A parker keeps a wake-up that comes before the sleep, so this order is enough.
public final class StopToken: Sendable {
  private let state = Atomic(0)
  private static let quiescing = 1
  private static let cutOff = 2

  public init() {}

  /// Asks the owner to finish its batch and return, because another instance will continue in its place. The caller then wakes all places
  /// where the owner may sleep.
  public func quiesce() { _ = state.bitwiseOr(Self.quiescing, ordering: .sequentiallyConsistent) }

  /// Asks the owner to end at once, even if events wait. It cannot be withdrawn, and the caller then wakes the sleeping places too.
  public func cutOff() { _ = state.bitwiseOr(Self.cutOff, ordering: .sequentiallyConsistent) }

  /// Withdraws `quiesce`, if the owner has not returned.
  public func goOn() { _ = state.bitwiseAnd(~Self.quiescing, ordering: .sequentiallyConsistent) }

  public var isQuiescing: Bool { state.load(ordering: .acquiring) & Self.quiescing != 0 }
  public var isCutOff: Bool { state.load(ordering: .acquiring) & Self.cutOff != 0 }
}
