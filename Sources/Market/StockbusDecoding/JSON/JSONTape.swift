internal import MarketData

/// A parsed message (RFC 8259): a copy of its text, and a node for every key and value.
///
/// The memory is reused for the next message, so parsing allocates nothing once the memory has grown to the largest message. The parser
/// checks grammar, escapes, numbers, UTF-8, depth and length.
///
/// Unsafe inside, because a message has a few hundred bytes and a million of them must be parsed per second: the copy is followed by
/// `slack` zeros, which end every token, so that scanning needs no bounds checks.
struct JSONTape: ~Copyable {
  static let depthLimit = 64
  static let slack = 32

  /// The longest message in bytes.
  let limit: Int
  /// True if a value inside an object or a list may be a number in a form that JSON does not have, such as `NaN`, `-Infinity` or `.5`, as
  /// some programs write it. Such a value is then an error only of the item that needs it.
  let takesWords: Bool
  private(set) var text: UnsafeMutablePointer<UInt8>
  private(set) var count = 0
  private var textCapacity: Int
  private(set) var nodes: UnsafeMutablePointer<JSONNode>
  var nodeCount = 0
  private var nodeCapacity: Int
  /// The containers around the present value, outermost first.
  let open: UnsafeMutablePointer<UInt32>
  #if DEBUG
  /// The number of nodes visited and bytes read again since the creation of the tape.
  let work: UnsafeMutablePointer<Int>
  #endif

  /// Parses messages of at most `limit` bytes, which is itself at most 256 MiB.
  init(limit: Int, takesWords: Bool = false) {
    self.limit = min(max(1, limit), 1 << 28)
    self.takesWords = takesWords
    textCapacity = 1024
    text = .allocate(capacity: textCapacity + Self.slack)
    text.initialize(repeating: 0, count: textCapacity + Self.slack)
    nodeCapacity = 256
    nodes = .allocate(capacity: nodeCapacity)
    open = .allocate(capacity: Self.depthLimit)
    open.initialize(repeating: 0, count: Self.depthLimit)
    #if DEBUG
    work = .allocate(capacity: 1)
    work.initialize(to: 0)
    #endif
  }

  deinit {
    text.deallocate()
    nodes.deallocate()
    open.deallocate()
    #if DEBUG
    work.deallocate()
    #endif
  }

  /// Parses a message, whose root becomes node 0; the previous message is discarded.
  mutating func read(_ message: UnsafeBufferPointer<UInt8>) throws(JSONProblem) {
    nodeCount = 0
    count = 0
    if textCapacity > Self.usual || nodeCapacity > Self.usual { release(for: message.count) }
    guard message.count <= limit else { throw JSONProblem(code: .tooLong, offset: limit) }
    let isASCII = copy(message)
    if !isASCII { try checkUTF8() }
    try scan()
  }

  /// Memory for up to this many bytes, and this many nodes, is never released.
  private static let usual = 1 << 18

  /// One very long message must not keep its memory allocated permanently.
  @inline(never)
  private mutating func release(for length: Int) {
    if textCapacity > Self.usual, length < textCapacity / 8 {
      text.deallocate()
      textCapacity = max(length, 1024)
      text = .allocate(capacity: textCapacity + Self.slack)
    }
    if nodeCapacity > Self.usual, length < nodeCapacity {
      nodes.deallocate()
      nodeCapacity = 256
      nodes = .allocate(capacity: nodeCapacity)
    }
  }

  /// Copies the message; returns true if all of it is ASCII.
  private mutating func copy(_ message: UnsafeBufferPointer<UInt8>) -> Bool {
    if message.count > textCapacity {
      text.deallocate()
      textCapacity = max(message.count, min(textCapacity * 2, limit))
      text = .allocate(capacity: textCapacity + Self.slack)
    }
    if let start = message.baseAddress { text.update(from: start, count: message.count) }
    count = message.count
    (text + count).update(repeating: 0, count: Self.slack)
    var seen: UInt64 = 0
    var at = 0
    while at < count {
      seen |= ByteWords.load(UnsafePointer(text) + at)
      at &+= 8
    }
    return seen & 0x8080_8080_8080_8080 == 0
  }

  /// Also replaces a byte order mark before the message by blanks; readers may ignore it (RFC 8259, section 8.1).
  @inline(never)
  private func checkUTF8() throws(JSONProblem) {
    if count >= 3, text[0] == 0xef, text[1] == 0xbb, text[2] == 0xbf { text.update(repeating: 32, count: 3) }
    do throws(UTF8.ValidationError) {
      _ = try UTF8Span(validating: UnsafeBufferPointer(start: text, count: count).span)
    } catch { throw JSONProblem(code: .badUTF8, offset: error.byteOffsets.lowerBound) }
  }

  /// Adds a node; its `next` is set when the node ends.
  @inline(__always)
  mutating func append(_ kind: JSONNode.Kind, _ start: Int, _ count: Int, hasEscapes: Bool = false) {
    if nodeCount == nodeCapacity { growNodes() }
    nodes[nodeCount] = JSONNode(
      start: UInt32(truncatingIfNeeded: start), count: UInt32(truncatingIfNeeded: count), next: UInt32(truncatingIfNeeded: nodeCount &+ 1),
      kind: kind, hasEscapes: hasEscapes)
    nodeCount &+= 1
  }

  @inline(never)
  private mutating func growNodes() {
    let bigger = UnsafeMutablePointer<JSONNode>.allocate(capacity: nodeCapacity * 2)
    bigger.update(from: nodes, count: nodeCount)
    nodes.deallocate()
    nodes = bigger
    nodeCapacity *= 2
  }
}
