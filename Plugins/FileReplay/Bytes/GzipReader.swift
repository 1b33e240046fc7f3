internal import CZlib

/// Decompresses gzip (RFC 1952), any number of members one after the other.
///
/// Unsafe inside because zlib keeps pointers into its own state and into the input block: both are allocated once and never move.
struct GzipReader: ~Copyable {
  private let name: String
  private let state: UnsafeMutablePointer<z_stream>
  private let input: UnsafeMutablePointer<UInt8>
  private let inputSize: Int
  private var isInsideMember = true
  /// The last output filled its buffer, so there may be more output without more input.
  private var wasFull = false
  private var isOver = false
  private var failure: ReplayError?
  /// Decompressed by `isReady`, and not returned by `read` yet.
  private var held: [UInt8] = []

  /// Reads its input in blocks of `inputSize` bytes.
  init(name: String, inputSize: Int) throws(ReplayError) {
    self.name = name
    self.inputSize = max(1, inputSize)
    state = .allocate(capacity: 1)
    state.initialize(to: z_stream())
    input = .allocate(capacity: self.inputSize)
    // 16 added to the window's bits means that a gzip header is required.
    let code = inflateInit2_(state, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    if code != Z_OK {
      failure = ReplayError(code: .unreadable, file: name, place: nil, message: "no memory for decompression (zlib \(code))")
      throw failure!
    }
  }

  deinit {
    inflateEnd(state)
    state.deallocate()
    input.deallocate()
  }

  /// Decompresses up to `capacity` bytes from `raw`; returns 0 at the end.
  ///
  /// Throws `badGzip` with the position where the data is damaged or ends too early; bytes decompressed before it are returned first.
  mutating func read(from raw: inout RawBytes, into: UnsafeMutablePointer<UInt8>, capacity: Int) throws(ReplayError) -> Int {
    if !held.isEmpty {
      let count = min(held.count, capacity)
      for i in 0..<count { into[i] = held[i] }
      held.removeFirst(count)
      return count
    }
    while failure == nil, !isOver {
      let count = step(&raw, into, capacity)
      if count > 0 { return count }
    }
    if let failure { throw failure }
    return 0
  }

  /// True if reading would not wait for `raw`; to find out, it decompresses what has arrived.
  mutating func isReady(_ raw: inout RawBytes) -> Bool {
    while held.isEmpty, failure == nil, !isOver {
      if !wasFull, state.pointee.avail_in == 0, !raw.isReady { return false }
      held = [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
        // A buffer of this size has an address.
        count = step(&raw, buffer.baseAddress.unsafelyUnwrapped, buffer.count)
      }
    }
    return true
  }

  /// Decompresses once, after reading more of `raw` if the input is used up; returns the number of bytes. Sets `failure` or `isOver` at the
  /// end.
  private mutating func step(_ raw: inout RawBytes, _ into: UnsafeMutablePointer<UInt8>, _ capacity: Int) -> Int {
    // A local variable, because the compiler of Swift 6.3 crashes under the thread sanitizer ("Invalid bitcast") if a mutating method of a
    // noncopyable struct changes something in place, as `+=` does, through a pointer that is a `let` of that struct.
    let state = state
    state.pointee.next_out = into
    state.pointee.avail_out = UInt32(clamping: capacity)
    let room = state.pointee.avail_out
    do throws(ReplayError) {
      if state.pointee.avail_in == 0, !wasFull {
        let count = try raw.read(into: input, capacity: inputSize)
        if count == 0 {
          if isInsideMember { throw damaged(raw.offset, "the gzip data ends too early") }
          isOver = true
          return 0
        }
        state.pointee.next_in = input
        state.pointee.avail_in = UInt32(count)
      }
      if !isInsideMember {
        // After a member there may be zeros, as left by tapes and block devices.
        while state.pointee.avail_in > 0, state.pointee.next_in.pointee == 0 {
          state.pointee.next_in += 1
          state.pointee.avail_in -= 1
        }
        if state.pointee.avail_in == 0 { return 0 }
        guard state.pointee.next_in.pointee == 0x1f else {
          throw damaged(raw.offset, "the gzip data is followed by other data")
        }
        inflateReset(state)
        isInsideMember = true
      }
      let code = inflate(state, Z_NO_FLUSH)
      wasFull = state.pointee.avail_out == 0
      switch code {
      case Z_OK, Z_BUF_ERROR: break
      case Z_STREAM_END:
        isInsideMember = false
        wasFull = false
      default:
        let detail = state.pointee.msg.map { String(cString: $0) } ?? "zlib \(code)"
        throw damaged(raw.offset, "the gzip data is damaged: \(detail)")
      }
    } catch { failure = error }
    return Int(room - state.pointee.avail_out)
  }

  private func damaged(_ offset: Int, _ message: String) -> ReplayError {
    ReplayError(code: .badGzip, file: name, place: .byte(offset - Int(state.pointee.avail_in) + 1), message: message)
  }
}
