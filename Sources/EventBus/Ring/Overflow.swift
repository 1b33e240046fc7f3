/// What happens if a subscriber is slower than its topic.
public enum Overflow: String, Sendable, Hashable, CaseIterable {
  /// Nothing is lost: the publisher suspends until there is room.
  case block
  /// The oldest waiting event is dropped for the newest.
  case dropOldest = "drop_oldest"
  /// An event that does not fit is dropped.
  case dropNewest = "drop_newest"
  /// Only the latest event of every symbol waits.
  case conflate
}

/// How an inlet is attached to its topic.
public struct InletOptions: Sendable, Hashable {
  public var overflow: Overflow
  /// How many events may wait; unused by `block`, which shares the topic's ring, and by `conflate`, which holds one event per symbol.
  public var capacity: Int
  /// Delivers the last value of every symbol first, then the events published after them.
  public var initial: Bool
  /// How many bytes of text the waiting events may hold; unused by `block`, which shares the topic's budget. One event may always wait.
  public var memory: Int
  /// The default number of bytes of text that may wait on a topic, or for one lossy reader: 64 MiB.
  public static var defaultMemory: Int { 64 << 20 }

  public init(overflow: Overflow = .block, capacity: Int = 4096, initial: Bool = false, memory: Int = InletOptions.defaultMemory) {
    self.overflow = overflow
    self.capacity = capacity
    self.initial = initial
    self.memory = memory
  }
}
