/// An actor that is told of events inside its isolation.
public protocol Subscriber<Input>: Actor {
  associatedtype Input: Event
  /// Called with as many events as are waiting, in order, never empty; never called again after a throw.
  func receive(_ events: Span<Input>, _ delivery: Delivery) throws
}

/// What is known about a run besides its events.
public struct Delivery: Sendable, Hashable {
  /// The number of the run's first event on its topic, counted from 1. A snapshot's events all stand for the state after this
  /// number; the next live event is the following one. Lossy subscriptions number what they hand over, gaps not shown.
  public let sequence: Int
  /// True for the last values that `initial` asked for.
  public let isInitial: Bool
}

/// A symbol's event together with the one before it.
public struct Change<E: SymbolEvent>: Sendable {
  /// The event before, nil for the symbol's first.
  public let old: E?
  public let new: E
}

/// What a subscriber asks for, as in key-value observing.
public struct SubscriptionOptions: Sendable, Hashable {
  public var inlet: InletOptions

  /// New events only, nothing lost.
  public static var new: SubscriptionOptions { .init() }
  /// The last value of every symbol first. A topic that was not made with `keepsLatest` keeps them from then on.
  public static var initial: SubscriptionOptions { .init(initial: true) }

  public init(overflow: Overflow = .block, capacity: Int = 4096, initial: Bool = false) {
    inlet = InletOptions(overflow: overflow, capacity: capacity, initial: initial)
  }
}
