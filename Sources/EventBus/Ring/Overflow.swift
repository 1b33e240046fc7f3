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
  /// How many bytes of text the waiting events may hold; unused by `block`, which shares the topic's budget. One event may always wait.
  public var memory: Int
  /// How many bytes of text wait on a topic, or for one lossy reader, where nothing else is said: 64 MiB.
  public static var defaultMemory: Int { 64 << 20 }

  public init(overflow: Overflow = .block, capacity: Int = 4096, initial: Bool = false, memory: Int = InletOptions.defaultMemory) {
    self.overflow = overflow
    self.capacity = capacity
    self.initial = initial
    self.memory = memory
  }
}
