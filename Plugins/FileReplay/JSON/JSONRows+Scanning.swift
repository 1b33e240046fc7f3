/// Scanning key by key, for lines of a shape that has not been seen.
extension JSONRows {
  mutating func value(_ p: inout UnsafePointer<UInt8>, _ node: Int, _ depth: Int) throws(JSONProblem) {
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

  mutating func learn(_ p: UnsafePointer<UInt8>, _ node: Int32) { shapes[victim].add(learnt, p - learnt, node: node) }
}
