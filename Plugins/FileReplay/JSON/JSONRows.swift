/// Reads rows that are one JSON object (or array) on each line.
///
/// A line with the shape of one of the last rows is read by that shape; any other is scanned key by key, and its shape is stored. Unsafe
/// inside: values are pointers into the row.
struct JSONRows: ~Copyable {
  static let depthLimit = 64
  /// How many keys of an object with missing fields are reported; making texts of all keys takes far longer than reading them.
  static let keyLimit = 64

  /// Why the last row was malformed.
  private(set) var reason = ""

  let paths: JSONPaths
  let targets: UnsafeMutablePointer<JSONPaths.Target>
  var scratch = Scratch()
  var slots: UnsafeMutablePointer<RowSlot>
  /// The fields from here on are columns, which may be true or false.
  let firstColumn: Int
  var keys: [String]?  // of the outermost object; collected for messages only

  // Enough shapes for all orders of four keys, and some more for files that mix messages. Changed in place through a copy of the pointer,
  // because of the compiler under the thread sanitizer: see `GzipReader.step`.
  let shapes: UnsafeMutablePointer<RowShape>
  private static let shapeCount = 32
  /// How many of the places are used.
  private var known = 0
  /// The number of rows of unknown shape since all places for shapes are used.
  private var strangers = 0
  private var latest = 0
  /// The only shape whose fields may be set in the values; -1 if there is none.
  private var filled = -1
  var victim = 0
  var isLearning = false
  var learnt: UnsafePointer<UInt8>
  var length = 0

  /// Each field is searched at its paths, best first. With `hasSymbol` rows need no symbol.
  init(_ fields: [ReplayField], paths candidates: [[JSONPath]], hasSymbol: Bool, slots: borrowing Slots) {
    var tree = JSONPaths()
    for (slot, candidates) in candidates.enumerated() {
      for (rank, path) in candidates.prefix(250).enumerated() { tree.add(path, .init(slot: slot, rank: UInt8(rank))) }
    }
    paths = tree
    let single = tree.single
    targets = .allocate(capacity: single.count)
    targets.initialize(repeating: single[0], count: single.count)
    for (i, target) in single.enumerated() { targets[i] = target }
    self.slots = slots.base
    firstColumn = fields.firstIndex { $0.kind == .column } ?? fields.count
    learnt = UnsafePointer(scratch.base)
    shapes = .allocate(capacity: Self.shapeCount)
    for i in 0..<Self.shapeCount { (shapes + i).initialize(to: RowShape(fields, hasSymbol: hasSymbol)) }
  }

  deinit {
    targets.deallocate()
    shapes.deinitialize(count: Self.shapeCount)
    shapes.deallocate()
  }

  /// If the row at `start` has a known shape, reads it into the values and returns the position of its newline.
  @inline(always)
  mutating func quick(_ start: UnsafePointer<UInt8>, into values: inout ValueDecoder) -> UnsafePointer<UInt8>? {
    if filled == latest, let end = read(latest, start, &values) { return end }
    return otherShape(start, &values)
  }

  /// Tries all shapes.
  @inline(never)
  private mutating func otherShape(_ start: UnsafePointer<UInt8>, _ values: inout ValueDecoder) -> UnsafePointer<UInt8>? {
    for shape in 0..<known where shapes[shape].begins(start) {
      // Values set by another shape must not be used for this row.
      if filled != shape { values.clear() }
      filled = shape
      if let end = read(shape, start, &values) {
        latest = shape
        return end
      }
    }
    return nil
  }

  @inline(always)
  private mutating func read(
    _ shape: Int, _ start: UnsafePointer<UInt8>, _ values: inout ValueDecoder
  ) -> UnsafePointer<UInt8>? {
    let shape = shapes + shape
    return RowShape.read(shape.pointee.pieces, shape.pointee.bytes, start, into: &values) { piece, p, values in
      value(piece, &p, &values)
    }
  }

  /// Reads the next row into the slots. Throws errors of reading.
  mutating func next(_ reader: inout LineReader, _ slots: borrowing Slots) throws(ReplayError) -> RowFound {
    switch try reader.next() {
    case .line: return row(&reader, slots)
    case .end: return .end
    case .later: return .later
    case .tooLong:
      reason = "the line is longer than \(reader.limit) bytes ('row_limit')"
      return .malformed
    }
  }

  /// The first keys of the outermost object of a line that has been read.
  mutating func keys(of line: UnsafeBufferPointer<UInt8>) -> [String] {
    guard let start = line.baseAddress else { return [] }
    keys = []
    defer { keys = nil }
    isLearning = false
    scratch.clear()
    scratch.reserve(line.count + LineReader.slack)
    try? scan(start, line.count)
    return keys ?? []
  }

  private mutating func row(_ reader: inout LineReader, _ slots: borrowing Slots) -> RowFound {
    slots.clear()
    scratch.clear()
    var p = reader.start
    JSONScanner.skipBlanks(&p)
    if p >= reader.start + reader.count { return .blank }
    length = reader.count
    scratch.reserve(length + LineReader.slack)
    filled = -1
    isLearning = isWorthLearning()
    learnt = reader.start
    let shapes = shapes
    if isLearning { shapes[victim].clear() }
    do throws(JSONRowProblem) {
      try scan(reader.start, reader.count)
      if isLearning { keepShape() }
      return .row
    } catch {
      reason = "byte \(error.place(from: reader.start)): \(error.reason)"
      return .malformed
    }
  }

  /// When all places are used, a new shape replaces another one. If rows have more shapes than that, or each row a new one, only some
  /// shapes are stored, because storing a shape takes longer than scanning the row.
  private mutating func isWorthLearning() -> Bool {
    if known < Self.shapeCount { return true }
    strangers &+= 1
    return strangers & 15 == 0
  }

  /// Stores the new shape, unless the same shape is known and only the values of this row did not fit it.
  private mutating func keepShape() {
    let shapes = shapes
    guard shapes[victim].isComplete else { return }
    for other in 0..<known where other != victim && shapes[other].isSame(as: shapes[victim]) { return shapes[victim].clear() }
    latest = victim
    known = max(known, victim + 1)
    victim = (victim + 1) % Self.shapeCount
  }

  mutating func scan(_ start: UnsafePointer<UInt8>, _ count: Int) throws(JSONRowProblem) {
    var p = start
    JSONScanner.skipBlanks(&p)
    guard p.pointee == 123 || p.pointee == 91 else { throw JSONRowProblem(.notAContainer, p) }
    try value(&p, JSONPaths.root, 0)
    JSONScanner.skipBlanks(&p)
    // A carriage return at the end of the line is skipped as a blank.
    guard p >= start + count else { throw JSONRowProblem(.trailingText, p) }
    let shapes = shapes
    if isLearning { shapes[victim].end(learnt, start + count - learnt) }
  }
}
