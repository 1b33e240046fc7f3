internal import MarketData
internal import StockbusDecoding

/// Scanning key by key, for lines of an unknown shape.
extension JSONRows {
  mutating func value(_ p: inout UnsafePointer<UInt8>, _ node: Int, _ depth: Int) throws(JSONRowProblem) {
    guard p.pointee == 123 || p.pointee == 91 else {
      let start = p
      try scalar(&p, node)
      if isLearning { learn(start, p, node) }
      return
    }
    if depth >= Self.depthLimit { throw JSONRowProblem(.tooDeep, p) }
    if node >= 0, targets[node].slot != -1 {
      // A shape cannot express an object in place of a value.
      isLearning = false
      store(node, p, 1, .container, Decimal())
    }
    if p.pointee == 123 { try object(&p, node, depth) } else { try array(&p, node, depth) }
  }

  private mutating func object(_ p: inout UnsafePointer<UInt8>, _ node: Int, _ depth: Int) throws(JSONRowProblem) {
    p += 1
    JSONScanner.skipBlanks(&p)
    if p.pointee == 125 {
      p += 1
      return
    }
    while true {
      guard p.pointee == 34 else { throw JSONRowProblem(.expectedKey, p) }
      let key = p + 1
      let hasEscapes = try JSONScanner.skipString(&p)
      let child = self.child(of: node, key, p - 1 - key, hasEscapes, depth)
      JSONScanner.skipBlanks(&p)
      guard p.pointee == 58 else { throw JSONRowProblem(.expectedColon, p) }
      p += 1
      JSONScanner.skipBlanks(&p)
      try value(&p, child, depth + 1)
      JSONScanner.skipBlanks(&p)
      switch p.pointee {
      case 44: p += 1
      case 125:
        p += 1
        return
      default: throw JSONRowProblem(.expectedCommaOrBrace, p)
      }
      JSONScanner.skipBlanks(&p)
    }
  }

  private mutating func array(_ p: inout UnsafePointer<UInt8>, _ node: Int, _ depth: Int) throws(JSONRowProblem) {
    p += 1
    JSONScanner.skipBlanks(&p)
    if p.pointee == 93 {
      p += 1
      return
    }
    var index = 0
    while true {
      try value(&p, paths.child(of: node, index: index), depth + 1)
      index += 1
      JSONScanner.skipBlanks(&p)
      switch p.pointee {
      case 44: p += 1
      case 93:
        p += 1
        return
      default: throw JSONRowProblem(.expectedCommaOrBracket, p)
      }
      JSONScanner.skipBlanks(&p)
    }
  }

  private mutating func child(of node: Int, _ key: UnsafePointer<UInt8>, _ count: Int, _ hasEscapes: Bool, _ depth: Int) -> Int {
    var start = key
    var length = count
    if hasEscapes {
      start = UnsafePointer(scratch.base) + scratch.count
      scratch.append { JSONEscapes.resolve(UnsafeBufferPointer(start: key, count: count), to: $0) }
      length = UnsafePointer(scratch.base) + scratch.count - start
    }
    if depth == 0, keys.map({ $0.count < Self.keyLimit }) ?? false {
      keys?.append(String(decoding: UnsafeBufferPointer(start: start, count: length), as: UTF8.self))
    }
    return node < 0 ? -1 : paths.child(of: node, key: start, count: length)
  }

  /// Adds a value, and the bytes between it and the previous value, to the shape.
  private mutating func learn(_ start: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ node: Int) {
    let targets = node < 0 ? [] : paths.targets(of: node).map { (field: $0.slot, rank: $0.rank) }
    let shapes = shapes  // see its declaration
    switch start.pointee {
    case 34:
      shapes[victim].add(learnt, start + 1 - learnt, .text, for: targets)
      learnt = end - 1
    case 45, 48...57:
      shapes[victim].add(learnt, start - learnt, .number, for: targets)
      learnt = end
    case _ where targets.isEmpty, 102 where targets.allSatisfy { $0.field >= firstColumn },
      116 where targets.allSatisfy { $0.field >= firstColumn }:
      shapes[victim].add(learnt, start - learnt, .literal, for: targets)
      learnt = end
    // `null` becomes part of the bytes between values; `true` and `false` are not values of any field.
    case 110 where end - start == 4 && ByteWords.load(start) & ByteWords.mask(4) == 0x6c6c_756e: shapes[victim].addNull(for: targets)
    default: isLearning = false
    }
  }
}
