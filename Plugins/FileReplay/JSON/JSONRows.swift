/// Reads rows that are one JSON object (or array) a line.
///
/// A line of the shape of one of the last few is checked against that shape; any other is scanned key by key. Unsafe inside:
/// values are pointers into the row.
struct JSONRows: ~Copyable {
  static let depthLimit = 64

  /// Why the last row was malformed.
  private(set) var reason = ""

  private let paths: JSONPaths
  private let targets: UnsafeMutablePointer<JSONPaths.Target>
  private var scratch = Scratch()
  private var slots: UnsafeMutablePointer<FieldSlot>
  private var keys: [String]?  // of the outermost object, where somebody wants to know

  // Four shapes: files that mix messages have a few.
  private let shapes: UnsafeMutablePointer<JSONTemplate>
  private static let shapeCount = 4
  private var latest = 0
  private var victim = 0
  private var isLearning = false
  private var learnt: UnsafePointer<UInt8>
  private var length = 0

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

  private mutating func scan(_ start: UnsafePointer<UInt8>, _ count: Int) throws(JSONProblem) {
    var p = start
    JSONText.skipBlanks(&p)
    guard p.pointee == 123 || p.pointee == 91 else { throw JSONProblem(.notAContainer, p) }
    try value(&p, JSONPaths.root, 0)
    JSONText.skipBlanks(&p)
    // A carriage return that ends the line is a blank too.
    guard p >= start + count else { throw JSONProblem(.trailingText, p) }
    if isLearning { learn(start + count, Int32(JSONTemplate.last)) }
  }
}

// MARK: - Scanning key by key

extension JSONRows {
  private mutating func value(_ p: inout UnsafePointer<UInt8>, _ node: Int, _ depth: Int) throws(JSONProblem) {
    guard p.pointee == 123 || p.pointee == 91 else {
      if isLearning { learn(p, Int32(node)) }
      try scalar(&p, node)
      learnt = p
      return
    }
    if depth >= Self.depthLimit { throw JSONProblem(.tooDeep, p) }
    if node >= 0, targets[node].slot != -1 {
      // A shape could not tell that an object stands where a value should.
      isLearning = false
      store(node, p, 1, .container, Decimal())
    }
    if p.pointee == 123 { try object(&p, node, depth) } else { try array(&p, node, depth) }
  }

  private mutating func object(_ p: inout UnsafePointer<UInt8>, _ node: Int, _ depth: Int) throws(JSONProblem) {
    p += 1
    JSONText.skipBlanks(&p)
    if p.pointee == 125 {
      p += 1
      return
    }
    while true {
      guard p.pointee == 34 else { throw JSONProblem(.expectedKey, p) }
      let key = p + 1
      let hasEscapes = try JSONText.skipString(&p)
      let child = self.child(of: node, key, p - 1 - key, hasEscapes, depth)
      JSONText.skipBlanks(&p)
      guard p.pointee == 58 else { throw JSONProblem(.expectedColon, p) }
      p += 1
      JSONText.skipBlanks(&p)
      try value(&p, child, depth + 1)
      JSONText.skipBlanks(&p)
      switch p.pointee {
      case 44: p += 1
      case 125:
        p += 1
        return
      default: throw JSONProblem(.expectedCommaOrBrace, p)
      }
      JSONText.skipBlanks(&p)
    }
  }

  private mutating func array(_ p: inout UnsafePointer<UInt8>, _ node: Int, _ depth: Int) throws(JSONProblem) {
    p += 1
    JSONText.skipBlanks(&p)
    if p.pointee == 93 {
      p += 1
      return
    }
    var index = 0
    while true {
      try value(&p, paths.child(of: node, index: index), depth + 1)
      index += 1
      JSONText.skipBlanks(&p)
      switch p.pointee {
      case 44: p += 1
      case 93:
        p += 1
        return
      default: throw JSONProblem(.expectedCommaOrBracket, p)
      }
      JSONText.skipBlanks(&p)
    }
  }

  private mutating func child(of node: Int, _ key: UnsafePointer<UInt8>, _ count: Int, _ hasEscapes: Bool, _ depth: Int) -> Int {
    var start = key
    var length = count
    if hasEscapes {
      start = UnsafePointer(scratch.base) + scratch.count
      JSONText.unescape(UnsafeBufferPointer(start: key, count: count), into: &scratch)
      length = UnsafePointer(scratch.base) + scratch.count - start
    }
    if depth == 0 { keys?.append(String(decoding: UnsafeBufferPointer(start: start, count: length), as: UTF8.self)) }
    return node < 0 ? -1 : paths.child(of: node, key: start, count: length)
  }

  private mutating func learn(_ p: UnsafePointer<UInt8>, _ node: Int32) { shapes[victim].add(learnt, p - learnt, node: node) }
}

// MARK: - Values

extension JSONRows {
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

  /// A string, number, `true`, `false` or `null` at `p`.
  @inline(always)
  private mutating func scalar(_ p: inout UnsafePointer<UInt8>, _ node: Int) throws(JSONProblem) {
    let start = p
    switch p.pointee {
    case 34:
      let hasEscapes = try JSONText.skipString(&p)
      if node >= 0 { hasEscapes ? storeEscaped(node, start + 1, p - 2 - start) : store(node, start + 1, p - 2 - start, .text, Decimal()) }
    case 45, 48...57:
      guard let number = Decimal.scan(&p, .json) else { throw JSONProblem(.badNumber, p) }
      if node >= 0 { store(node, start, p - start, .number, number) }
    default:
      let kind = try Self.literal(&p)
      if node >= 0 { store(node, start, kind == .absent ? 0 : p - start, kind, Decimal()) }
    }
  }

  private static func literal(_ p: inout UnsafePointer<UInt8>) throws(JSONProblem) -> FieldSlot.Kind {
    let word = Words.load(p)
    switch word & Words.mask(4) {
    case 0x6c6c_756e:  // null
      p += 4
      return .absent
    case 0x6575_7274:  // true
      p += 4
      return .literal
    case 0x736c_6166 where p[4] == 101:  // false
      p += 5
      return .literal
    default: throw JSONProblem(.expectedValue, p)
    }
  }

  @inline(always)
  private mutating func store(_ node: Int, _ start: UnsafePointer<UInt8>, _ count: Int, _ kind: FieldSlot.Kind, _ number: Decimal) {
    let target = targets[node]
    if target.slot >= 0 {
      put(target, start, count, kind, number)
    } else if target.slot == -2 {
      for each in paths.targets(of: node) { put(each, start, count, kind, number) }
    }
  }

  @inline(always)
  private mutating func put(
    _ target: JSONPaths.Target, _ start: UnsafePointer<UInt8>, _ count: Int, _ kind: FieldSlot.Kind, _ number: Decimal
  ) {
    let slot = slots + target.slot
    if target.rank > slot.pointee.rank { return }
    slot.pointee = FieldSlot(start: start, count: count, number: number, kind: kind, rank: target.rank)
  }

  @inline(never)
  private mutating func storeEscaped(_ node: Int, _ start: UnsafePointer<UInt8>, _ count: Int) {
    guard targets[node].slot != -1 else { return }
    // Values without their escapes are never longer than with them, so that one reservation serves the line.
    if scratch.count == 0 { scratch.reserve(length + LineReader.slack) }
    let from = scratch.count
    JSONText.unescape(UnsafeBufferPointer(start: start, count: count), into: &scratch)
    store(node, UnsafePointer(scratch.base) + from, scratch.count - from, .text, Decimal())
    scratch.put(10)  // a number in it ends where it ends
  }
}
