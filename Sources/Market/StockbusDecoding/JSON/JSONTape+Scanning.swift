internal import MarketData

/// Checks the grammar. Unsafe inside: a pointer scans the copy without bounds checks, up to the zeros after it.
extension JSONTape {
  mutating func scan() throws(JSONProblem) {
    let base = UnsafePointer(text)
    var p = base
    var depth = 0
    Self.skipBlanks(&p)
    if p - base >= count { throw JSONProblem(code: .empty, offset: count) }
    values: while true {
      let byte = p.pointee
      switch byte {
      case 34: try string(&p, .text)
      case 123, 91:
        if depth == Self.depthLimit { throw problem(.tooDeep, p) }
        open[depth] = UInt32(truncatingIfNeeded: nodeCount)
        append(byte == 123 ? .object : .array, p - base, 0)
        p += 1
        Self.skipBlanks(&p)
        depth &+= 1
        if p.pointee != byte &+ 2 {
          if byte == 123 { try key(&p) }
          continue values
        }
        depth &-= 1
        close(Int(open[depth]), &p)
      case 45, 48...57: try number(&p)
      default: try literal(&p)
      }
      while true {
        if depth == 0 { break values }
        Self.skipBlanks(&p)
        let container = Int(open[depth &- 1])
        let isObject = nodes[container].kind == .object
        if p.pointee == 44 {
          p += 1
          Self.skipBlanks(&p)
          if isObject { try key(&p) }
          continue values
        }
        guard p.pointee == (isObject ? 125 : 93) else { throw problem(isObject ? .expectedCommaOrBrace : .expectedCommaOrBracket, p) }
        depth &-= 1
        close(container, &p)
      }
    }
    Self.skipBlanks(&p)
    if p - base < count { throw problem(.trailingText, p) }
  }

  /// Ends a container at its closing bracket.
  @inline(__always)
  private mutating func close(_ container: Int, _ p: inout UnsafePointer<UInt8>) {
    p += 1
    nodes[container].count = UInt32(truncatingIfNeeded: p - UnsafePointer(text)) &- nodes[container].start
    nodes[container].next = UInt32(truncatingIfNeeded: nodeCount)
  }

  @inline(__always)
  private static func skipBlanks(_ p: inout UnsafePointer<UInt8>) {
    while p.pointee <= 32, p.pointee == 32 || p.pointee == 10 || p.pointee == 13 || p.pointee == 9 { p += 1 }
  }

  /// At the end of the message every error is caused by that end, so the end is reported.
  @inline(never)
  private func problem(_ code: JSONProblem.Code, _ p: UnsafePointer<UInt8>) -> JSONProblem {
    let offset = p - UnsafePointer(text)
    return JSONProblem(code: offset >= count ? .unterminated : code, offset: min(offset, count))
  }

  /// Reads a key with its colon; afterwards `p` is at the key's value.
  @inline(__always)
  private mutating func key(_ p: inout UnsafePointer<UInt8>) throws(JSONProblem) {
    guard p.pointee == 34 else { throw problem(.expectedKey, p) }
    try string(&p, .key)
    Self.skipBlanks(&p)
    guard p.pointee == 58 else { throw problem(.expectedColon, p) }
    p += 1
    Self.skipBlanks(&p)
  }

  @inline(__always)
  private mutating func string(_ p: inout UnsafePointer<UInt8>, _ kind: JSONNode.Kind) throws(JSONProblem) {
    let first = p + 1
    var q = first
    while true {
      let found = ByteWords.endsOfText(ByteWords.load(q))
      if found != 0 {
        q += found.trailingZeroBitCount >> 3
        break
      }
      q += 8
    }
    var hasEscapes = false
    if q.pointee != 34 {
      try skipEscapes(&q)
      hasEscapes = true
    }
    let start = hasEscapes && kind == .key ? resolveKey(first, q) : first
    append(kind, start - UnsafePointer(text), q - start, hasEscapes: hasEscapes && kind != .key)
    p = q + 1
  }

  /// Resolves the escapes of a key at once, because keys are compared many times: afterwards the copy contains the key without escapes,
  /// preceded by blanks. Returns the new beginning of the key.
  @inline(never)
  private func resolveKey(_ first: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>) -> UnsafePointer<UInt8> {
    let old = text + (first - UnsafePointer(text))
    let length = JSONEscapes.resolve(UnsafeBufferPointer(start: first, count: end - first), to: old)
    let new = old + (end - first - length)
    new.update(from: old, count: length)
    (old - 1).update(repeating: 32, count: new - old)
    new[-1] = 34
    return UnsafePointer(new)
  }

  /// Continues from the first backslash or control character of a text to its closing quotation mark.
  @inline(never)
  private func skipEscapes(_ q: inout UnsafePointer<UInt8>) throws(JSONProblem) {
    while true {
      switch q.pointee {
      case 34: return
      case 92: q += try escapeLength(q)
      case 0..<32:
        throw q - UnsafePointer(text) >= count ? JSONProblem(code: .unterminatedText, offset: count) : problem(.controlCharacter, q)
      default: q += 1
      }
    }
  }

  private func escapeLength(_ q: UnsafePointer<UInt8>) throws(JSONProblem) -> Int {
    do throws(JSONEscapes.Fault) { return try JSONEscapes.length(q) } catch {
      switch error {
      case .badEscape: throw problem(.badEscape, q)
      case .loneSurrogate: throw problem(.loneSurrogate, q)
      }
    }
  }

  /// Reads a number: RFC 8259, section 6.
  @inline(__always)
  private mutating func number(_ p: inout UnsafePointer<UInt8>) throws(JSONProblem) {
    let start = p
    if p.pointee == 45 { p += 1 }
    let first = p
    while p.pointee &- 48 < 10 { p += 1 }
    if p == first || (first.pointee == 48 && p - first > 1) { return try word(&p, from: start, .badNumber) }
    if p.pointee == 46 {
      p += 1
      let point = p
      while p.pointee &- 48 < 10 { p += 1 }
      if p == point { return try word(&p, from: start, .badNumber) }
    }
    if p.pointee | 0x20 == 101 {
      p += 1
      if p.pointee == 43 || p.pointee == 45 { p += 1 }
      let exponent = p
      while p.pointee &- 48 < 10 { p += 1 }
      if p == exponent { return try word(&p, from: start, .badNumber) }
    }
    append(.number, start - UnsafePointer(text), p - start)
  }

  private mutating func literal(_ p: inout UnsafePointer<UInt8>) throws(JSONProblem) {
    let start = p - UnsafePointer(text)
    let word = ByteWords.load(p)
    switch word & 0xffff_ffff {
    case 0x6c6c_756e:
      append(.null, start, 4)
      p += 4
    case 0x6575_7274:
      append(.yes, start, 4)
      p += 4
    case 0x736c_6166 where p[4] == 101:
      append(.no, start, 5)
      p += 5
    default: try self.word(&p, from: p, .expectedValue)
    }
  }

  /// Reads a number in a form that JSON does not have, where that is allowed.
  @inline(never)
  private mutating func word(
    _ p: inout UnsafePointer<UInt8>, from start: UnsafePointer<UInt8>, _ code: JSONProblem.Code
  ) throws(JSONProblem) {
    p = start
    if takesWords, nodeCount > 0 { p += max(JSONWords.length(start), JSONWords.lengthOfNumber(start)) }
    if p == start { throw problem(code, start) }
    append(.word, start - UnsafePointer(text), p - start)
  }
}
