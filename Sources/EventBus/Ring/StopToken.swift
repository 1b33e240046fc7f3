internal import Synchronization

/// A request to a component that works at topics: to hand over, or to end at once. The token says why; a parker's wake-up only
/// says that there is something to look at.
///
/// A component that waits reads the token after each wake-up and before each sleep. The caller sets it first and then wakes the parkers: a wake-up
/// that comes too early for a sleep is kept, so the order is all that matters.
public final class StopToken: Sendable {
  private let state = Atomic(0)
  private static let quiescing = 1
  private static let cutOff = 2

  public init() {}

  /// The owner is to finish what it has in hand and to return, because another instance goes on in its place. To be followed by a wake-up of
  /// all the places where it may sleep.
  public func quiesce() { _ = state.bitwiseOr(Self.quiescing, ordering: .sequentiallyConsistent) }

  /// The owner is to end at once, whatever waits. For good, and to be followed by a wake-up likewise.
  public func cutOff() { _ = state.bitwiseOr(Self.cutOff, ordering: .sequentiallyConsistent) }

  /// Takes `quiesce` back, where the owner has not returned.
  public func goOn() { _ = state.bitwiseAnd(~Self.quiescing, ordering: .sequentiallyConsistent) }

  public var isQuiescing: Bool { state.load(ordering: .acquiring) & Self.quiescing != 0 }
  public var isCutOff: Bool { state.load(ordering: .acquiring) & Self.cutOff != 0 }
}
