internal import StockbusInstruments
internal import StockbusPlugin
internal import StockbusViewing

/// All prices of the page, and the frame in which each of their numbers last changed.
///
/// A *frame* is a moment in which changes are sent to clients. Events between two frames only mark their rows; changes are found when the
/// frame ends, once for a row and not for each event. So an event costs what it costs the terminal's screen, and one comparison.
struct PageBoard {
  private(set) var market: Market
  /// The last frame that has ended.
  private(set) var frame: UInt32 = 0
  private var stamps: ContiguousArray<RowStamps> = []
  /// The numbers that were sent last.
  private var sent: ContiguousArray<RowNumbers> = []
  /// The names of the rows, and the words by which they are found.
  private(set) var texts: RowTexts
  /// Rows by name. A browser's names are looked up here, so that they do not become symbols.
  private var rowsByName: [String: Int32] = [:]
  /// Rows with events since the last ended frame.
  private var dirty: [Int32] = []
  private var isDirty: ContiguousArray<Bool> = []
  private var ranksAreOld = false
  /// The values beside the rows that were sent last, one row after the other, and the frames in which they changed; empty without columns.
  private var sentColumns: [Int64] = []
  private var columnFrames: [UInt32] = []

  /// - Parameter market: may have rows with prices from before the run.
  init(_ instruments: Instruments = Instruments(), _ market: Market = Market()) {
    self.market = market
    texts = RowTexts(instruments)
    dirty = market.rows.indices.map { Int32($0) }
    isDirty = ContiguousArray(repeating: true, count: dirty.count)
  }

  /// True if rows had events since the last frame.
  var hasChanges: Bool { !dirty.isEmpty }

  /// True if a symbol may have got another rank since the ranks were renewed.
  var hasOldRanks: Bool { ranksAreOld }

  /// The number of rows in the last ended frame.
  var count: Int32 { Int32(sent.count) }

  func stamps(of row: Int32) -> RowStamps { stamps[Int(row)] }

  func numbers(of row: Int32) -> RowNumbers { sent[Int(row)] }

  /// The row of a symbol; nil if it had none in the last ended frame.
  func row(named name: String) -> Int32? { rowsByName[name] }

  /// True if a symbol of this name has arrived and has no row because the limit of rows was reached.
  func isBeyond(_ name: String) -> Bool { Symbol(known: name).map(market.isBeyond) ?? false }

  // MARK: Requested symbols

  mutating func want(_ name: String) { if rowsByName[name] == nil { market.want(name) } }

  mutating func look(at row: Int32, now: Int64) { market.look(at: Int(row), now: now) }

  // MARK: Events

  mutating func take(_ batch: Span<Trade>, at now: Int64) {
    market.take(batch, at: now)
    mark(batch)
  }

  mutating func take(_ batch: Span<Quote>, at now: Int64) {
    market.take(batch, at: now)
    mark(batch)
  }

  mutating func take(_ batch: Span<Bar>, at now: Int64) {
    market.take(batch, at: now)
    mark(batch)
  }

  mutating func take(_ batch: Span<Ranked>, at now: Int64) {
    market.take(batch, at: now)
    mark(batch)
    ranksAreOld = true
  }

  mutating func take(_ batch: Span<Mover>) { market.take(batch) }

  @inline(__always)
  private mutating func mark<E: PricedEvent>(_ batch: Span<E>) {
    for i in batch.indices {
      // Symbols beyond the limit have no row.
      guard let row = market.place(of: batch[i].symbol) else { continue }
      if row >= isDirty.count { isDirty.append(contentsOf: repeatElement(false, count: row + 1 - isDirty.count)) }
      if isDirty[row] { continue }
      isDirty[row] = true
      dirty.append(Int32(row))
    }
  }

  // MARK: Frames

  /// Ends a frame: compares the rows that had events with the numbers sent before.
  ///
  /// - Parameter renewingRanks: true to update the symbols' ranks too. One move shifts many others, so ranks are updated together, and not
  ///   with every frame.
  mutating func endFrame(renewingRanks: Bool = true) {
    frame &+= 1
    while sent.count < market.rows.count {
      let symbol = market.rows[sent.count].symbol
      rowsByName[symbol.description] = Int32(sent.count)
      texts.add(symbol)
      sent.append(RowNumbers())
      stamps.append(RowStamps())
    }
    for row in dirty {
      isDirty[Int(row)] = false
      renew(Int(row))
    }
    dirty.removeAll(keepingCapacity: true)
    guard renewingRanks, ranksAreOld else { return }
    ranksAreOld = false
    for (row, rank) in market.standings.ranks(market.rows).enumerated() where sent[row].rank != rank {
      sent[row].rank = rank
      stamps[row].rank = frame
      stamps[row].any = frame
    }
  }

  private mutating func renew(_ row: Int) {
    var new = RowNumbers(market.rows[row])
    let old = sent[row]
    new.rank = old.rank
    new.keepDecimals(of: old)
    stamps[row].note(old, new, frame)
    sent[row] = new
    if let beside = market.beside { renewColumns(row, beside.row(row)) }
  }

  private mutating func renewColumns(_ row: Int, _ values: [Int64]) {
    let (begin, width) = (row * values.count, values.count)
    if begin + width > sentColumns.count {
      sentColumns.append(contentsOf: repeatElement(ColumnLayout.missing, count: sent.count * width - sentColumns.count))
      columnFrames.append(contentsOf: repeatElement(0, count: sent.count - columnFrames.count))
    }
    if sentColumns[begin..<begin + width].elementsEqual(values) { return }
    sentColumns.replaceSubrange(begin..<begin + width, with: values)
    columnFrames[row] = frame
  }

  /// The values beside a row's last event, if one of them has changed after a frame.
  func columns(of row: Int32, after cursor: UInt32?) -> ArraySlice<Int64> {
    let (row, width) = (Int(row), market.columns.columns.count)
    guard row < columnFrames.count, cursor.map({ columnFrames[row] > $0 }) ?? true else { return [] }
    return sentColumns[row * width..<(row + 1) * width]
  }
}
