internal import EventBus
internal import MarketData
internal import StockbusPacking

/// The events of a batch by subject, which are packed into messages.
struct Parcels<E: Event> {
  /// The next message: events of one subject, from `first` on.
  struct Cut {
    let subject: Int
    let first: Int
    /// The number of its events; 0 if the event at `first` is too large for a message.
    let count: Int
    /// The first event's index in the batch.
    let index: Int
  }

  private let most: Int
  private var packer: EventPacker
  private var events: [[E]]
  /// The columns of the events, one row behind the other.
  private var rows: [[Int64]]
  /// Where the events were in the batch.
  private var indices: [[Int]]
  /// Which event of which subject is next.
  private var subject = 0
  private var next = 0

  /// - Parameter most: how many events a message may have.
  init(subjects: Int, most: Int, columns: ColumnLayout) {
    self.most = most
    packer = EventPacker(PackedLayout(E.self), columns: columns)
    events = Array(repeating: [], count: subjects)
    rows = Array(repeating: [], count: subjects)
    indices = Array(repeating: [], count: subjects)
  }

  mutating func removeAll() {
    for subject in events.indices {
      events[subject].removeAll(keepingCapacity: true)
      indices[subject].removeAll(keepingCapacity: true)
      rows[subject].removeAll(keepingCapacity: true)
    }
    (subject, next) = (0, 0)
  }

  mutating func add(_ event: E, at index: Int, to subject: Int) {
    events[subject].append(event)
    indices[subject].append(index)
  }

  /// Adds the columns of all events that were added.
  mutating func addRows(_ columns: BatchColumns) {
    var row: [Int64] = []
    for subject in indices.indices {
      for i in indices[subject] {
        columns.copyRow(i, to: &row)
        rows[subject] += row
      }
    }
  }

  /// Packs the next message into `payload`, which is empty; nil if there are no more events.
  mutating func cut(into payload: inout ByteWriter, limit: Int) -> Cut? {
    while subject < events.count, next == events[subject].count { (subject, next) = (subject + 1, 0) }
    guard subject < events.count else { return nil }
    let (first, index) = (next, indices[subject][next])
    var count = pack(subject, from: first, most, into: &payload)
    while payload.count > limit, count > 1 { count = pack(subject, from: first, count / 2, into: &payload) }
    next += count
    return Cut(subject: subject, first: first, count: payload.count > limit ? 0 : count, index: index)
  }

  /// Packs `count` events from `first` on, or as many as fit into one message; returns their number.
  @discardableResult
  mutating func pack(_ subject: Int, from first: Int, _ count: Int, into payload: inout ByteWriter) -> Int {
    payload.clear()
    // Each message is read by itself.
    packer.forgetNames()
    let (events, rows) = (events[subject], rows[subject])
    return packer.pack(events.span, rows: rows.span, from: first, most: count, to: &payload)
  }

  /// Bytes of a message of this event only.
  mutating func size(of event: E, _ payload: inout ByteWriter) -> Int {
    payload.clear()
    packer.forgetNames()
    let events = [event]
    _ = packer.pack(events.span, from: 0, most: 1, to: &payload)
    return payload.count
  }

  /// The index in the batch of the first event that has not been cut; nil if there is none.
  var firstLeft: Int? {
    var found: Int?
    for each in events.indices where each >= subject {
      let begin = each == subject ? next : 0
      if begin < indices[each].count { found = min(found ?? .max, indices[each][begin]) }
    }
    return found
  }
}
