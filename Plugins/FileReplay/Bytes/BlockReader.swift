/// Whole lines of a file, as many as were read at a time, in memory that is used again for others.
struct LineBlock: Sendable {
  /// The lines, the last with its end, and `LineReader.slack` newlines; what stands behind them is anything.
  fileprivate var bytes: [UInt8] = []
  /// Bytes of the lines.
  fileprivate(set) var count = 0
}

/// Cuts a file into blocks of whole lines, so that several parsers can work on it at once.
///
/// Where lines cannot be told apart by their ends alone, because a quotation mark may have one inside, or one is longer than a
/// block, it stops: the rest is for a `LineReader`.
///
/// Unsafe inside because reading fills memory by pointer.
struct BlockReader: ~Copyable {
  private var stream: ByteStream
  private let blockSize: Int
  /// True where a quotation mark may hide the end of a line.
  private let hasQuotes: Bool
  /// What was read behind the last whole line.
  private var rest: [UInt8] = []
  private var failure: ReplayError?
  private var isOver = false

  init(_ contents: ReplayContents, name: String, blockSize: Int, hasQuotes: Bool) throws(ReplayError) {
    stream = try ByteStream(contents, name: name, blockSize: blockSize)
    self.blockSize = max(1, blockSize)
    self.hasQuotes = hasQuotes
  }

  /// Bytes of the file read so far, as it lies on the disk.
  var bytesRead: Int { stream.offset }
  /// Bytes the file has on the disk; nil for what is no plain file.
  var size: Int? { stream.size }

  /// Puts the next whole lines into a block, in place of what it had; false where what is left cannot be cut, perhaps because nothing
  /// is.
  mutating func next(_ block: inout LineBlock) -> Bool {
    block.count = 0
    if isOver { return false }
    let capacity = rest.count + blockSize
    if block.bytes.count < capacity + LineReader.slack {
      // With some room for what a later one begins with.
      block.bytes = [UInt8](repeating: 0, count: capacity + blockSize / 8 + LineReader.slack)
    }
    block.count = block.bytes.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return 0 }
      rest.withUnsafeBufferPointer { rest in
        if let start = rest.baseAddress { base.update(from: start, count: rest.count) }
      }
      var end = rest.count
      do throws(ReplayError) {
        // A read may give less than there is.
        while end < capacity {
          let got = try stream.read(into: base + end, capacity: capacity - end)
          if got == 0 { break }
          end += got
        }
      } catch { failure = error }
      let whole = wholeLines(base, end, from: rest.count)
      rest.removeAll(keepingCapacity: true)
      rest.append(contentsOf: UnsafeBufferPointer(start: base + whole, count: end - whole))
      (base + whole).update(repeating: 10, count: LineReader.slack)
      return whole
    }
    isOver = block.count == 0
    return !isOver
  }

  /// Bytes up to the end of the last line; 0 where there is none, or a quotation mark.
  private func wholeLines(_ base: UnsafeMutablePointer<UInt8>, _ count: Int, from start: Int) -> Int {
    var end = count
    while end > start, base[end - 1] != 10 { end -= 1 }
    if end == start || (hasQuotes && Platform.find(34, in: base, count: end) != nil) { return 0 }
    return end
  }

  /// What is left, line by line; `lines` have gone before. Then nothing is left here.
  mutating func takeRest(after lines: Int, limit: Int) -> LineReader {
    isOver = true
    var stream = ByteStream()
    swap(&stream, &self.stream)
    return LineReader(stream, read: rest, failure: failure, lines: lines, blockSize: blockSize, limit: limit)
  }
}

extension LineBlock {
  /// Reads the lines from a byte on where they lie; `lines` have gone before.
  func withLines<Result>(from start: Int, after lines: Int, limit: Int, _ body: (inout LineReader) -> Result) -> Result {
    bytes.withUnsafeBufferPointer { buffer in
      // There is always the slack.
      let base = buffer.baseAddress.unsafelyUnwrapped
      var reader = LineReader(lines: base + start, count: count - start, after: lines, limit: limit)
      return body(&reader)
    }
  }

  /// The lines once more, one at a time; `lines` have gone before.
  func reader(name: String, after lines: Int, limit: Int) throws(ReplayError) -> LineReader {
    let stream = try ByteStream(.bytes(Array(bytes[..<count])), name: name, blockSize: count)
    return LineReader(stream, read: [], failure: nil, lines: lines, blockSize: count, limit: limit)
  }

  /// All lines, as bytes.
  func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    bytes.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[..<count])) }
  }

  /// The lines up to the first that is not blank, which may be a header.
  var header: [UInt8] {
    var end = 0
    while end < count, bytes[end] == 10 || bytes[end] == 13 { end += 1 }
    while end < count, bytes[end] != 10 { end += 1 }
    return Array(bytes[..<min(end + 1, count)])
  }
}
