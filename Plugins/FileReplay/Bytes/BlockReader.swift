/// A block of whole lines of a file; its memory is reused for other blocks.
struct LineBlock: Sendable {
  /// The lines, the last with its line end, followed by `LineReader.slack` newlines; the bytes after these are undefined.
  fileprivate var bytes: [UInt8] = []
  /// The number of bytes of the lines.
  fileprivate(set) var count = 0
}

/// Cuts a file into blocks of whole lines, so that several parsers can work on it at once.
///
/// It stops where lines cannot be separated by line ends alone, because a quoted field may contain one, or where a line is longer than a
/// block: a `LineReader` has to read the rest.
///
/// Unsafe inside because `read` fills memory by pointer.
struct BlockReader: ~Copyable {
  private var stream: ByteStream
  private let blockSize: Int
  /// True if a quoted field may contain a line end.
  private let hasQuotes: Bool
  /// The bytes that were read after the last whole line.
  private var rest: [UInt8] = []
  private var failure: ReplayError?
  private var isOver = false

  init(
    _ contents: ReplayContents, name: String, blockSize: Int, hasQuotes: Bool, encoding: TextEncoding = .utf8
  ) throws(ReplayError) {
    stream = try ByteStream(contents, name: name, blockSize: blockSize, encoding: encoding)
    self.blockSize = max(1, blockSize)
    self.hasQuotes = hasQuotes
  }

  /// Bytes of the file read so far, before decompression.
  var bytesRead: Int { stream.offset }
  /// The size of the file in bytes, before decompression; nil if it is not a plain file.
  var size: Int? { stream.size }

  /// Replaces the contents of a block by the next whole lines; returns false if the rest cannot be cut into blocks, or there is none.
  mutating func next(_ block: inout LineBlock) -> Bool {
    block.count = 0
    if isOver { return false }
    let capacity = rest.count + blockSize
    if block.bytes.count < capacity + LineReader.slack {
      // With some room for the bytes that are carried over to a later block.
      block.bytes = [UInt8](repeating: 0, count: capacity + blockSize / 8 + LineReader.slack)
    }
    block.count = block.bytes.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return 0 }
      rest.withUnsafeBufferPointer { rest in
        if let start = rest.baseAddress { base.update(from: start, count: rest.count) }
      }
      var end = rest.count
      do throws(ReplayError) {
        // A read may return less than is available.
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

  /// The number of bytes up to the end of the last line; 0 if there is no line end, or if there is a quotation mark.
  private func wholeLines(_ base: UnsafeMutablePointer<UInt8>, _ count: Int, from start: Int) -> Int {
    var end = count
    while end > start, base[end - 1] != 10 { end -= 1 }
    if end == start || (hasQuotes && Platform.find(34, in: base, count: end) != nil) { return 0 }
    return end
  }

  /// A reader of the rest, line by line; `lines` is the number of lines before it. This reader is at its end afterwards.
  mutating func takeRest(after lines: Int, limit: Int) -> LineReader {
    isOver = true
    var stream = ByteStream()
    swap(&stream, &self.stream)
    return LineReader(stream, read: rest, failure: failure, lines: lines, blockSize: blockSize, limit: limit)
  }
}

extension LineBlock {
  /// Reads the lines in place, from a byte on; `lines` is the number of lines before the block.
  func withLines<Result>(from start: Int, after lines: Int, limit: Int, _ body: (inout LineReader) -> Result) -> Result {
    bytes.withUnsafeBufferPointer { buffer in
      // The buffer is never empty, because it contains the slack.
      let base = buffer.baseAddress.unsafelyUnwrapped
      var reader = LineReader(lines: base + start, count: count - start, after: lines, limit: limit)
      return body(&reader)
    }
  }

  /// A reader of the block's lines, one at a time; `lines` is the number of lines before the block.
  func reader(name: String, after lines: Int, limit: Int) throws(ReplayError) -> LineReader {
    let stream = try ByteStream(.bytes(Array(bytes[..<count])), name: name, blockSize: count)
    return LineReader(stream, read: [], failure: nil, lines: lines, blockSize: count, limit: limit)
  }

  /// All lines, as bytes.
  func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    bytes.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[..<count])) }
  }

  /// The lines up to the header and with it, or up to the first row if there is none; nil if they are longer than the block.
  func header(_ format: CSVFormat) -> [UInt8]? {
    var skipped = 0
    var end = 0
    while skipped < format.skipped || format.hasHeader {
      guard let newline = bytes[end..<count].firstIndex(of: 10) else { return nil }
      let line = bytes[end..<newline]
      end = newline + 1
      skipped += 1
      if skipped > format.skipped, !line.allSatisfy({ $0 == 13 }), !format.ignores(line) { break }
    }
    return Array(bytes[..<end])
  }
}
