/// The window of entries that were taken and not yet given out, by sequence number. They may be sent again after a lost connection, and
/// answered in any order; each is given out once, in the order in which it was taken. A value without side effects.
struct EchoWindow<Payload> {
  private struct Entry {
    var payload: Payload
    /// When the entry was sent last; nil if it was never sent.
    var sentAt: Duration?
    /// How often the entry, or its reply, was blamed for the end of a connection.
    var blames = 0
    var state = State.open
  }

  private enum State {
    /// Without a reply; sent or still to be sent.
    case open
    /// The entry's reply has arrived, but not all replies before it.
    case answered
    /// There will be no usable reply.
    case dropped
  }

  /// The meaning of a reply.
  enum Answer: Equatable {
    /// The first reply to this number, with the time since the entry was sent last.
    case expected(Duration)
    /// There was an earlier reply.
    case duplicate
    /// No event was sent with this number.
    case unknown
  }

  /// The maximum number of entries.
  let capacity: Int
  /// The number of the oldest entry.
  private(set) var first: Int64 = 1
  /// The number that the next entry gets.
  private(set) var next: Int64 = 1
  /// The first number that was not sent on the current connection.
  private(set) var unsent: Int64 = 1
  /// Up to this number, entries are sent one at a time, to find out which one is to blame.
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

  /// Takes one more entry; only if the window is not full.
  mutating func append(_ payload: Payload) {
    slots[slot(next)] = Entry(payload: payload)
    next += 1
  }

  /// For a new connection: marks all entries without a reply to be sent again.
  mutating func rewind() { unsent = first }

  /// The next entry to send, which then counts as sent; nil if there is none, or if another one needs its reply first.
  mutating func takeNext(at now: Duration) -> (number: Int64, payload: Payload, isAgain: Bool)? {
    while unsent < next, slots[slot(unsent)]?.state != .open { unsent += 1 }
    if first <= probesUntil, unsent > first { return nil }
    guard unsent < next, let entry = slots[slot(unsent)] else { return nil }
    slots[slot(unsent)]?.sentAt = now
    defer { unsent += 1 }
    return (unsent, entry.payload, entry.sentAt != nil)
  }

  /// The payload that the reply to this number must have; nil if no reply is awaited.
  func awaited(_ number: Int64) -> Payload? {
    guard number >= first, number < next, let entry = slots[slot(number)], entry.sentAt != nil, entry.state == .open else { return nil }
    return entry.payload
  }

  /// Records a reply.
  mutating func answer(_ number: Int64, at now: Duration) -> Answer { settle(number, .answered, at: now) }

  /// Drops the entry: its reply cannot be used, or none will arrive.
  mutating func drop(_ number: Int64, at now: Duration) -> Answer { settle(number, .dropped, at: now) }

  private mutating func settle(_ number: Int64, _ state: State, at now: Duration) -> Answer {
    if number < 1 || number >= next { return .unknown }
    if number < first { return .duplicate }
    guard let entry = slots[slot(number)], let sentAt = entry.sentAt else { return .unknown }
    if entry.state != .open { return .duplicate }
    slots[slot(number)]?.state = state
    return .expected(now - sentAt)
  }

  /// Gives out the entries with replies, the oldest first, up to the first without one.
  mutating func takeAnswered(_ body: (Payload) -> Void) {
    while first < next, let entry = slots[slot(first)], entry.state != .open {
      slots[slot(first)] = nil
      first += 1
      if entry.state == .answered { body(entry.payload) }
    }
    if unsent < first { unsent = first }
  }

  /// Removes dropped entries at the beginning of the window.
  mutating func skipDropped() {
    while first < next, slots[slot(first)]?.state == .dropped {
      slots[slot(first)] = nil
      first += 1
    }
    if unsent < first { unsent = first }
  }

  /// When the oldest entry was sent; nil if it was not sent on this connection.
  var oldestSentAt: Duration? { unsent > first ? slots[slot(first)]?.sentAt : nil }

  /// Blames the oldest entry; to be called when an entry, or its reply, has ended the connection. From now on the entries that were in
  /// flight are sent one at a time, so that the responsible one is found eventually. An entry that has been blamed `attempts` times is
  /// dropped and returned.
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

  /// Drops the entries without a reply, the oldest first; the others stay.
  mutating func dropOpen(_ body: (_ number: Int64, _ payload: Payload) -> Void) {
    for number in first..<next {
      guard let entry = slots[slot(number)], entry.state == .open else { continue }
      slots[slot(number)]?.state = .dropped
      body(number, entry.payload)
    }
  }

  /// Gives up all entries; returns how many.
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
