public import StockbusPlugin

extension Plugin {
  /// Adds what other events said last to events.
  public static let asOf = Plugin(
    "as_of", "Passes events with columns of what another input said last about their symbol, such as bid and ask beside a trade.",
    AsOfPlugin.self,
    hot: [
      .processor(AsOf<Trade, Quote>.self), .processor(AsOf<Quote, Trade>.self), .processor(AsOf<Trade, Bar>.self),
      .processor(AsOf<Bar, Quote>.self),
    ]
  )
  .choosing { types, _ in AsOfPlugin.bind(types.inputs) }
  .example("within: 1s\ncolumns: [bid, ask, age]")
}

enum AsOfPlugin: SymbolEventPlugin {
  static func bind<E: SymbolEvent>(_: E.Type) -> Blueprint { .processor(AsOf<E, E>.self) }

  /// The events that pass are of the type of the first input, and those that they find of the other type; nil unless there are two.
  static func bind(_ inputs: [any Event.Type]) -> Blueprint? {
    guard let first = inputs.first as? any SymbolEvent.Type, let other = inputs.first(where: { $0 != first }) as? any SymbolEvent.Type,
      inputs.allSatisfy({ $0 == first || $0 == other })
    else { return nil }
    return bind(first, other)
  }

  private static func bind<Main: SymbolEvent>(_: Main.Type, _ other: any SymbolEvent.Type) -> Blueprint {
    // The usual pairs are compiled here; any other is bound at wiring and runs unspecialised.
    switch (ObjectIdentifier(Main.self), ObjectIdentifier(other)) {
    case (ObjectIdentifier(Trade.self), ObjectIdentifier(Quote.self)): return .processor(AsOf<Trade, Quote>.self)
    case (ObjectIdentifier(Quote.self), ObjectIdentifier(Trade.self)): return .processor(AsOf<Quote, Trade>.self)
    case (ObjectIdentifier(Trade.self), ObjectIdentifier(Bar.self)): return .processor(AsOf<Trade, Bar>.self)
    case (ObjectIdentifier(Bar.self), ObjectIdentifier(Quote.self)): return .processor(AsOf<Bar, Quote>.self)
    default: break
    }
    func bind<Other: SymbolEvent>(_: Other.Type) -> Blueprint { .processor(AsOf<Main, Other>.self) }
    return bind(other)
  }
}

/// Passes the events of the first input's type with columns from the last event of the other type about the same symbol.
///
/// What was received at the same moment comes before the event that passes. An event waits for nothing but time: it passes as soon as it is
/// certain that nothing received before it is missing, which a quiet input does not delay. A trade whose price does not count for the last
/// price is found by none, nor is a part of a bar. What was found stays over a restart and a change of the options, as far as the columns
/// stay.
package actor AsOf<Main: SymbolEvent, Other: SymbolEvent>: JoiningProcessor, OriginDependent {

  private let within: Int64
  private let readings: [ColumnSource.Reading]
  private let context: Context
  // Unchecked because a check at each event takes as long as its look-up; only this actor uses it.
  @exclusivity(unchecked) private var last: LastRows
  @exclusivity(unchecked) private var found: FoundRows
  private let alone: Counter
  /// The places of the columns in a row of the output.
  private let places: [Int]
  /// Where the receipt is in an event of each type.
  private let (receipt, otherReceipt) = (Main.schema.receivedOffset, Other.schema.receivedOffset)

  package static func textFaults(in settings: AsOfSettings, reading columns: ColumnLayout) -> [TextFault] {
    var faults: [TextFault] = []
    var seen: Set<String> = []
    for (item, (field, column)) in settings.choices.enumerated() {
      func add(_ words: String) { faults.append(TextFault("columns", item: item, "'columns': \(words)")) }
      switch ColumnSource.of(field, column, in: Other.self) {
      case .failure(let fault): add(fault.words)
      case .success where !seen.insert(column).inserted: add("the column '\(column)' is there twice")
      case .success:
        if let words = ColumnInfo.nameFault(column, beside: Main.self) {
          add(words + (field == column ? ", as in \(field) as other_\(field)" : ""))
        }
      }
    }
    return faults
  }

  package static func faults(in settings: AsOfSettings, behind inputs: [InputOrigin]) -> [InputFault] {
    if Main.self != Other.self { return [] }
    return [
      InputFault(
        input: max(0, inputs.count - 1),
        "all inputs are of type \(Main.eventName); it needs a second type, as in inputs: [trades, quotes], whose last event is found")
    ]
  }

  package static func columns(_ settings: AsOfSettings, reading columns: ColumnLayout) -> ColumnLayout {
    var all = columns
    for source in sources(settings) { all.add(source.info) }
    return all
  }

  private static func sources(_ settings: AsOfSettings) -> [ColumnSource] {
    settings.choices.compactMap { try? ColumnSource.of($0.field, $0.column, in: Other.self).get() }
  }

  package init(_ settings: AsOfSettings, _ context: Context) {
    self.context = context
    within = settings.within.wholeNanoseconds
    let sources = Self.sources(settings)
    let all = Self.columns(settings, reading: context.columns.layout)
    places = sources.compactMap { all.place(of: $0.info.name) }
    readings = sources.map(\.reading)
    found = FoundRows(width: sources.count)
    last = LastRows(sources.map(\.info.name), after: context.recall(Self.memory))
    alone = context.counter("nothing found", "Events that passed without values, because nothing was received so shortly before.")
  }

  private static var memory: MemoryKey<LastRows.Saved> { MemoryKey("last", whenOptionsChange: .keep) }

  package func keepMemory() { context.remember(last.saved, Self.memory) }
  package func handOver(into output: inout Outlet<Main>) { keepMemory() }

  package func take(_ events: Span<Other>) { Self.take(events, otherReceipt, readings, into: &last) }

  package func note(_ events: Span<Main>) {
    let nothing = Self.note(events, receipt, readings, last, within, into: &found)
    if nothing > 0 { alone.add(nothing) }
  }

  package func pass(_ events: Span<Main>, into output: inout Outlet<Main>) {
    Self.pass(events, found, places, into: &output)
    found.count = 0
  }

  // Static, since a closure of the actor's would be checked for the executor on which it runs.

  private static func take(_ events: Span<Other>, _ receipt: Int, _ readings: [ColumnSource.Reading], into last: inout LastRows) {
    events.withUnsafeBufferPointer { events in
      guard let first = events.baseAddress else { return }
      for i in 0..<events.count where counts(first[i]) {
        let event = UnsafeRawPointer(first + i)
        let row = last.update(first[i].symbol, receivedAt: event.load(fromByteOffset: receipt, as: Int64.self))
        readings.withUnsafeBufferPointer { readings in for k in 0..<readings.count { row[k] = readings[k].value(of: event) } }
      }
    }
  }

  @inline(__always)
  private static func counts(_ event: Other) -> Bool {
    if let trade = event as? Trade { return trade.condition.countsForLast }
    if let bar = event as? Bar { return bar.status != .partial }
    return true
  }

  /// Returns how many events have found nothing.
  private static func note(
    _ events: Span<Main>, _ receipt: Int, _ readings: [ColumnSource.Reading], _ last: borrowing LastRows, _ within: Int64,
    into found: inout FoundRows
  ) -> Int {
    var nothing = 0
    let width = readings.count
    let age = readings.firstIndex { $0.isAge }
    events.withUnsafeBufferPointer { events in
      guard let first = events.baseAddress else { return }
      for i in 0..<events.count {
        let row = found.next()
        let received = UnsafeRawPointer(first + i).load(fromByteOffset: receipt, as: Int64.self)
        if let (values, since) = last.row(first[i].symbol, within: within, of: received) {
          for k in 0..<width { row[k] = values[k] }
          if let age { row[age] = since }
        } else {
          for k in 0..<width { row[k] = ColumnLayout.missing }
          nothing &+= 1
        }
      }
    }
    return nothing
  }

  private static func pass(_ events: Span<Main>, _ found: borrowing FoundRows, _ places: [Int], into output: inout Outlet<Main>) {
    let (rows, width) = (found.rows, found.width)
    output.pass(events) { range, row, stride in
      for (k, place) in places.enumerated() {
        for i in 0..<range.count { row[i &* stride &+ place] = rows[(range.lowerBound &+ i) &* width &+ k] }
      }
    }
  }
}

/// What was found for the events in hand, row by row.
struct FoundRows: ~Copyable {
  let width: Int
  private(set) var rows: UnsafeMutablePointer<Int64>
  private var capacity = 0
  var count = 0

  init(width: Int) {
    self.width = width
    rows = .allocate(capacity: 0)
  }

  deinit { rows.deallocate() }

  /// The row of the next event, to be written at once.
  @inline(__always)
  mutating func next() -> UnsafeMutablePointer<Int64> {
    if count == capacity { grow() }
    defer { count &+= 1 }
    return rows + count &* width
  }

  @inline(never)
  private mutating func grow() {
    capacity = max(1024, capacity * 2)
    let larger = UnsafeMutablePointer<Int64>.allocate(capacity: capacity * width)
    larger.moveInitialize(from: rows, count: count * width)
    rows.deallocate()
    rows = larger
  }
}

/// The last row of each symbol, and when it was received.
struct LastRows: ~Copyable {
  /// As it is written.
  struct Saved: Sendable, Codable {
    var columns: [String]
    var symbols: [Symbol]
    var received: [Int64]
    var rows: [Int64]
  }

  private let columns: [String]
  private let width: Int
  /// By symbol handle; `Int64.min` if there is none.
  private var received: UnsafeMutablePointer<Int64>
  private var rows: UnsafeMutablePointer<Int64>
  private var count = 0

  /// - Parameter saved: what an earlier one has left, perhaps of other columns; those that it lacks have no values.
  init(_ columns: [String], after saved: Saved?) {
    self.columns = columns
    width = columns.count
    (received, rows) = (.allocate(capacity: 0), .allocate(capacity: 0))
    guard let saved, saved.received.count == saved.symbols.count, saved.rows.count == saved.symbols.count * saved.columns.count else {
      return
    }
    let places = columns.map { saved.columns.firstIndex(of: $0) }
    for (i, symbol) in saved.symbols.enumerated() {
      let row = update(symbol, receivedAt: saved.received[i])
      for (k, place) in places.enumerated() { row[k] = place.map { saved.rows[i * saved.columns.count + $0] } ?? ColumnLayout.missing }
    }
  }

  deinit {
    received.deallocate()
    rows.deallocate()
  }

  /// The row of a symbol, to be written at once.
  @inline(__always)
  mutating func update(_ symbol: Symbol, receivedAt time: Int64) -> UnsafeMutablePointer<Int64> {
    let id = Int(symbol.id)
    if id >= count { grow(to: id + 1) }
    received[id] = time
    return rows + id &* width
  }

  @inline(never)
  private mutating func grow(to wanted: Int) {
    let wanted = max(1024, count * 2, wanted)
    received = Self.larger(received, count, wanted, filler: .min)
    rows = Self.larger(rows, count * width, wanted * width, filler: ColumnLayout.missing)
    count = wanted
  }

  private static func larger(
    _ old: UnsafeMutablePointer<Int64>, _ count: Int, _ wanted: Int, filler: Int64
  ) -> UnsafeMutablePointer<Int64> {
    let new = UnsafeMutablePointer<Int64>.allocate(capacity: wanted)
    new.moveInitialize(from: old, count: count)
    (new + count).initialize(repeating: filler, count: wanted - count)
    old.deallocate()
    return new
  }

  /// The row of a symbol that was received at most `span` nanoseconds before `time`, and how long before.
  @inline(__always)
  func row(_ symbol: Symbol, within span: Int64, of time: Int64) -> (values: UnsafePointer<Int64>, age: Int64)? {
    let id = Int(symbol.id)
    guard id < count, received[id] != .min else { return nil }
    let (age, isOver) = time.subtractingReportingOverflow(received[id])
    // A clock that was set back gives no negative age.
    return isOver || age > span ? nil : (UnsafePointer(rows + id &* width), max(0, age))
  }

  var saved: Saved {
    var saved = Saved(columns: columns, symbols: [], received: [], rows: [])
    for id in 0..<count where received[id] != .min {
      saved.symbols.append(Symbol(id: UInt32(id)))
      saved.received.append(received[id])
      for k in 0..<width { saved.rows.append(rows[id * width + k]) }
    }
    return saved
  }
}
