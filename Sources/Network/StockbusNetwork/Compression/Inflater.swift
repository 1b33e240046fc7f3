internal import CZlib
internal import NIOCore

/// Decompresses messages (RFC 1950 to 1952), each to at most a limit, so that a few bytes cannot become very many.
///
/// A message may refer to earlier ones, unless `forget` is called between them. An inflater that has thrown must not be used again.
///
/// Unsafe inside, because zlib keeps pointers into its own state, which is allocated once and never moves. Pointers to input and output are
/// used only while both are borrowed.
final class Inflater {
  /// The format around the compressed bytes.
  enum Form: Hashable {
    /// A header and a checksum of gzip, or of zlib.
    case gzip, zlib
    /// No header and no checksum.
    case bare

    /// The parameter as zlib defines it: 15 bits of window, and the form.
    fileprivate var windowBits: Int32 {
      switch self {
      case .gzip: 15 + 16
      case .zlib: 15
      case .bare: -15
      }
    }
  }

  enum Fault: Error, Hashable {
    /// The bytes are damaged; with zlib's message.
    case damaged(String)
    case endsTooEarly
    /// The contents are larger than the limit; with their first bytes.
    case tooLarge(beginning: [UInt8])
  }

  private let state: UnsafeMutablePointer<z_stream>
  private let form: Form

  /// Nil if there is no memory.
  init?(_ form: Form) {
    self.form = form
    state = .allocate(capacity: 1)
    state.initialize(to: z_stream())
    if inflateInit2_(state, form.windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK { return }
    state.deallocate()
    return nil
  }

  deinit {
    inflateEnd(state)
    state.deallocate()
  }

  /// Makes the next message independent of earlier ones.
  func forget() { inflateReset(state) }

  // MARK: A whole

  /// The contents of bytes that are complete in themselves: consecutive members of gzip, or one piece of another form. Bare deflate may
  /// also end where its sender has flushed (`00 00 ff ff`), as some venues send it.
  func whole(_ bytes: UnsafeRawBufferPointer, limit: Int) throws(Fault) -> ByteBuffer {
    var out = Output(limit: limit, expecting: bytes.count)
    var input = bytes
    while true {
      inflateReset(state)
      if try inflate(&input, into: &out) == .end {
        if form == .gzip, input.first == 0x1f { continue }
        if !input.isEmpty { throw .damaged("data follows its end") }
        return out.bytes
      }
      if form == .bare, bytes.suffix(4).elementsEqual([0, 0, 0xff, 0xff]), isBetweenBlocks { return out.bytes }
      throw .endsTooEarly
    }
  }

  // MARK: Messages of a connection

  /// The contents of one message of permessage-deflate, whose end `00 00 ff ff` its sender omits (RFC 7692, section 7.2.2).
  func message(_ bytes: UnsafeRawBufferPointer, limit: Int) throws(Fault) -> ByteBuffer {
    var out = Output(limit: limit, expecting: bytes.count)
    if bytes.isEmpty { return out.bytes }
    // Some senders omit more if the last block is marked as the last.
    if try part(bytes, &out) == .end { return out.bytes }
    let tail: [UInt8] = [0, 0, 0xff, 0xff]
    var fault: Fault?
    tail.withUnsafeBytes { tail in do throws(Fault) { _ = try part(tail, &out) } catch { fault = error } }
    if let fault { throw fault }
    // Otherwise the end is inside a block, and the next message would be read as the rest of that block.
    if !isBetweenBlocks { throw .endsTooEarly }
    return out.bytes
  }

  /// A block may be marked as the last one although others follow (RFC 7692, section 7.2.3.4).
  private func part(_ bytes: UnsafeRawBufferPointer, _ out: inout Output) throws(Fault) -> Step {
    var input = bytes
    while try inflate(&input, into: &out) == .end {
      try resume()
      if input.isEmpty { return .end }
    }
    return .more
  }

  /// Begins again after a last block, with the bytes to which later blocks may refer.
  private func resume() throws(Fault) {
    var window = [UInt8](repeating: 0, count: 1 << 15)
    var count: UInt32 = 0
    let code = window.withUnsafeMutableBufferPointer { window in
      inflateGetDictionary(state, window.baseAddress, &count)
      inflateReset(state)
      return count == 0 ? Z_OK : inflateSetDictionary(state, window.baseAddress, count)
    }
    if code != Z_OK { throw .damaged("zlib \(code)") }
  }

  /// True if the next bit would begin a block.
  private var isBetweenBlocks: Bool { state.pointee.data_type & 128 != 0 }

  private enum Step { case more, end }

  /// Decompresses up to the end of the input, or of the compressed stream.
  private func inflate(_ input: inout UnsafeRawBufferPointer, into out: inout Output) throws(Fault) -> Step {
    while true {
      // zlib only reads the input, but does not declare it as constant.
      state.pointee.next_in = UnsafeMutablePointer(mutating: input.assumingMemoryBound(to: UInt8.self).baseAddress)
      state.pointee.avail_in = UInt32(clamping: input.count)
      let given = Int(state.pointee.avail_in)
      let code = try out.extend { room in
        state.pointee.next_out = room.assumingMemoryBound(to: UInt8.self).baseAddress
        state.pointee.avail_out = UInt32(clamping: room.count)
        let room = Int(state.pointee.avail_out)
        let code = CZlib.inflate(state, Z_NO_FLUSH)
        return (code, room - Int(state.pointee.avail_out))
      }
      input = UnsafeRawBufferPointer(rebasing: input.dropFirst(given - Int(state.pointee.avail_in)))
      switch code {
      case Z_STREAM_END: return .end
      // With room left, all input is used up.
      case Z_OK, Z_BUF_ERROR: if input.isEmpty, state.pointee.avail_out > 0 { return .more }
      default: throw .damaged(state.pointee.msg.map { String(cString: $0) } ?? "zlib \(code)")
      }
    }
  }

  /// The decompressed bytes, in memory that grows with them.
  private struct Output {
    private(set) var bytes = ByteBuffer()
    private let limit: Int
    private var step: Int

    init(limit: Int, expecting count: Int) {
      self.limit = limit
      // Venues' texts become three to ten times as long.
      step = min(max(1024, count.multipliedReportingOverflow(by: 6).partialValue), 1 << 20)
    }

    /// Calls `body` with room for more bytes; `body` returns how much it has used. Throws if the total exceeds the limit.
    mutating func extend(_ body: (UnsafeMutableRawBufferPointer) -> (code: Int32, count: Int)) throws(Fault) -> Int32 {
      // One byte beyond the limit shows that there are more.
      let most = limit - bytes.readableBytes + 1
      let room = min(step, most)
      step = min(step * 2, 1 << 20)
      var code: Int32 = 0
      bytes.writeWithUnsafeMutableBytes(minimumWritableBytes: room) { free in
        let (result, count) = body(UnsafeMutableRawBufferPointer(rebasing: free.prefix(room)))
        code = result
        return count
      }
      if bytes.readableBytes > limit { throw .tooLarge(beginning: Array(bytes.readableBytesView.prefix(512))) }
      return code
    }
  }
}
