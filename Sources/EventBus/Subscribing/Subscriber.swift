/// An actor that receives events inside its isolation.
public protocol Subscriber<Input>: Actor {
  associatedtype Input: Event
  /// Called with all events that wait, at most 1,024, in order, never empty. Not called again after it has thrown.
  func receive(_ events: Span<Input>, _ delivery: Delivery) throws
}

/// What is known about a batch besides its events.
public struct Delivery: Sendable, Hashable {
  /// The number of the batch's first event on its topic, counted from 1. For a snapshot it is the number of the last event that the
  /// snapshot includes; the next live event has the following number. A lossy subscription counts the events it delivers, without the gaps.
  public let sequence: Int
  /// True for the last values that `initial` asked for.
  public let isInitial: Bool
}

/// A symbol's event together with the previous one.
public struct Change<E: SymbolEvent>: Sendable {
  /// The previous event; nil for the symbol's first.
  public let old: E?
  public let new: E
}

/// The options of a subscription, named as in key-value observing.
public struct SubscriptionOptions: Sendable, Hashable {
  public var inlet: InletOptions

  /// Only new events, without loss.
  public static var new: SubscriptionOptions { .init() }
  /// The last value of every symbol first. A topic that does not keep them yet keeps them from then on.
  public static var initial: SubscriptionOptions { .init(initial: true) }

  public init(overflow: Overflow = .block, capacity: Int = 4096, initial: Bool = false) {
    inlet = InletOptions(overflow: overflow, capacity: capacity, initial: initial)
  }
}
