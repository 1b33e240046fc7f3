/// What was taken and is not back yet, by sequence number: sent, sent again after a cut, answered in whatever order, given out in
/// the order it was taken, each once. A pure value.
struct EchoWindow<Payload> {
  private struct Entry {
    var payload: Payload
    /// When it was sent last; nil before.
    var sentAt: Duration?
    /// How often it, or its answer, was to blame for the end of a connection.
    var blames = 0
    var state = State.open
  }

  private enum State {
    /// Sent or to be sent, and not answered.
    case open
    /// Its answer has come; those before it have not been answered.
    case answered
    /// There will be no answer that can be used.
    case dropped
  }

  /// What an answer means.
  enum Answer: Equatable {
    /// The first to this number; it took so long since it was sent last.
    case expected(Duration)
    /// It was answered before.
    case duplicate
    /// Nothing with this number was sent.
    case unknown
  }

  /// The most entries.
  let capacity: Int
  /// The number of the oldest entry.
  private(set) var first: Int64 = 1
  /// The number that the next entry gets.
  private(set) var next: Int64 = 1
  /// The first number that is not on the present connection.
  private(set) var unsent: Int64 = 1
  /// Up to this number, one at a time is sent, to find out which one is to blame.
  private var probesUntil: Int64 = 0
  private var slots: ContiguousArray<Entry?>

  init(capacity: Int) {
    self.capacity = capacity
    slots = ContiguousArray(repeating: nil, count: capacity)
  }

  var count: Int { Int(next - first) }
  var isEmpty: Bool { next == first }
  var isFull: Bool { count == capacity }

  private func slot(_ number: Int64) -> Int { Int(number % Int64(capacity)) }

  /// Takes one more; only where it is not full.
  mutating func append(_ payload: Payload) {
    slots[slot(next)] = Entry(payload: payload)
    next += 1
  }

  /// A new connection: everything unanswered has to be sent again.
  mutating func rewind() { unsent = first }

  /// The next to send, which counts as sent then; nil where there is none, or where one has to be answered first.
  mutating func send(at now: Duration) -> (number: Int64, payload: Payload, isAgain: Bool)? {
    while unsent < next, slots[slot(unsent)]?.state != .open { unsent += 1 }
    if first <= probesUntil, unsent > first { return nil }
    guard unsent < next, let entry = slots[slot(unsent)] else { return nil }
    slots[slot(unsent)]?.sentAt = now
    defer { unsent += 1 }
    return (unsent, entry.payload, entry.sentAt != nil)
  }

  /// What the answer to this number has to say; nil where none is awaited.
  func awaited(_ number: Int64) -> Payload? {
    guard number >= first, number < next, let entry = slots[slot(number)], entry.sentAt != nil, entry.state == .open else { return nil }
    return entry.payload
  }

  /// Its answer has come.
  mutating func answer(_ number: Int64, at now: Duration) -> Answer { settle(number, .answered, at: now) }

  /// An answer has come that cannot be used, or there will be none: the entry is given up.
  mutating func drop(_ number: Int64, at now: Duration) -> Answer { settle(number, .dropped, at: now) }

  private mutating func settle(_ number: Int64, _ state: State, at now: Duration) -> Answer {
    if number < 1 || number >= next { return .unknown }
    if number < first { return .duplicate }
    guard let entry = slots[slot(number)], let sentAt = entry.sentAt else { return .unknown }
    if entry.state != .open { return .duplicate }
    slots[slot(number)]?.state = state
    return .expected(now - sentAt)
  }

  /// Hands out what is answered, the oldest first, up to the first that is not.
  mutating func takeAnswered(_ body: (Payload) -> Void) {
    while first < next, let entry = slots[slot(first)], entry.state != .open {
      slots[slot(first)] = nil
      first += 1
      if entry.state == .answered { body(entry.payload) }
    }
    if unsent < first { unsent = first }
  }

  /// Forgets what was dropped, where nothing that could still be answered stands before it.
  mutating func skipDropped() {
    while first < next, slots[slot(first)]?.state == .dropped {
      slots[slot(first)] = nil
      first += 1
    }
    if unsent < first { unsent = first }
  }

  /// When the oldest was sent; nil where it was not sent on this connection.
  var oldestSentAt: Duration? { unsent > first ? slots[slot(first)]?.sentAt : nil }

  /// Something that was sent, or its answer, has ended the connection. The oldest gets the blame; from here on, what was under way is
  /// sent one at a time, so that in the end it is the right one. Where it has had its `attempts`, it is given up, and answered.
  mutating func blame(attempts: Int) -> (number: Int64, payload: Payload)? {
    guard unsent > first, var entry = slots[slot(first)] else { return nil }
    probesUntil = max(probesUntil, unsent - 1)
    entry.blames += 1
    slots[slot(first)] = entry
    guard entry.blames >= attempts else { return nil }
    let lost = (first, entry.payload)
    slots[slot(first)]?.state = .dropped
    return lost
  }

  /// Gives up what has no answer yet, the oldest first; what has one keeps it.
  mutating func dropOpen(_ body: (_ number: Int64, _ payload: Payload) -> Void) {
    for number in first..<next {
      guard let entry = slots[slot(number)], entry.state == .open else { continue }
      slots[slot(number)]?.state = .dropped
      body(number, entry.payload)
    }
  }

  /// Gives everything up; answers how many.
  mutating func removeAll() -> Int {
    defer {
      while first < next {
        slots[slot(first)] = nil
        first += 1
      }
      unsent = next
    }
    return count
  }
}
