internal import MarketData

/// The shape of rows: the bytes between their values, and the use of each value.
///
/// A row of a known shape is read in one pass from its first byte to its end, without searching for the end first: see `read`.
///
/// Unsafe inside: it compares rows with stored bytes a word at a time; the newline after every row stops it.
struct RowShape: ~Copyable {
  /// The use of a value.
  enum Use: UInt8 {
    /// The row ends here.
    case end
    /// Unused; the value is only skipped.
    case nothing
    case symbol, time, price, quantity
    /// A field that is read by the general functions.
    case other
    /// Not a new value: the previous value is read again, for another field.
    case again
  }
  /// The form of a value.
  enum Form: UInt8 {
    /// Between delimiters.
    case field
    /// In JSON: in quotation marks, which belong to the bytes between the values.
    case text
    /// In JSON: a number.
    case number
    /// In JSON: `true`, `false` or `null`; unused, or a column.
    case literal
  }
  /// Bytes that must come next, and the value after them.
  struct Piece {
    /// The first eight bytes under their mask, and the last eight if there are more.
    var head: UInt64 = 0
    var headMask: UInt64 = 0
    var tail: UInt64 = 0
    var count = 0
    /// The offset of the bytes in `bytes`; used if there are more than sixteen.
    var place = 0
    /// The byte that follows the value, repeated eight times.
    var stop: UInt64 = 0
    var use = Use.end
    var form = Form.field
    var field: UInt8 = 0
    var kind = ReplayField.Kind.symbol
  }

  let pieces: UnsafeMutablePointer<Piece>
  let bytes: UnsafeMutablePointer<UInt8>
  private(set) var isComplete = false
  private let kinds: [ReplayField.Kind]
  private let isQuick: [Bool]
  private let isNeeded: [Bool]
  private let pieceLimit: Int
  private let byteLimit: Int
  private var pieceCount = 0
  private var byteCount = 0
  private var isTooLarge = false
  /// The value from which each field is read: its rank among the paths of the field, and its piece; -1 if it is null.
  private var found: [(rank: UInt8, piece: Int)?]

  /// - Parameter hasSymbol: rows need not have a symbol.
  init(_ fields: [ReplayField], hasSymbol: Bool, pieces pieceLimit: Int = 64, bytes byteLimit: Int = 4096) {
    kinds = fields.map(\.kind)
    isQuick = fields.map(\.isQuick)
    isNeeded = fields.map { $0.isRequired && !(hasSymbol && $0.kind == .symbol) }
    found = Array(repeating: nil, count: fields.count)
    self.pieceLimit = pieceLimit
    self.byteLimit = byteLimit
    pieces = .allocate(capacity: pieceLimit)
    pieces.initialize(repeating: Piece(), count: pieceLimit)
    bytes = .allocate(capacity: byteLimit + LineReader.slack)
    bytes.initialize(repeating: 0, count: byteLimit + LineReader.slack)
  }

  deinit {
    pieces.deallocate()
    bytes.deallocate()
  }
}

// MARK: - Learning

extension RowShape {
  /// Clears the shape, to build another one.
  mutating func clear() {
    isComplete = false
    isTooLarge = false
    pieceCount = 0
    byteCount = 0
    for i in found.indices { found[i] = nil }
  }

  /// Adds the next bytes and the value after them, which is for these fields. Of several values for a field the one with the best rank is
  /// used, and of two with the same rank the last.
  mutating func add(_ from: UnsafePointer<UInt8>, _ count: Int, _ form: Form, for targets: [(field: Int, rank: UInt8)]) {
    append(from, count, .nothing, form)
    var isFirst = true
    for target in targets where take(target.field, target.rank, pieceCount - 1) {
      if !isFirst {
        append(from, 0, .again, form)
        append(from, 0, .nothing, form)
      }
      isFirst = false
      if isTooLarge { return }
      let kind = kinds[target.field]
      found[target.field] = (target.rank, pieceCount - 1)
      pieces[pieceCount - 1].field = UInt8(truncatingIfNeeded: target.field)
      pieces[pieceCount - 1].kind = kind
      pieces[pieceCount - 1].use =
        switch kind {
        // A JSON number in a field for symbols is read by the general functions.
        case .symbol: form == .number ? .other : .symbol
        case .time: .time
        case .price, .quoted: isQuick[target.field] ? .price : .other
        case .quantity: isQuick[target.field] ? .quantity : .other
        case .received, .side, .ownSide, .condition, .average, .amount, .count, .length, .session, .status, .column: .other
        }
    }
  }

  /// Records that these fields are null; the text `null` belongs to the bytes between the values.
  mutating func addNull(for targets: [(field: Int, rank: UInt8)]) {
    for target in targets { _ = take(target.field, target.rank, -1) }
  }

  /// Adds the bytes that end the row. The shape is usable if it has all fields that an event needs.
  mutating func end(_ from: UnsafePointer<UInt8>, _ count: Int) {
    append(from, count, .end, .field)
    isComplete = !isTooLarge && zip(isNeeded, found).allSatisfy { !$0 || ($1?.piece ?? -1) >= 0 }
    for i in 0..<max(0, pieceCount - 1) where pieces[i].use != .again {
      // The last value is followed by a carriage return or a newline; neither is part of a value.
      let next = pieces[i + 1]
      let byte = next.use == .again ? nil : next.count > 0 ? UInt8(truncatingIfNeeded: next.head) : next.use == .end ? 10 : nil
      pieces[i].stop = byte.map { ByteWords.all($0) } ?? 0
    }
    for i in stride(from: pieceCount - 2, through: 0, by: -1) where pieces[i + 1].use == .again {
      pieces[i].stop = pieces[i + 2].stop
    }
  }

  /// True if both shapes match the same rows and read them in the same way.
  func isSame(as other: borrowing RowShape) -> Bool {
    guard isComplete, other.isComplete, pieceCount == other.pieceCount, byteCount == other.byteCount else { return false }
    for i in 0..<pieceCount {
      let (a, b) = (pieces[i], other.pieces[i])
      if a.count != b.count || a.use != b.use || a.form != b.form || a.field != b.field { return false }
    }
    let (mine, theirs) = (
      UnsafeRawBufferPointer(start: bytes, count: byteCount), UnsafeRawBufferPointer(start: other.bytes, count: byteCount)
    )
    return mine.elementsEqual(theirs)
  }

  /// True if the value is the best one so far for a field.
  private mutating func take(_ field: Int, _ rank: UInt8, _ piece: Int) -> Bool {
    if let best = found[field] {
      if rank > best.rank { return false }
      if best.piece >= 0 { pieces[best.piece].use = .nothing }
    }
    found[field] = (rank, piece)
    return true
  }

  private mutating func append(_ from: UnsafePointer<UInt8>, _ count: Int, _ use: Use, _ form: Form) {
    guard !isTooLarge, pieceCount < pieceLimit, byteCount + count <= byteLimit else {
      isTooLarge = true
      return
    }
    (bytes + byteCount).update(from: from, count: count)
    let mask = ByteWords.mask(count)
    var piece = Piece()
    piece.head = ByteWords.load(bytes + byteCount) & mask
    piece.headMask = mask
    piece.tail = count > 8 ? ByteWords.load(bytes + byteCount + count - 8) : 0
    piece.count = count
    piece.place = byteCount
    piece.use = use
    piece.form = form
    pieces[pieceCount] = piece
    pieceCount += 1
    byteCount += count
  }
}
