/// A bounded queue: a ring that grows up to its limit.
struct Queue<Element: Sendable>: Sendable {
  private var places: [Element?] = []
  private var first = 0
  private(set) var count = 0
  private let limit: Int

  init(limit: Int) { self.limit = max(1, limit) }

  /// Adds an element at the end; if the queue is full, removes and returns the oldest.
  mutating func append(_ element: Element) -> Element? {
    let displaced = count == limit ? popFirst() : nil
    if count == places.count { grow() }
    places[(first + count) % places.count] = element
    count += 1
    return displaced
  }

  /// The oldest first.
  var all: [Element] { (0..<count).compactMap { places[(first + $0) % places.count] } }

  mutating func popFirst() -> Element? {
    if count == 0 { return nil }
    defer {
      places[first] = nil
      first = (first + 1) % places.count
      count -= 1
    }
    return places[first]
  }

  private mutating func grow() {
    places = all.map(Optional.some) + Array(repeating: nil, count: min(limit, max(8, count * 2)) - count)
    first = 0
  }
}
