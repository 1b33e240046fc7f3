/// Returns the lines of a file in place: bytes in a block, which are valid until the next line is read.
///
/// A line ends with LF or CRLF or with the file; a byte-order mark at the start is skipped. Memory is bounded: one block and one line.
/// Every line is followed by a newline and then at least `slack` readable bytes, so that scanners need no bounds checks and may load whole
/// words.
///
/// Unsafe inside because lines are not copied.
struct LineReader: ~Copyable {
  /// The result of `next`.
  enum Found {
    case line
    /// A line over the limit; its first bytes are the current line, the rest is skipped.
    case tooLong
    case end
    /// The next line has not arrived yet, and the reader must not wait for it.
    case later
  }
  static let slack = 64

  /// The line's first byte.
  private(set) var start: UnsafePointer<UInt8>
  /// The line's length without its line end; a record of several lines contains the line ends between them.
  private(set) var count = 0
  /// The number of the line, or of the record's first, counted from 1.
  private(set) var line = 0
  let limit: Int
  /// If false, `next` returns `later` instead of waiting for a pipe.
  var waits = true

  private var stream: ByteStream
  private var ownsBlock = true
  private let blockSize: Int
  private var block: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  // Offsets in the block: the beginning of the current record, of the unread bytes, and the end of the bytes read.
  private var first = 0
  private var at = 0
  private var end = 0
  private var isAtEnd = false
  private var failure: ReplayError?  // thrown when every whole line has been returned
  private var extraLines = 0
  private var isCut = false  // the next record was partly read and given back
  private var afterFirstLine = 0

  /// Throws if the file cannot be opened.
  init(
    _ contents: ReplayContents, name: String, blockSize: Int, limit: Int, encoding: TextEncoding = .utf8
  ) throws(ReplayError) {
    stream = try ByteStream(contents, name: name, blockSize: blockSize, encoding: encoding)
    self.blockSize = max(1, blockSize)
    self.limit = max(1, limit)
    capacity = self.blockSize
    block = Self.allocate(capacity)
    start = UnsafePointer(block)
  }

  /// Continues with a file of which `lines` lines, and then `bytes`, were read elsewhere, before `failure`.
  init(_ stream: consuming ByteStream, read bytes: [UInt8], failure: ReplayError?, lines: Int, blockSize: Int, limit: Int) {
    self.stream = stream
    self.blockSize = max(1, blockSize)
    self.limit = max(1, limit)
    capacity = max(self.blockSize, bytes.count)
    block = Self.allocate(capacity)
    start = UnsafePointer(block)
    for (i, byte) in bytes.enumerated() { block[i] = byte }
    end = bytes.count
    block[end] = 10
    line = lines
    self.failure = failure
    isAtEnd = failure != nil
  }

  /// Reads whole lines in place. They have to outlive the reader, followed by `slack` newlines. `before` is the number of lines before
  /// them.
  init(lines: UnsafePointer<UInt8>, count: Int, after before: Int, limit: Int) {
    stream = ByteStream()
    blockSize = 1
    self.limit = max(1, limit)
    capacity = count
    // This memory is never written to: only reading more writes, and there is no more to read.
    block = UnsafeMutablePointer(mutating: lines)
    start = lines
    end = count
    line = before
    isAtEnd = true
    ownsBlock = false
  }

  deinit { if ownsBlock { block.deallocate() } }

  private static func allocate(_ capacity: Int) -> UnsafeMutablePointer<UInt8> {
    let block = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity + slack)
    block.initialize(repeating: 0, count: capacity + slack)
    block[0] = 10
    return block
  }

  /// At the end: the number of lines.
  var linesRead: Int { line - 1 }
  /// Bytes of the file read so far, before decompression.
  var bytesRead: Int { stream.offset }
  /// The size of the file in bytes, before decompression; nil if it is not a plain file.
  var size: Int? { stream.size }

  /// The size of the block in bytes.
  var memory: Int { capacity }

  /// The bytes that have been read, from the current line on.
  var rest: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: UnsafePointer(block) + first, count: end - first) }

  /// The current line.
  var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: start, count: count) }

  /// Moves to the next line. Throws errors of reading, after every whole line before them has been returned.
  @inline(always)
  mutating func next() throws(ReplayError) -> Found {
    let from = UnsafePointer(block) + at
    if line > 0, let newline = Platform.newline(in: from, count: end &- at) {
      let length = newline - from
      if length <= limit {
        first = at
        start = from
        at = at &+ length &+ 1
        line = line &+ 1 &+ extraLines
        extraLines = 0
        count = length > 0 && newline[-1] == 13 ? length &- 1 : length
        return .line
      }
    }
    return try slowNext()
  }

  /// The unread bytes, if a parser may read a line there by itself and then call `take`; nil if `next` has to be called.
  @inline(always)
  var ahead: UnsafePointer<UInt8>? { line > 0 && extraLines == 0 ? UnsafePointer(block) + at : nil }

  /// Skips the line that begins at `ahead` and ends with the newline at `newline`; returns false and stays if that is not a newline of the
  /// file, or the line is too long.
  @inline(always)
  mutating func take(upTo newline: UnsafePointer<UInt8>) -> Bool {
    let offset = newline - UnsafePointer(block)
    if offset >= end || offset &- at > limit { return false }
    at = offset &+ 1
    line = line &+ 1
    return true
  }

  @inline(never)
  private mutating func slowNext() throws(ReplayError) -> Found {
    if line == 0 { skipByteOrderMark() }
    if !waits, mustWait {
      count = 0
      return .later
    }
    isCut = false
    first = at
    line += 1 + extraLines
    extraLines = 0
    if let length = findLine(from: 0) {
      settle(length: length)
      // A line without a line end is complete only at the end of the file; after an error a number in it may be cut off.
      guard first + length < end || failure == nil else { throw failed() }
      return .line
    }
    if at < end { return passOver() }
    if failure != nil { throw failed() }
    count = 0
    return .end
  }

  private mutating func failed() -> ReplayError {
    defer { failure = nil }
    at = end
    count = 0
    return failure.unsafelyUnwrapped
  }

  private mutating func skipByteOrderMark() {
    // A pipe is awaited here only for a byte-order mark.
    while end - at < 3, end == at || block[at] == 0xef, more() {}
    if end - at >= 3, block[at] == 0xef, block[at + 1] == 0xbb, block[at + 2] == 0xbf { at += 3 }
  }

  /// The record's length up to the next newline, or up to the end of the file; nil if there is nothing, or the record exceeds the limit.
  private mutating func findLine(from offset: Int) -> Int? {
    var searched = offset
    while true {
      let from = UnsafePointer(block) + first
      if let newline = Platform.newline(in: from + searched, count: end - first - searched) {
        return newline - from <= limit ? newline - from : nil
      }
      searched = end - first
      if searched > limit { return nil }
      if !more() { return searched > offset ? searched : nil }
    }
  }

  private mutating func settle(length: Int) {
    start = UnsafePointer(block) + first
    at = min(first + length + 1, end)
    count = length > 0 && start[length - 1] == 13 ? length - 1 : length
  }

  /// Keeps the first bytes of a line that is too long and skips the rest.
  private mutating func passOver() -> Found {
    let kept = min(MalformedRow.textLimit, end - first)
    at = first + kept
    while true {
      let from = UnsafePointer(block) + at
      if let newline = Platform.newline(in: from, count: end - at) {
        at += newline - from + 1
        break
      }
      // The kept bytes are moved to the front, and the next block is read after them.
      end = at
      if !more() { break }
    }
    start = UnsafePointer(block) + first
    count = kept
    return .tooLong
  }

  /// Moves the current record to the front and reads another block after the unread bytes; returns false at the end or after a failure.
  private mutating func more() -> Bool {
    if isAtEnd { return false }
    let kept = end - first
    if capacity - kept < blockSize {
      let bigger = max(kept + blockSize, min(capacity * 2, limit + 2 * blockSize))
      let fresh = Self.allocate(bigger)
      fresh.update(from: block + first, count: kept)
      block.deallocate()
      block = fresh
      capacity = bigger
    } else if first > 0 {
      block.update(from: block + first, count: kept)
    }
    at -= first
    end = kept
    first = 0
    start = UnsafePointer(block)
    do throws(ReplayError) {
      let got = try stream.read(into: block + kept, capacity: blockSize)
      isAtEnd = got == 0
      end += got
    } catch {
      failure = error
      isAtEnd = true
    }
    block[end] = 10
    return !isAtEnd
  }
}

// MARK: - Of pipes

extension LineReader {
  /// True if reading may have to wait for the writer, as with a pipe.
  var isLive: Bool { stream.isLive }

  /// True if the next record may have to be waited for.
  var mustWait: Bool {
    mutating get { stream.isLive && (isCut || !hasLine) }
  }

  /// True if the bytes that have arrived contain a line end, or the end of the file.
  private var hasLine: Bool {
    mutating get {
      first = at
      while true {
        if Platform.newline(in: UnsafePointer(block) + at, count: end - at) != nil || isAtEnd { return true }
        // For a line that is too long, the rest has to be read and skipped, which may take any time.
        if end - at > limit || !stream.isReady { return false }
        _ = more()
      }
    }
  }

  /// True if an incomplete record has to be given back.
  var isHurried: Bool { !waits && stream.isLive }

  /// Gives the current record back: it will be read again from its first line.
  mutating func giveBack() {
    at = first
    line -= 1
    extraLines = 0
    count = 0
    isCut = true
  }
}

extension LineReader {
  /// The first byte of the file that is neither a blank nor a line end; 0 if there is none within the limit of a line. Call it before
  /// `next`.
  mutating func peekFirst() -> UInt8 {
    skipByteOrderMark()
    var offset = at
    while offset < end || (offset <= limit && more()) {
      if block[offset] > 32 { return block[offset] }
      offset += 1
    }
    return 0
  }

  /// Adds the next line to the current one, which becomes a record of several lines; returns false at the end of the file or over the
  /// limit.
  mutating func extend() -> Bool {
    let length = at - first
    if extraLines == 0 { afterFirstLine = length }
    guard let found = findLine(from: length), failure == nil || first + found < end else {
      start = UnsafePointer(block) + first
      return false
    }
    settle(length: found)
    extraLines += 1
    return true
  }

  /// Gives the lines added by `extend` back: they will be read as separate lines.
  mutating func rewindToFirstLine() {
    if extraLines == 0 { return }
    extraLines = 0
    settle(length: afterFirstLine - 1)
  }
}
