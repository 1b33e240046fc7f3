internal import MarketData
internal import StockbusSQLite

/// Writes bars into the chunks of the file. A batch is written symbol by symbol, so that each chunk is read and written once.
///
/// Most bars follow the stored ones: their bytes are added to the last chunk without reading it. Where bars are replaced or arrive later
/// than their successors, one chunk is read as a whole and written again.
struct ChunkWriter: ~Copyable {
  /// Where a bar of a batch belongs.
  struct Place: Comparable {
    var symbol: Int64
    var length: Int64
    var start: Int64
    /// Its index in the batch: bars with the same start stay in the order of their arrival.
    var index: Int

    static func < (a: Place, b: Place) -> Bool {
      if a.symbol != b.symbol { return a.symbol < b.symbol }
      if a.length != b.length { return a.length < b.length }
      if a.start != b.start { return a.start < b.start }
      return a.index < b.index
    }
  }

  private var packed = PackedBars(capacity: BarChunk.limit)
  private var old: [Bar] = []
  private var merged: [Bar] = []

  /// The statements of one transaction.
  struct Statements {
    let atOrBefore, after, insert, update, move: SQLiteStatement

    init(_ db: SQLiteConnection) throws {
      atOrBefore = try db.statement(BarChunk.atOrBefore)
      after = try db.statement(BarChunk.after)
      insert = try db.statement(BarChunk.insert)
      update = try db.statement(BarChunk.update)
      move = try db.statement(BarChunk.move)
    }
  }

  /// Writes the bars of one symbol and length, in the order of their places; calls `judged` for each, with how it compares with the bar
  /// that was at its place.
  mutating func write(
    _ places: ArraySlice<Place>, of bars: [Bar], _ statements: Statements, _ db: SQLiteConnection,
    judged: (Bar, HistoryWriter.Comparison) throws -> Void
  ) throws {
    var rest = places
    while let first = rest.first {
      let found = try find(first, bars[first.index].symbol, statements, db)
      // The bars from the next chunk on are written there.
      let end = found.bound.map { bound in rest.firstIndex { $0.start >= bound } ?? rest.endIndex } ?? rest.endIndex
      if found.isMerged, let chunk = found.chunk {
        try merge(rest[..<end], of: bars, into: chunk, isLast: found.bound == nil, statements, db, judged)
      } else {
        try append(rest[..<end], of: bars, to: found.chunk, statements, db, judged)
      }
      rest = rest[end...]
    }
  }

  /// The chunk that a bar belongs to, if there is one, and the start of the next one. If the bar follows all bars of the chunk, the chunk's
  /// bytes are in `packed`; otherwise its bars are in `old`, and `isMerged` is true.
  private mutating func find(
    _ place: Place, _ symbol: Symbol, _ statements: Statements, _ db: SQLiteConnection
  ) throws -> (chunk: BarChunk?, bound: Int64?, isMerged: Bool) {
    // Mostly the chunk is the last one.
    var chunk = try load(statements.atOrBefore, place, .max, symbol, after: place.start, db)
    guard let last = chunk, place.start < last.start else { return (chunk, nil, chunk.map { place.start <= $0.last } ?? false) }
    chunk = try load(statements.atOrBefore, place, place.start, symbol, after: place.start, db)
    if let chunk, place.start <= chunk.last || packed.count <= BarChunk.limit / 2 {
      return (chunk, try start(statements.after, place, place.start, db), place.start <= chunk.last)
    }
    // Before all chunks, or in a gap behind a full one: with the next one, so that bars in falling order do not make a chunk each.
    chunk = try load(statements.after, place, place.start, symbol, after: .min, db)
    return (chunk, try chunk.flatMap { try start(statements.after, place, $0.start, db) }, true)
  }

  /// The chunk that `select` finds at `time`. Its bytes are put into `packed`, or its bars into `old` if it does not end before `after`.
  private mutating func load(
    _ select: SQLiteStatement, _ place: Place, _ time: Int64, _ symbol: Symbol, after: Int64, _ db: SQLiteConnection
  ) throws -> BarChunk? {
    select.bind(1, place.symbol)
    select.bind(2, place.length)
    select.bind(3, time)
    var chunk: BarChunk?
    packed.cut(to: 0)
    old.removeAll(keepingCapacity: true)
    let length = BarLength(raw: place.length)
    try select.forEachRow { row in
      let found = BarChunk(row)
      chunk = found
      try row.withBytes(BarChunk.bars) { bytes in
        if after <= found.last || !packed.begin(with: bytes) {
          packed.cut(to: 0)
          try found.read(bytes, symbol, length, into: &old)
        }
      }
      return false
    }
    return chunk
  }

  /// The start of the chunk that `select` finds at `time`.
  private func start(_ select: SQLiteStatement, _ place: Place, _ time: Int64, _ db: SQLiteConnection) throws -> Int64? {
    select.bind(1, place.symbol)
    select.bind(2, place.length)
    select.bind(3, time)
    var start: Int64?
    try select.forEachRow { row in
      start = BarChunk(row).start
      return false
    }
    return start
  }

  /// Adds bars behind all bars of a chunk, whose bytes are in `packed`, or behind all stored bars.
  private mutating func append(
    _ places: ArraySlice<Place>, of bars: [Bar], to chunk: BarChunk?, _ statements: Statements, _ db: SQLiteConnection,
    _ judged: (Bar, HistoryWriter.Comparison) throws -> Void
  ) throws {
    var open = chunk ?? BarChunk(id: 0, start: places[places.startIndex].start)
    var isChanged = false
    var next = places.startIndex
    while next < places.endIndex {
      let place = places[next]
      var bar = bars[place.index]
      try judged(bar, .new)
      next += 1
      while next < places.endIndex, places[next].start == place.start {
        let other = bars[places[next].index]
        let comparison = HistoryWriter.Comparison(of: other, with: bar)
        if comparison == .different { bar = other }
        try judged(other, comparison)
        next += 1
      }
      let size = packed.count
      packed.add(bar, from: open.start)
      if packed.count > BarChunk.limit, open.count > 0 {
        packed.cut(to: size)
        if isChanged { try save(open, place, isMoved: false, statements, db) }
        open = BarChunk(id: 0, start: place.start)
        packed.cut(to: 0)
        packed.add(bar, from: open.start)
      }
      open.last = place.start
      open.count += 1
      isChanged = true
    }
    if isChanged, let place = places.first { try save(open, place, isMoved: false, statements, db) }
  }

  /// Inserts bars among those of a chunk, which are in `old`.
  private mutating func merge(
    _ places: ArraySlice<Place>, of bars: [Bar], into chunk: BarChunk, isLast: Bool, _ statements: Statements, _ db: SQLiteConnection,
    _ judged: (Bar, HistoryWriter.Comparison) throws -> Void
  ) throws {
    guard let first = places.first else { return }
    merged.removeAll(keepingCapacity: true)
    var (isChanged, isInserted) = (false, false)
    var present = old.startIndex
    var next = places.startIndex
    while next < places.endIndex {
      let start = places[next].start
      while present < old.endIndex, old[present].time.ns < start {
        merged.append(old[present])
        present += 1
      }
      var bar: Bar?
      if present < old.endIndex {
        if old[present].time.ns == start {
          bar = old[present]
          present += 1
        } else {
          isInserted = true
        }
      }
      while next < places.endIndex, places[next].start == start {
        let other = bars[places[next].index]
        let comparison = bar.map { HistoryWriter.Comparison(of: other, with: $0) } ?? .new
        if comparison == .new || comparison == .different {
          bar = other
          isChanged = true
        }
        try judged(other, comparison)
        next += 1
      }
      if let bar { merged.append(bar) }
    }
    if !isChanged { return }
    merged += old[present...]
    // Halves, where more bars are likely to be inserted later; otherwise as many as fit.
    try save(merged: chunk, first, most: isInserted || !isLast ? evenShare : .max, statements, db)
  }

  /// The number of bars in each chunk if as few chunks as possible share them evenly.
  private var evenShare: Int {
    mutating get {
      var total = 0
      for bar in merged {
        packed.cut(to: 0)
        packed.add(bar, from: merged[0].time.ns)
        total += packed.count
      }
      let chunks = max(1, (total + BarChunk.limit - 1) / BarChunk.limit)
      return (merged.count + chunks - 1) / chunks
    }
  }

  /// Writes `merged` at the place of a chunk and behind it, at most `most` bars in each.
  private mutating func save(
    merged chunk: BarChunk, _ place: Place, most: Int, _ statements: Statements, _ db: SQLiteConnection
  ) throws {
    var open = BarChunk(id: chunk.id, start: merged[0].time.ns)
    packed.cut(to: 0)
    for bar in merged {
      let size = packed.count
      packed.add(bar, from: open.start)
      if packed.count > BarChunk.limit && open.count > 0 || open.count >= most {
        packed.cut(to: size)
        try save(open, place, isMoved: open.start != chunk.start, statements, db)
        open = BarChunk(id: 0, start: bar.time.ns)
        packed.cut(to: 0)
        packed.add(bar, from: open.start)
      }
      open.last = bar.time.ns
      open.count += 1
    }
    try save(open, place, isMoved: open.start != chunk.start, statements, db)
  }

  /// Writes `packed` as a chunk, a new one if its id is 0.
  private func save(_ chunk: BarChunk, _ place: Place, isMoved: Bool, _ statements: Statements, _ db: SQLiteConnection) throws {
    if chunk.id == 0 {
      statements.insert.bind(1, place.symbol)
      statements.insert.bind(2, place.length)
      statements.insert.bind(3, chunk.start)
      statements.insert.bind(4, chunk.last)
      statements.insert.bind(5, chunk.count)
      try statements.insert.run(lending: packed.content, at: 6)
      return
    }
    let statement = isMoved ? statements.move : statements.update
    statement.bind(1, chunk.last)
    statement.bind(2, chunk.count)
    statement.bind(4, chunk.id)
    if isMoved { statement.bind(5, chunk.start) }
    try statement.run(lending: packed.content, at: 3)
  }
}

extension ChunkWriter {
  /// Removes the first bars of a chunk that begin before `horizon`, at most `limit`; returns how many.
  mutating func removeFirst(
    _ limit: Int, before horizon: Int64, of place: Place, _ find: SQLiteStatement, _ remove: SQLiteStatement, _ statements: Statements,
    _ db: SQLiteConnection
  ) throws -> Int {
    // The symbol is that of the row, and no bar leaves here.
    let any = Symbol(id: 0)
    let found = try load(find, place, horizon, any, after: horizon, db)
    guard let chunk = found else { return 0 }
    if chunk.last < horizon, chunk.count <= limit {
      remove.bind(1, chunk.id)
      try remove.run()
      return Int(chunk.count)
    }
    if old.isEmpty {
      // The limit ends within the chunk, of which only the bytes were read so far.
      try chunk.read(packed.content, any, BarLength(raw: place.length), into: &old)
    }
    let count = min(limit, old.count { $0.time.ns < horizon })
    if count == 0 { return 0 }
    merged.removeAll(keepingCapacity: true)
    merged += old[count...]
    try save(merged: chunk, place, most: .max, statements, db)
    return count
  }
}

extension BarChunk {
  /// A chunk without bars.
  init(id: Int64, start: Int64) { (self.id, self.start, last, count) = (id, start, start, 0) }
}

extension Bar {
  /// True if this bar replaces one with the same start: it has a higher revision, or the same one unless it is a part and the other is
  /// complete, or a part of which more was traded. Two parts are not added up, because nothing says that their trades are different ones.
  func replaces(_ other: Bar) -> Bool {
    if revision != other.revision { return revision > other.revision }
    return status == .complete || other.status == .partial && (volume, count) >= (other.volume, other.count)
  }
}
