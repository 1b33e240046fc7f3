// Events with the columns beside them. An event that is sent has no values; one that is passed on keeps those that it came with.
extension Outlet {
  /// Where rows are written; nil without columns. Not a field of its own, which would take a register from every loop that sends.
  @inlinable
  var columns: OutletColumns? { @inline(__always) get { topic.outletColumns } }

  /// Sends one event of the batch in hand with its columns.
  @inlinable @inline(__always)
  public mutating func pass(_ events: Span<E>, _ i: Int) {
    send(events[i])
    if columns != nil { events.withUnsafeBufferPointer { passRow($0.baseAddress.unsafelyUnwrapped + i) } }
  }

  /// Sends one event of the batch in hand, which is at this address, with its columns.
  @inlinable @inline(__always)
  package mutating func pass(_ event: UnsafePointer<E>) {
    send(event.pointee)
    if columns != nil { passRow(event) }
  }

  /// Sends all of these events of the batch in hand with their columns.
  @inlinable
  public mutating func pass(_ events: Span<E>) {
    if columns == nil { send(contentsOf: events) } else { pass(events, filling: { _, _, _ in }) }
  }

  /// Sends the events of the batch in hand for whose index `passes` is true, with their columns, and counts the others as filtered.
  @inlinable @inline(__always)
  public mutating func pass(_ events: Span<E>, where passes: (Int) -> Bool) {
    // Two loops, as one for both cases would run out of registers.
    if columns != nil { return passRows(events, where: passes) }
    var passed = 0
    for i in events.indices where passes(i) {
      send(events[i])
      passed &+= 1
    }
    filter(events.count &- passed)
  }

  @inlinable @inline(never)
  mutating func passRows(_ events: Span<E>, where passes: (Int) -> Bool) {
    guard let columns else { return }
    var (begin, filtered) = (0, 0)
    events.withUnsafeBufferPointer { source in
      guard let first = source.baseAddress else { return }
      // Events that follow each other are copied together.
      for i in 0..<source.count where !passes(i) {
        pass(first + begin, count: i &- begin, columns) { _, _ in }
        (begin, filtered) = (i &+ 1, filtered &+ 1)
      }
      pass(first + begin, count: source.count &- begin, columns) { _, _ in }
    }
    filter(filtered)
  }

  /// The column of this name that the component adds; nil if the topic has none.
  public func column(_ name: String) -> OutputColumn? { place(of: name).map { OutputColumn(place: $0) } }

  /// The place of a column in a row of the topic; nil if there is none.
  package func place(of name: String) -> Int? { columns?.layout.place(of: name) }

  /// Sets a column of the event that was sent or passed last.
  public mutating func set(_ column: OutputColumn, _ value: Int64?) {
    withLastRow { row in row[column.place] = value ?? ColumnLayout.missing }
  }

  /// Sends an event that came from elsewhere with its row, in the order of the topic's columns.
  @inlinable
  package mutating func send(_ event: E, row: [Int64]) {
    send(event)
    guard let width = columns?.width else { return }
    withLastRow { to in for (place, value) in row.prefix(width).enumerated() { to[place] = value } }
  }

  /// Sends the events with their columns, and lets `fill` write into their rows: it gets the indices of some events, the row of the first,
  /// and how far apart rows are.
  @inlinable
  package mutating func pass(_ events: Span<E>, filling fill: (Range<Int>, UnsafeMutablePointer<Int64>, Int) -> Void) {
    guard let columns else { return send(contentsOf: events) }
    events.withUnsafeBufferPointer { source in
      guard let first = source.baseAddress else { return }
      pass(first, count: source.count, columns) { some, row in fill(some, row, columns.width) }
    }
  }

  /// Sends `count` events of the batch in hand, from `first` on, with their columns. `fill` gets the indices of some of them, and the row of
  /// the first of these.
  @inlinable @inline(__always)
  mutating func pass(
    _ first: UnsafePointer<E>, count: Int, _ columns: OutletColumns, filling fill: (Range<Int>, UnsafeMutablePointer<Int64>) -> Void
  ) {
    var done = 0
    while done < count {
      let free = contiguous(count &- done)
      if free == 0 {
        pass(first + done)
        withLastRow { fill(done..<(done &+ 1), $0) }
        done &+= 1
        continue
      }
      let (at, row) = (base + (next & mask), columns.row(next))
      at.initialize(from: first + done, count: free)
      columns.batch?.copy(of: first + done, count: free, to: row, stride: columns.width)
      fill(done..<(done &+ free), row)
      next &+= free
      done &+= free
    }
  }

  /// Sends events with the rows beside them, one behind the other; without rows, events without values.
  package mutating func send(_ events: Span<E>, rows: Span<Int64>) {
    guard let width = columns?.width, rows.count == events.count * width else { return send(contentsOf: events) }
    rows.withUnsafeBufferPointer { rows in
      guard let first = rows.baseAddress else { return }
      for i in events.indices {
        send(events[i])
        withLastRow { $0.update(from: first + i * width, count: width) }
      }
    }
  }

  /// How many events, at most `count`, can be written side by side into the ring without further ado.
  @inlinable
  func contiguous(_ count: Int) -> Int { _isPOD(E.self) ? min(count, mask &+ 1 &- (next & mask), limit &- next) : 0 }

  @usableFromInline @inline(never)
  mutating func passRow(_ event: UnsafePointer<E>) {
    guard let columns, let batch = columns.batch else { return }
    withLastRow { row in batch.copy(of: event, count: 1, to: row, stride: columns.width) }
  }

  /// Calls `body` with the row of the event that was sent last.
  @usableFromInline
  mutating func withLastRow(_ body: (UnsafeMutablePointer<Int64>) -> Void) {
    guard let columns else { return }
    if spill.isEmpty { body(columns.row(next &- 1)) } else { columns.withLastAside(of: spill.count, body) }
  }
}

/// A column of a component's output that the component fills.
public struct OutputColumn: Sendable {
  let place: Int
}
