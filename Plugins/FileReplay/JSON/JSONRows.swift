/// Reads rows that are one JSON object (or array) a line.
///
/// A line of the shape of one of the last few is checked against that shape; any other is scanned key by key. Unsafe inside:
/// values are pointers into the row.
struct JSONRows: ~Copyable {
  static let depthLimit = 64

  /// Why the last row was malformed.
  private(set) var reason = ""

  let paths: JSONPaths
  let targets: UnsafeMutablePointer<JSONPaths.Target>
  var scratch = Scratch()
  var slots: UnsafeMutablePointer<FieldSlot>
  var keys: [String]?  // of the outermost object, where somebody wants to know

  // Four shapes: files that mix messages have a few.
  let shapes: UnsafeMutablePointer<JSONTemplate>
  private static let shapeCount = 4
  private var latest = 0
  var victim = 0
  var isLearning = false
  var learnt: UnsafePointer<UInt8>
  var length = 0

  /// Each field is looked for at the paths given for it, best first.
  init(paths fields: [[JSONPath]], slots: borrowing Slots) {
    var tree = JSONPaths()
    for (slot, candidates) in fields.enumerated() {
      for (rank, path) in candidates.prefix(250).enumerated() { tree.add(path, .init(slot: slot, rank: UInt8(rank))) }
    }
    paths = tree
    let single = tree.single
    targets = .allocate(capacity: single.count)
    targets.initialize(repeating: single[0], count: single.count)
    for (i, target) in single.enumerated() { targets[i] = target }
    self.slots = slots.base
    learnt = UnsafePointer(scratch.base)
    shapes = .allocate(capacity: Self.shapeCount)
    for i in 0..<Self.shapeCount { (shapes + i).initialize(to: JSONTemplate()) }
  }

  deinit {
    targets.deallocate()
    shapes.deinitialize(count: Self.shapeCount)
    shapes.deallocate()
  }

  /// Reads the next row into the slots. Throws what reading throws.
  @inline(always)
  mutating func next(_ reader: inout LineReader, _ slots: borrowing Slots) throws(ReplayError) -> RowFound {
    switch try reader.next() {
    case .line:
      slots.clear()
      scratch.clear()
      if matches(latest, reader.start, reader.count) { return .row }
      return otherShape(&reader, slots)
    case .end: return .end
    case .tooLong:
      reason = "the line is longer than \(reader.limit) bytes"
      return .malformed
    }
  }

  /// The keys of the outermost object of a line that has been read.
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

  @inline(never)
  private mutating func otherShape(_ reader: inout LineReader, _ slots: borrowing Slots) -> RowFound {
    for shape in 0..<Self.shapeCount where shape != latest {
      slots.clear()
      scratch.clear()
      if matches(shape, reader.start, reader.count) {
        latest = shape
        return .row
      }
    }
    slots.clear()
    scratch.clear()
    var p = reader.start
    JSONText.skipBlanks(&p)
    if p >= reader.start + reader.count { return .blank }
    length = reader.count
    scratch.reserve(length + LineReader.slack)
    isLearning = true
    learnt = reader.start
    shapes[victim].clear()
    do throws(JSONProblem) {
      try scan(reader.start, reader.count)
      if isLearning, shapes[victim].isComplete {
        latest = victim
        victim = (victim + 1) % Self.shapeCount
      }
      return .row
    } catch {
      reason = "byte \(error.place(from: reader.start)): \(error.reason)"
      return .malformed
    }
  }

  mutating func scan(_ start: UnsafePointer<UInt8>, _ count: Int) throws(JSONProblem) {
    var p = start
    JSONText.skipBlanks(&p)
    guard p.pointee == 123 || p.pointee == 91 else { throw JSONProblem(.notAContainer, p) }
    try value(&p, JSONPaths.root, 0)
    JSONText.skipBlanks(&p)
    // A carriage return that ends the line is a blank too.
    guard p >= start + count else { throw JSONProblem(.trailingText, p) }
    if isLearning { learn(start + count, Int32(JSONTemplate.last)) }
  }

  /// Reads the line by a shape; false, with some slots perhaps filled, where it has another.
  @inline(always)
  private mutating func matches(_ shape: Int, _ start: UnsafePointer<UInt8>, _ count: Int) -> Bool {
    guard shapes[shape].isComplete else { return false }
    length = count
    let words = shapes[shape].words
    var piece = shapes[shape].pieces
    var p = start
    while JSONTemplate.passes(&p, piece.pointee, words) {
      let node = Int(piece.pointee.node)
      if node == JSONTemplate.last { return p == start + count }
      do throws(JSONProblem) { try scalar(&p, node) } catch { return false }
      piece += 1
    }
    return false
  }
}
