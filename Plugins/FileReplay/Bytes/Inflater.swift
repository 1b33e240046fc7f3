internal import CZlib

/// Decompresses gzip (RFC 1952), any number of members one after the other.
///
/// Unsafe inside because zlib keeps pointers into its own state and into the input block: both are allocated once and never move.
struct Inflater: ~Copyable {
  private let name: String
  private let state: UnsafeMutablePointer<z_stream>
  private let input: UnsafeMutablePointer<UInt8>
  private let inputSize: Int
  private var isInsideMember = true
  private var failure: ReplayError?

  /// Reads its input in blocks of `inputSize` bytes.
  init(name: String, inputSize: Int) throws(ReplayError) {
    self.name = name
    self.inputSize = max(1, inputSize)
    state = .allocate(capacity: 1)
    state.initialize(to: z_stream())
    input = .allocate(capacity: self.inputSize)
    // 16 more than the window's bits: a gzip header is required.
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

  /// Fills up to `capacity` bytes from `raw`; 0 at the end.
  ///
  /// Throws `badGzip` with the byte where the data is damaged or ends; what was decompressed before is handed out first.
  mutating func read(from raw: inout RawBytes, into: UnsafeMutablePointer<UInt8>, capacity: Int) throws(ReplayError) -> Int {
    if let failure { throw failure }
    state.pointee.next_out = into
    state.pointee.avail_out = UInt32(clamping: capacity)
    let room = state.pointee.avail_out
    do throws(ReplayError) {
      while state.pointee.avail_out == room {
        if state.pointee.avail_in == 0 {
          let count = try raw.read(into: input, capacity: inputSize)
          if count == 0 {
            if isInsideMember { throw damaged(raw.offset, "the gzip data ends too early") }
            return 0
          }
          state.pointee.next_in = input
          state.pointee.avail_in = UInt32(count)
        }
        if !isInsideMember, try !entersNextMember(raw.offset) { continue }
        let code = inflate(state, Z_NO_FLUSH)
        switch code {
        case Z_OK, Z_BUF_ERROR: break
        case Z_STREAM_END: isInsideMember = false
        default:
          let detail = state.pointee.msg.map { String(cString: $0) } ?? "zlib \(code)"
          throw damaged(raw.offset, "the gzip data is damaged: \(detail)")
        }
      }
    } catch {
      failure = error
      if state.pointee.avail_out == room { throw error }
    }
    return Int(room - state.pointee.avail_out)
  }

  /// Behind a member: skips zeros, which tapes and block devices leave there, and answers whether another member begins.
  private mutating func entersNextMember(_ offset: Int) throws(ReplayError) -> Bool {
    while state.pointee.avail_in > 0, state.pointee.next_in.pointee == 0 {
      state.pointee.next_in += 1
      state.pointee.avail_in -= 1
    }
    if state.pointee.avail_in == 0 { return false }
    guard state.pointee.next_in.pointee == 0x1f else { throw damaged(offset, "something that is not gzip follows the gzip data") }
    inflateReset(state)
    isInsideMember = true
    return true
  }

  private func damaged(_ offset: Int, _ message: String) -> ReplayError {
    ReplayError(code: .badGzip, file: name, place: .byte(offset - Int(state.pointee.avail_in) + 1), message: message)
  }
}
