internal import LibC
internal import StockbusSystem

/// The lines, or frames, that arrive through a pipe.
///
/// Unsafe inside, because lines are handed out in place: a line is valid until the next call of `read`.
struct LineBuffer: ~Copyable {
  /// The result of a read.
  enum Arrival {
    case something, nothing, end
  }

  /// The longest line, without its end.
  let limit: Int
  private var bytes: UnsafeMutableRawBufferPointer
  /// The offset of the bytes that are not handed out yet, and how many of them are known to hold no line end.
  private var start = 0
  private var end = 0
  private var searched = 0

  init(limit: Int, capacity: Int = 128 << 10) {
    self.limit = limit
    bytes = .allocate(byteCount: capacity, alignment: 8)
  }

  deinit { bytes.deallocate() }

  /// True if the incomplete line is longer than the limit.
  var isTooLong: Bool { searched > limit }
  /// The bytes of the incomplete line.
  var rest: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[start..<end]) }

  /// Drops the incomplete line.
  mutating func dropRest() {
    (start, end, searched) = (0, 0, 0)
  }

  /// Reads the available bytes, without waiting; call it when `next` returns nil.
  mutating func read(_ pipe: FileDescriptor) -> Arrival {
    if start > 0 {
      bytes.baseAddress?.copyMemory(from: bytes.baseAddress.unsafelyUnwrapped + start, byteCount: end - start)
      end -= start
      start = 0
    }
    if end == bytes.count {
      let bigger = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count * 2, alignment: 8)
      bigger.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<end]))
      bytes.deallocate()
      bytes = bigger
    }
    do throws(Errno) {
      let count = try throwingErrno { try pipe.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[end...])) }
      end += count
      return count == 0 ? .end : .something
    } catch {
      return error == .resourceTemporarilyUnavailable || error == .interrupted ? .nothing : .end
    }
  }

  /// The next complete line, without its end.
  mutating func next() -> UnsafeBufferPointer<UInt8>? {
    let waiting = end - start - searched
    guard waiting > 0, let first = bytes.baseAddress, let found = memchr(first + start + searched, 10, waiting) else {
      searched = end - start
      return nil
    }
    let length = UnsafeRawPointer(found) - UnsafeRawPointer(first + start)
    let line = UnsafeRawBufferPointer(rebasing: bytes[start..<(start + length)])
    start += length + 1
    searched = 0
    return UnsafeBufferPointer(start: line.baseAddress?.assumingMemoryBound(to: UInt8.self), count: line.count)
  }

  /// Takes the first line out of turn for which `isWanted` is true; the lines before it stay. `passed` is the position to continue from:
  /// the bytes of the unwanted lines.
  mutating func take(past passed: inout Int, where isWanted: (UnsafeBufferPointer<UInt8>) -> Bool) -> [UInt8]? {
    guard let first = bytes.baseAddress else { return nil }
    while end - start > passed, let found = memchr(first + start + passed, 10, end - start - passed) {
      let line = first + start + passed
      let count = UnsafeRawPointer(found) - UnsafeRawPointer(line)
      let text = UnsafeBufferPointer(start: line.assumingMemoryBound(to: UInt8.self), count: count)
      if isWanted(text) {
        let copy = Array(text)
        line.copyMemory(from: line + count + 1, byteCount: end - start - passed - count - 1)
        end -= count + 1
        searched = 0
        return copy
      }
      passed += count + 1
    }
    return nil
  }

  /// How many bytes wait.
  var count: Int { end - start }

  // MARK: Frames

  /// The next complete frame: its kind and its content, which is valid until the next call of `read`. A frame without a kind has the kind
  /// 0.
  mutating func nextFrame() -> (kind: UInt8, content: UnsafeRawBufferPointer)? {
    guard let frame = frame(after: 0) else { return nil }
    start += frame.end
    return (frame.kind, frame.content)
  }

  /// True if the incomplete frame is longer than the limit.
  var hasLongFrame: Bool { (announced(after: 0) ?? 0) > limit }

  /// Takes the first frame out of turn for which `isWanted` is true; the frames before it stay. `passed` is the position to continue from.
  mutating func takeFrame(past passed: inout Int, where isWanted: (UInt8, UnsafeBufferPointer<UInt8>) -> Bool) -> [UInt8]? {
    while let frame = frame(after: passed) {
      if isWanted(frame.kind, frame.content.bindMemory(to: UInt8.self)) {
        let copy = Array(frame.content)
        let (first, behind) = (start + passed, start + frame.end)
        bytes.baseAddress?.advanced(by: first).copyMemory(from: bytes.baseAddress.unsafelyUnwrapped + behind, byteCount: end - behind)
        end -= behind - first
        return copy
      }
      passed = frame.end
    }
    return nil
  }

  /// The length field of the frame that begins after `passed` bytes.
  private func announced(after passed: Int) -> Int? {
    guard end - start - passed >= 4 else { return nil }
    return Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: start + passed, as: UInt32.self)))
  }

  private func frame(after passed: Int) -> (kind: UInt8, content: UnsafeRawBufferPointer, end: Int)? {
    guard let size = announced(after: passed), size <= limit, end - start - passed - 4 >= size else { return nil }
    let first = start + passed + 4
    if size == 0 { return (0, UnsafeRawBufferPointer(start: nil, count: 0), passed + 4) }
    return (bytes[first], UnsafeRawBufferPointer(rebasing: bytes[(first + 1)..<(first + size)]), passed + 4 + size)
  }
}
