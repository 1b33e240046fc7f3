/// The columns that a component reads, and where those of the batch in hand are.
///
/// A component takes the columns that it needs from its context when it is made, and reads their values while it has a batch:
/// ```swift
/// private let vwap: BatchColumn?
/// init(_ settings: Settings, _ context: Context) { vwap = context.columns["vwap"] }
/// func receive(_ events: Span<Trade>) { for i in events.indices { show(events[i], vwap?[i]) } }
/// ```
///
/// Unchecked because it has addresses of rows: the resident loop sets them before each batch, and only the component of the loop reads them.
public final class BatchColumns: @unchecked Sendable {
  /// The columns of all inputs; an input may lack some of them.
  public let layout: ColumnLayout

  /// The batch in hand. Unchecked because a check at each event takes longer than its row; only the component of the loop uses it.
  @exclusivity(unchecked) @usableFromInline var batch = Batch()
  /// By place in `layout`, the place in a row of the topic, or -1; nil if places are the same.
  private var places: [Int]? { didSet { batch.hasSamePlaces = places == nil } }
  /// The places of each topic read so far, by its layout.
  private var known: [(layout: ColumnLayout, places: [Int]?)] = []
  private var topic: ObjectIdentifier?

  /// - Parameter layout: the columns of all inputs.
  public init(_ layout: ColumnLayout = ColumnLayout()) { self.layout = layout }

  @usableFromInline struct Batch {
    /// The first event, the bytes from one event to the next, and the number of events.
    @usableFromInline var events: UnsafeRawPointer?
    @usableFromInline var stride = 1
    @usableFromInline var count = 0
    /// The row of the first event, and the columns of its topic; nil if that has none.
    @usableFromInline var rows: UnsafePointer<Int64>?
    @usableFromInline var width = 0
    /// True if columns have the places of the layout.
    var hasSamePlaces = true
  }

  /// A column by its name; nil if no input has it.
  public subscript(name: String) -> BatchColumn? { layout.place(of: name).map { BatchColumn(self, at: $0) } }

  /// Called with each batch, before the component gets it.
  @usableFromInline @inline(never)
  package func enter<E: Event>(_ batch: UnsafeBufferPointer<E>, of inlet: Inlet<E>) {
    self.batch.events = UnsafeRawPointer(batch.baseAddress)
    self.batch.stride = MemoryLayout<E>.stride
    self.batch.count = batch.count
    self.batch.rows = batch.baseAddress.flatMap { inlet.row(of: $0) }
    if topic == ObjectIdentifier(inlet.topic) { return }
    topic = ObjectIdentifier(inlet.topic)
    let layout = inlet.topic.columns
    self.batch.width = layout.columns.count
    if let seen = known.first(where: { $0.layout == layout }) {
      places = seen.places
    } else {
      // A column of the same name but of another kind, which a topic from before a change may have, is another column.
      let all = self.layout.columns.map { layout.columns.firstIndex(of: $0) ?? -1 }
      places = all == Array(0..<layout.columns.count) ? nil : all
      known.append((layout, places))
    }
  }

  /// Called before the component gets batches of other inputs: a topic may be at the address of one that is gone.
  package func forgetTopic() { topic = nil }

  /// The row of event `i` of the batch in hand; nil if there is none.
  @inline(__always)
  private func row(_ i: Int) -> UnsafePointer<Int64>? {
    let batch = batch
    guard let rows = batch.rows, i >= 0, i < batch.count else { return nil }
    return rows + i &* batch.width
  }

  /// The value at a place of the layout.
  @inline(__always)
  func value(_ place: Int, _ i: Int) -> Int64? {
    guard let row = row(i) else { return nil }
    let at = batch.hasSamePlaces ? place : places.map { $0[place] } ?? place
    if at < 0 || at >= batch.width { return nil }
    let value = row[at]
    return value == ColumnLayout.missing ? nil : value
  }

  /// The index in the batch of the event at an address; nil if it is not in there.
  func index(of event: UnsafeRawPointer) -> Int? {
    let batch = batch
    guard let events = batch.events, event >= events, case let i = (event - events) / batch.stride, i < batch.count else { return nil }
    return i
  }

  /// Where the values of a column begin, from the event at `event` on, and how far apart they are; nil if they are missing.
  package func values(_ place: Int, from event: UnsafeRawPointer) -> (first: UnsafePointer<Int64>, stride: Int)? {
    guard let i = index(of: event), let row = row(i) else { return nil }
    let at = places.map { $0[place] } ?? place
    let width = batch.width
    return at < 0 || at >= width ? nil : (row + at, width)
  }

  /// Makes `copy` the row of event `i` of the batch in hand, in the order of the layout; empty without columns.
  package func copyRow(_ i: Int, to copy: inout [Int64]) {
    if layout.isEmpty { return }
    if copy.count != layout.columns.count { copy = Array(repeating: ColumnLayout.missing, count: layout.columns.count) }
    for place in copy.indices { copy[place] = value(place, i) ?? ColumnLayout.missing }
  }

  /// The rows of these events of the batch in hand, one behind the other; empty without columns.
  package func rows(_ events: Range<Int>) -> [Int64] {
    if layout.isEmpty { return [] }
    return events.flatMap { i in layout.columns.indices.map { value($0, i) ?? ColumnLayout.missing } }
  }

  /// Copies the values of the event at `event` to `row`, in the order of the layout.
  @usableFromInline
  func copy(of event: UnsafeRawPointer, count events: Int, to row: UnsafeMutablePointer<Int64>, stride target: Int) {
    guard let first = index(of: event), let source = self.row(first) else { return }
    let width = batch.width
    let events = min(events, batch.count - first)
    if let places {
      for i in 0..<events {
        for (place, at) in places.enumerated() where place < target && at >= 0 { row[i &* target &+ place] = source[i &* width &+ at] }
      }
    } else if width == target {
      row.update(from: source, count: events &* width)
    } else {
      let n = min(width, target)
      for i in 0..<events { for place in 0..<n { row[i &* target &+ place] = source[i &* width &+ place] } }
    }
  }
}

/// A column that a component reads.
public struct BatchColumn: Sendable {
  let columns: BatchColumns
  package let place: Int

  init(_ columns: BatchColumns, at place: Int) {
    self.columns = columns
    self.place = place
  }

  /// Its name and kind.
  public var info: ColumnInfo { columns.layout.columns[place] }

  /// The value of event `i` of the batch in hand, in the unit of its kind; nil if it has none.
  public subscript(i: Int) -> Int64? { columns.value(place, i) }
}
