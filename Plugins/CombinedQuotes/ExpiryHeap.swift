/// The moment at which a venue's quote may become stale.
struct Expiry: Comparable {
  let due: Int64
  let market: Int
  let venue: Int

  static func < (a: Expiry, b: Expiry) -> Bool { (a.due, a.market, a.venue) < (b.due, b.market, b.venue) }
}

/// Moments, the earliest first. A quote that is replaced keeps its old moment until that comes, so there is at most one for each venue and
/// symbol.
struct ExpiryHeap {
  private var heap: [Expiry] = []

  var first: Expiry? { heap.first }

  mutating func insert(_ expiry: Expiry) {
    heap.append(expiry)
    var place = heap.count - 1
    while place > 0, heap[place] < heap[(place - 1) / 2] {
      heap.swapAt(place, (place - 1) / 2)
      place = (place - 1) / 2
    }
  }

  mutating func removeFirst() {
    guard let last = heap.popLast(), !heap.isEmpty else { return }
    heap[0] = last
    var place = 0
    while true {
      var least = place
      for child in [2 * place + 1, 2 * place + 2] where child < heap.count && heap[child] < heap[least] { least = child }
      if least == place { return }
      heap.swapAt(place, least)
      place = least
    }
  }
}
