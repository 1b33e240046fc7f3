/// What happens when a subscriber is slower than its topic.
public enum Overflow: String, Sendable, Hashable, CaseIterable {
  /// Nothing is lost: the publisher suspends until there is room.
  case block
  /// The oldest waiting event makes room for the newest.
  case dropOldest = "drop_oldest"
  /// What does not fit is dropped.
  case dropNewest = "drop_newest"
  /// Only the latest event of every symbol waits.
  case conflate
}

/// How an inlet is attached to its topic.
public struct InletOptions: Sendable, Hashable {
  public var overflow: Overflow
  /// How many events may wait; unused by `block`, which shares the topic's ring. `conflate` needs none: it holds one a symbol.
  public var capacity: Int
  /// The last value of every symbol comes first; the next event is the one after those.
  public var initial: Bool

  public init(overflow: Overflow = .block, capacity: Int = 4096, initial: Bool = false) {
    self.overflow = overflow
    self.capacity = capacity
    self.initial = initial
  }
}
