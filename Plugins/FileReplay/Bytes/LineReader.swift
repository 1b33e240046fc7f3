/// The lines of a file, handed out in place: bytes in a block that stay valid until the next line is asked for.
///
/// A line ends with LF or CRLF or with the file; a byte-order mark at the start is skipped. Memory is bounded: one block and one
/// line. Behind every line lies a newline and then at least `slack` readable bytes, so that scanners need no bounds checks and
/// may load whole words.
///
/// Unsafe inside because lines are handed out without copying them.
struct LineReader: ~Copyable {
  /// What `next` found.
  enum Found {
    case line
    /// A line over the limit; its first bytes are the current line, the rest is passed over.
    case tooLong
    case end
    /// The next line has not come yet, and the reader is not to wait for it.
    case later
  }
  static let slack = 64

  /// The line's first byte.
  private(set) var start: UnsafePointer<UInt8>
  /// The line's length without its end; a record extended over several lines has their ends inside.
  private(set) var count = 0
  /// The number of the line, or of the record's first, counted from 1.
  private(set) var line = 0
  let limit: Int
  /// False where `next` shall answer `later` instead of waiting for what a pipe has not got yet.
  var waits = true

  private var stream: ByteStream
  private var ownsBlock = true
  private let blockSize: Int
  private var block: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  // Offsets into the block: the current record from `first`, what is unread from `at`, and the end of what was read.
  private var first = 0
  private var at = 0
  private var end = 0
  private var isAtEnd = false
  private var failure: ReplayError?  // held back until every whole line has been handed out
  private var extraLines = 0
  private var isCut = false  // the next record was begun and given back
  private var afterFirstLine = 0

  /// Throws where the file cannot be opened.
  init(_ contents: ReplayContents, name: String, blockSize: Int, limit: Int) throws(ReplayError) {
    stream = try ByteStream(contents, name: name, blockSize: blockSize)
    self.blockSize = max(1, blockSize)
    self.limit = max(1, limit)
    capacity = self.blockSize
    block = Self.allocate(capacity)
    start = UnsafePointer(block)
  }

  /// Goes on with a file of which `lines` were read elsewhere, and `bytes` behind them, before `failure`.
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

  /// Reads whole lines where they lie; they have to outlive the reader, with `slack` newlines behind them. `before` have gone before.
  init(lines: UnsafePointer<UInt8>, count: Int, after before: Int, limit: Int) {
    stream = ByteStream()
    blockSize = 1
    self.limit = max(1, limit)
    capacity = count
    // Nothing is written to it: what writes comes after reading more, and there is no more.
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

  /// At the end: how many lines there were.
  var linesRead: Int { line - 1 }
  /// Bytes of the file read so far, as it lies on the disk.
  var bytesRead: Int { stream.offset }
  /// Bytes the file has on the disk; nil for what is no plain file.
  var size: Int? { stream.size }

  /// Bytes of memory for what has been read.
  var memory: Int { capacity }

  /// What has been read, from the current line on.
  var rest: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: UnsafePointer(block) + first, count: end - first) }

  /// The current line.
  var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: start, count: count) }

  /// Goes to the next line. Throws what reading throws, after every whole line before it has been handed out.
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

  /// What is unread, where a parser may read a line that ends before `take` says otherwise; nil where `next` has to be asked.
  @inline(always)
  var ahead: UnsafePointer<UInt8>? { line > 0 && extraLines == 0 ? UnsafePointer(block) + at : nil }

  /// Goes past the line that begins at `ahead` and ends with the newline at `newline`; false, staying there, where that is no newline of
  /// the file or the line is too long.
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
      // Without its end a line is only whole at the end of the file: a number in it may have been cut.
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
    // Nothing else is waited for that a pipe may not have got yet.
    while end - at < 3, end == at || block[at] == 0xef, more() {}
    if end - at >= 3, block[at] == 0xef, block[at + 1] == 0xbb, block[at + 2] == 0xbf { at += 3 }
  }

  /// The record's length up to the next newline, or up to the end of the file; nil where there is nothing or it passes the limit.
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

  /// Keeps the first bytes of a line that is too long and drops the rest.
  private mutating func passOver() -> Found {
    let kept = min(MalformedRow.textLimit, end - first)
    at = first + kept
    while true {
      let from = UnsafePointer(block) + at
      if let newline = Platform.newline(in: from, count: end - at) {
        at += newline - from + 1
        break
      }
      // What is kept moves to the front and is followed by the next block.
      end = at
      if !more() { break }
    }
    start = UnsafePointer(block) + first
    count = kept
    return .tooLong
  }

  /// Reads another block behind what is unread and moves the current record to the front; false at the end or after a failure.
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
  /// True where bytes come when they come.
  var isLive: Bool { stream.isLive }

  /// True where the next record may have to be waited for.
  var mustWait: Bool {
    mutating get { stream.isLive && (isCut || !hasLine) }
  }

  /// Whether what has come ends a line, or the file.
  private var hasLine: Bool {
    mutating get {
      first = at
      while true {
        if Platform.newline(in: UnsafePointer(block) + at, count: end - at) != nil || isAtEnd { return true }
        // Of a line that is too long the rest is read and dropped, however long that takes.
        if end - at > limit || !stream.isReady { return false }
        _ = more()
      }
    }
  }

  /// True where a record that goes on behind what has come shall be given back.
  var isHurried: Bool { !waits && stream.isLive }

  /// The current record will be read once more, from its first line on.
  mutating func giveBack() {
    at = first
    line -= 1
    extraLines = 0
    count = 0
    isCut = true
  }
}

extension LineReader {
  /// The first byte of the file that is no blank and no line end; 0 where there is none within a line's limit. To be called before
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

  /// Adds the next line to the current one, which becomes a record of several lines; false at the end of the file or over the limit.
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

  /// Gives up the lines added by `extend`: they will be read as lines of their own.
  mutating func rewindToFirstLine() {
    if extraLines == 0 { return }
    extraLines = 0
    settle(length: afterFirstLine - 1)
  }
}
