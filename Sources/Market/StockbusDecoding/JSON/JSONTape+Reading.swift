internal import MarketData

/// Finds values. Unsafe inside: nodes and bytes are accessed by pointer; a node's index always comes from the tape itself.
extension JSONTape {
  /// The bytes of a node as written, without quotation marks.
  @inline(__always)
  func bytes(_ node: Int) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: UnsafePointer(text) + Int(nodes[node].start), count: Int(nodes[node].count))
  }

  /// The text of a node for messages: without escapes, cut to `limit` bytes.
  func string(_ node: Int, limit: Int = 200) -> String {
    let bytes = bytes(node)
    guard nodes[node].hasEscapes else { return String(decoding: bytes.prefix(limit), as: UTF8.self) + (bytes.count > limit ? "…" : "") }
    var out = ByteWriter(capacity: bytes.count)
    JSONEscapes.resolve(bytes, into: &out)
    return out.withBytes { String(decoding: $0.prefix(limit), as: UTF8.self) + ($0.count > limit ? "…" : "") }
  }

  /// The value of a key in an object, the first one if it is repeated; -1 if there is none.
  @inline(__always)
  func member(_ object: Int, _ key: PathStep) -> Int {
    guard nodes[object].kind == .object else { return -1 }
    let end = Int(nodes[object].next)
    var at = object &+ 1
    while at < end {
      count(1)
      if Int(nodes[at].count) == key.count {
        let start = UnsafePointer(text) + Int(nodes[at].start)
        if ByteWords.load(start) & key.mask == key.word, key.count <= 8 || sameTail(start, key) { return at &+ 1 }
      }
      at = Int(nodes[at &+ 1].next)
    }
    return -1
  }

  private func sameTail(_ start: UnsafePointer<UInt8>, _ key: PathStep) -> Bool {
    var i = 8
    while i < key.count {
      if start[i] != key.bytes[i] { return false }
      i &+= 1
    }
    return true
  }

  /// The item of an array, counted from 0, or from the end by -1, -2 and so on; -1 if there is none.
  @inline(__always)
  func item(_ array: Int, _ index: Int) -> Int {
    guard nodes[array].kind == .array else { return -1 }
    var left = index < 0 ? itemCount(array) &+ index : index
    if left < 0 { return -1 }
    let end = Int(nodes[array].next)
    var at = array &+ 1
    while at < end {
      count(1)
      if left == 0 { return at }
      left &-= 1
      at = Int(nodes[at].next)
    }
    return -1
  }

  func itemCount(_ array: Int) -> Int {
    let end = Int(nodes[array].next)
    var at = array &+ 1
    var count = 0
    while at < end {
      self.count(1)
      count &+= 1
      at = Int(nodes[at].next)
    }
    return count
  }

  /// Counts work, for tests that compare it with the length of a message; has no effect in a release build.
  @inline(__always)
  func count(_ work: Int) {
    #if DEBUG
    self.work.pointee &+= work
    #endif
  }
}

/// One step of a path, prepared for comparison with bytes.
///
/// Unchecked because of the key's memory, which never changes after its creation and is freed by its `MessageRules`.
struct PathStep: @unchecked Sendable {
  let bytes: UnsafePointer<UInt8>
  /// The number of bytes of the key; -1 for an index.
  let count: Int
  /// The key's first eight bytes.
  let word: UInt64
  let mask: UInt64
  let index: Int
}
