/// Where the latest events end in the bytes that were written to a pipe, so that unread ones can be counted.
struct SentEvents {
  /// How many events back are remembered: more than a pipe holds.
  static let memory = 1 << 15

  private var ends = [Int](repeating: 0, count: memory)
  /// How many events have been encoded.
  private(set) var count = 0

  /// The next event ends before byte `end`.
  mutating func append(endingAt end: Int) {
    ends[count % Self.memory] = end
    count += 1
  }

  /// How many of the events end beyond the first `bytes` bytes; at most `memory`.
  func count(beyond bytes: Int) -> Int {
    let known = min(count, Self.memory)
    var (low, high) = (count - known, count)
    while low < high {
      let middle = (low + high) / 2
      if ends[middle % Self.memory] > bytes { high = middle } else { low = middle + 1 }
    }
    return count - low
  }
}
