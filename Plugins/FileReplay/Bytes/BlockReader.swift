/// Whole lines of a file, as many as were read at a time.
struct LineBlock: Sendable {
  /// The lines, the last with its end, and `LineReader.slack` more bytes.
  fileprivate(set) var bytes: [UInt8]
  /// Bytes of the lines.
  var count: Int { bytes.count - LineReader.slack }
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

  /// The next whole lines; nil where what is left cannot be cut, perhaps because nothing is.
  mutating func next() -> LineBlock? {
    if isOver { return nil }
    var kept = rest
    var whole = 0
    let block = [UInt8](unsafeUninitializedCapacity: kept.count + blockSize + LineReader.slack) { buffer, count in
      guard let base = buffer.baseAddress else { return }
      for (i, byte) in kept.enumerated() { base[i] = byte }
      var end = kept.count
      do throws(ReplayError) {
        // A read may give less than there is.
        while end < kept.count + blockSize {
          let got = try stream.read(into: base + end, capacity: kept.count + blockSize - end)
          if got == 0 { break }
          end += got
        }
      } catch { failure = error }
      whole = wholeLines(base, end, from: kept.count)
      kept = Array(UnsafeBufferPointer(start: base + whole, count: end - whole))
      (base + whole).update(repeating: 10, count: LineReader.slack)
      count = whole + LineReader.slack
    }
    rest = kept
    isOver = whole == 0
    return isOver ? nil : LineBlock(bytes: block)
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
    let stream = try ByteStream(.bytes(Array(bytes[..<count])), name: name, blockSize: bytes.count)
    return LineReader(stream, read: [], failure: nil, lines: lines, blockSize: bytes.count, limit: limit)
  }

  /// The lines up to the first that is not blank, which may be a header.
  var header: [UInt8] {
    var end = 0
    while end < count, bytes[end] == 10 || bytes[end] == 13 { end += 1 }
    while end < count, bytes[end] != 10 { end += 1 }
    return Array(bytes[..<min(end + 1, count)])
  }
}
