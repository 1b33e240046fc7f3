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
package actor AsOf<Main: SymbolEvent, Other: SymbolEvent>: MultiProcessor, TieBreaking, OriginDependent {
  package typealias Output = Main

  private let within: Int64
  private let sources: [ColumnSource]
  private let context: Context
  private var last: LastRows
  private let alone: Counter
  /// The places of the columns in a row of the output.
  private var places: [Int]?

  package static var firstAtTies: any Event.Type { Other.self }

  package static var handlers: [InputHandler<AsOf>] {
    [
      InputHandler(Other.self) { owner, events, _ in owner.take(events) },
      InputHandler(Main.self) { owner, events, output in owner.pass(events, into: &output) },
    ]
  }

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
    sources = Self.sources(settings)
    last = LastRows(sources.map(\.info.name), after: context.recall(Self.memory))
    alone = context.counter("nothing found", "Events that passed without values, because nothing was received so shortly before.")
  }

  private static var memory: MemoryKey<LastRows.Saved> { MemoryKey("last", whenOptionsChange: .keep) }

  package func keepMemory() { context.remember(last.saved, Self.memory) }
  package func handOver(into output: inout Outlet<Main>) { keepMemory() }

  private func take(_ events: Span<Other>) {
    events.withUnsafeBufferPointer { events in
      for event in events where counts(event) {
        withUnsafePointer(to: event) { at in
          let row = last.update(event.symbol, receivedAt: Other.schema.receipt(of: event).ns)
          for (place, source) in sources.enumerated() { row[place] = source.read(UnsafeRawPointer(at)) }
        }
      }
    }
  }

  @inline(__always)
  private func counts(_ event: Other) -> Bool {
    if let trade = event as? Trade { return trade.condition.countsForLast }
    if let bar = event as? Bar { return bar.status != .partial }
    return true
  }

  private func pass(_ events: Span<Main>, into output: inout Outlet<Main>) {
    if places == nil { places = sources.compactMap { output.place(of: $0.info.name) } }
    guard let places, places.count == sources.count else { return output.pass(events) }
    var nothing = 0
    output.pass(events) { i, row in
      let received = Main.schema.receipt(of: events[i]).ns
      guard let found = last.row(events[i].symbol, within: within, of: received) else {
        nothing &+= 1
        for place in places { row[place] = ColumnLayout.missing }
        return
      }
      for k in places.indices { row[places[k]] = if case .age = sources[k].form { found.age } else { found.values[k] } }
    }
    if nothing > 0 { alone.add(nothing) }
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
  /// By symbol handle; `Int64.min` if there is none.
  private var received: [Int64] = []
  private var rows: UnsafeMutablePointer<Int64>
  private var width: Int { columns.count }

  /// - Parameter saved: what an earlier one has left, perhaps of other columns; those that it lacks have no values.
  init(_ columns: [String], after saved: Saved?) {
    self.columns = columns
    rows = .allocate(capacity: 0)
    guard let saved, saved.received.count == saved.symbols.count, saved.rows.count == saved.symbols.count * saved.columns.count else {
      return
    }
    let places = columns.map { saved.columns.firstIndex(of: $0) }
    for (i, symbol) in saved.symbols.enumerated() {
      let row = update(symbol, receivedAt: saved.received[i])
      for (k, place) in places.enumerated() { row[k] = place.map { saved.rows[i * saved.columns.count + $0] } ?? ColumnLayout.missing }
    }
  }

  deinit { rows.deallocate() }

  /// The row of a symbol, to be written at once.
  mutating func update(_ symbol: Symbol, receivedAt time: Int64) -> UnsafeMutablePointer<Int64> {
    let id = Int(symbol.id)
    if id >= received.count {
      let (old, wanted) = (received.count, max(1024, received.count * 2, id + 1))
      received += repeatElement(.min, count: wanted - old)
      let larger = UnsafeMutablePointer<Int64>.allocate(capacity: wanted * width)
      larger.update(from: rows, count: old * width)
      (larger + old * width).initialize(repeating: ColumnLayout.missing, count: (wanted - old) * width)
      rows.deallocate()
      rows = larger
    }
    received[id] = time
    return rows + id * width
  }

  /// The row of a symbol that was received at most `span` nanoseconds before `time`, and how long before.
  @inline(__always)
  func row(_ symbol: Symbol, within span: Int64, of time: Int64) -> (values: UnsafePointer<Int64>, age: Int64)? {
    let id = Int(symbol.id)
    guard id < received.count, received[id] != .min else { return nil }
    let (age, isOver) = time.subtractingReportingOverflow(received[id])
    // A clock that was set back gives no negative age.
    return isOver || age > span ? nil : (UnsafePointer(rows + id * width), max(0, age))
  }

  var saved: Saved {
    var saved = Saved(columns: columns, symbols: [], received: [], rows: [])
    for id in received.indices where received[id] != .min {
      saved.symbols.append(Symbol(id: UInt32(id)))
      saved.received.append(received[id])
      for k in 0..<width { saved.rows.append(rows[id * width + k]) }
    }
    return saved
  }
}
