internal import StockbusPlugin

/// Events that wait for older ones.
///
/// An event waits until one comes that is `late` newer, or until `late` has passed since its receipt. With it go all that are older. What is
/// older than the newest that has gone, or than the newest event less `late`, is too late.
struct TimeOrder<E: GuardedEvent> {
  struct Held {
    let event: E
    /// Its place in the order of arrival, which decides between equal times.
    let number: Int
    /// Where its row is kept.
    let place: Int

    func comesBefore(_ other: Held) -> Bool { (event.time.ns, number) < (other.event.time.ns, other.number) }
  }

  /// When an event has waited long enough.
  private struct Wait {
    let due: Int64
    let time: Int64
  }

  private let late: Int64
  /// The most events that may wait.
  private let limit: Int
  /// A heap, the oldest first.
  private var heap: [Held] = []
  /// In the order of arrival, and so of `due`; those that went before their time are removed when they are first.
  private var waits: [Wait] = []
  private var firstWait = 0
  private var arrivals = 0
  /// The rows of the events that wait, and their places that are free.
  private(set) var rows: KeptRows
  private var free: [Int] = []
  private(set) var newest = Int64.min
  /// What is older is too late; everything up to it has gone.
  private(set) var reached = Int64.min

  init(late: Int64, limit: Int, _ columns: BatchColumns) {
    (self.late, self.limit) = (late, limit)
    rows = KeptRows(columns)
  }

  /// The memory of an event that waits, in bytes, with so many columns.
  static func size(columns: Int = 0) -> Int {
    MemoryLayout<Held>.stride + MemoryLayout<Wait>.stride + (columns > 0 ? (columns + 1) * MemoryLayout<Int>.stride : 0)
  }

  var count: Int { heap.count }
  var isFull: Bool { heap.count > limit }

  /// True if an event may go: after a change of `late`, which makes the wait shorter.
  private var isReady: Bool { heap.first.map { $0.event.time.ns <= reached } ?? false }

  /// When the first event that waits has waited long enough; the smallest number if it has already.
  var due: Int64? { isReady ? .min : firstWait < waits.count ? waits[firstWait].due : nil }

  func isTooLate(_ event: E) -> Bool { event.time.ns < reached }

  /// Takes an event of the batch in hand that is not too late; returns its number.
  mutating func insert(_ event: UnsafePointer<E>) -> Int {
    insert(event.pointee) { rows, place in rows.keep(event, at: place) }
  }

  private mutating func insert(_ event: E, keepingRow keep: (inout KeptRows, Int) -> Void) -> Int {
    arrivals += 1
    var place = 0
    if !rows.isEmpty {
      // All places below the number of waiting events are taken if none is free.
      place = free.popLast() ?? heap.count
      keep(&rows, place)
    }
    let held = Held(event: event, number: arrivals, place: place)
    heap.append(held)
    var node = heap.count - 1
    while node > 0, held.comesBefore(heap[(node - 1) / 2]) {
      heap.swapAt(node, (node - 1) / 2)
      node = (node - 1) / 2
    }
    newest = max(newest, event.time.ns)
    reached = max(reached, newest.subtractingSaturating(late))
    if event.time.ns > reached { waits.append(Wait(due: event.received.ns.addingSaturating(late), time: event.time.ns)) }
    forgetWaits()
    return arrivals
  }

  /// Lets all go that are not newer than the first one that has waited long enough.
  mutating func expire() {
    if isReady || firstWait == waits.count { return }
    reached = max(reached, waits[firstWait].time)
    forgetWaits()
  }

  /// Lets the oldest go early.
  mutating func makeRoom() {
    guard let oldest = heap.first else { return }
    reached = max(reached, oldest.event.time.ns)
    forgetWaits()
  }

  /// The oldest event that may go. Its row is there until the next one is inserted.
  mutating func next() -> Held? {
    guard let first = heap.first, first.event.time.ns <= reached, let last = heap.popLast() else { return nil }
    if !rows.isEmpty { free.append(first.place) }
    if heap.isEmpty { return first }
    heap[0] = last
    var node = 0
    while true {
      var oldest = node
      for child in [2 * node + 1, 2 * node + 2] where child < heap.count && heap[child].comesBefore(heap[oldest]) { oldest = child }
      if oldest == node { return first }
      heap.swapAt(node, oldest)
      node = oldest
    }
  }

  private mutating func forgetWaits() {
    while firstWait < waits.count, waits[firstWait].time <= reached { firstWait += 1 }
    // Each removal of the gone half costs as much as there was added since the last one.
    guard firstWait > 1024, firstWait > waits.count / 2 else { return }
    waits.removeFirst(firstWait)
    firstWait = 0
  }
}

extension TimeOrder {
  /// What one instance leaves to the next, which may wait for another time.
  struct Snapshot: Codable, Sendable {
    /// In the order of arrival.
    var events: [E]
    /// The rows of these events; nil without columns.
    var rows: [[String: Int64]?]?
    var newest: Int64
    var reached: Int64
  }

  var snapshot: Snapshot {
    let held = heap.sorted { $0.number < $1.number }
    let saved = rows.isEmpty ? nil : held.map { rows.saved($0.place) }
    return Snapshot(events: held.map(\.event), rows: saved, newest: newest, reached: reached)
  }

  /// Goes on behind an instance that has failed, with which the events that waited are gone.
  mutating func goOn(newest: Int64, reached: Int64) {
    (heap, waits, firstWait, free) = ([], [], 0, [])
    (self.newest, self.reached) = (newest, reached)
  }

  mutating func restore(_ snapshot: Snapshot) {
    reached = snapshot.reached
    for (i, event) in snapshot.events.enumerated() {
      let row = snapshot.rows.flatMap { i < $0.count ? $0[i] : nil }
      _ = insert(event) { rows, place in rows.restore(row, at: place) }
    }
    newest = max(newest, snapshot.newest)
    reached = max(reached, newest.subtractingSaturating(late))
    forgetWaits()
  }
}
