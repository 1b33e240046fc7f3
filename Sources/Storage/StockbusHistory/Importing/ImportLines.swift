internal import StockbusFiles

/// The lines of a file that is read in pieces.
struct ImportLines {
  struct Line {
    /// Counted from 1.
    let number: Int
    /// The line without its end; at most `limit` bytes.
    let bytes: ArraySlice<UInt8>
    /// True if the line is longer.
    let isCut: Bool
  }

  private let input: InputDescriptor
  private let limit: Int
  private var buffer: [UInt8] = []
  /// The index of the first byte that was not returned yet.
  private var at = 0
  private var number = 0
  private var hasEnded = false
  private static let piece = 1 << 18

  init(_ input: InputDescriptor, limit: Int) {
    self.input = input
    self.limit = limit
  }

  /// The next line; nil at the end. CR LF, LF and the end of the file end a line.
  mutating func next() throws(InputDescriptor.Failure) -> Line? {
    var searched = at
    while true {
      if let end = buffer[searched...].firstIndex(of: 10) { return take(to: end, skipping: 1) }
      if hasEnded { return at < buffer.count ? take(to: buffer.count, skipping: 0) : nil }
      if buffer.count - at > limit { return try takeLongLine() }
      buffer.removeFirst(at)
      at = 0
      searched = buffer.count
      try fill()
    }
  }

  private mutating func take(to end: Int, skipping rest: Int) -> Line {
    number += 1
    var bytes = buffer[at..<end]
    at = end + rest
    if bytes.last == 13 { bytes = bytes.dropLast() }
    // Some editors write a byte order mark, which is not part of the first name.
    if number == 1, bytes.starts(with: [0xef, 0xbb, 0xbf]) { bytes = bytes.dropFirst(3) }
    return Line(number: number, bytes: bytes.prefix(limit), isCut: bytes.count > limit)
  }

  /// Skips the rest of a line that is too long, without keeping it.
  private mutating func takeLongLine() throws(InputDescriptor.Failure) -> Line {
    number += 1
    let head = Array(buffer[at..<at + limit])
    buffer.removeAll(keepingCapacity: true)
    at = 0
    while !hasEnded {
      try fill()
      if let end = buffer.firstIndex(of: 10) {
        at = end + 1
        break
      }
      buffer.removeAll(keepingCapacity: true)
    }
    return Line(number: number, bytes: head[...], isCut: true)
  }

  /// Adds the next piece.
  private mutating func fill() throws(InputDescriptor.Failure) {
    var failure: InputDescriptor.Failure?
    let piece = [UInt8](unsafeUninitializedCapacity: Self.piece) { bytes, count in
      guard let base = bytes.baseAddress else { return }
      do throws(InputDescriptor.Failure) { count = try input.read(into: base, capacity: Self.piece) } catch { failure = error }
    }
    if let failure { throw failure }
    hasEnded = piece.isEmpty
    buffer += piece
  }
}
