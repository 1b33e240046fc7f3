internal import CZlib
internal import LibC

/// How the pages of a file are compressed.
package enum TableCompression: Hashable, Sendable {
  case none
  /// By zlib, with 1 (fast) to 9 (small).
  case gzip(level: Int)
  /// By the system's libzstd, with 1 (fast) to 19 (small).
  case zstd(level: Int)

  /// False for `zstd` if libzstd cannot be loaded.
  package var isAvailable: Bool { if case .zstd = self { Zstandard.library != nil } else { true } }
  /// The usual choice: zstd if it is there, else gzip.
  package static var usual: TableCompression { Zstandard.library == nil ? .gzip(level: 1) : .zstd(level: 1) }

  var codec: Parquet.Codec {
    switch self {
    case .none: .none
    case .gzip: .gzip
    case .zstd: .zstd
    }
  }
}

/// Compresses blocks one by one. Unsafe, because it calls C libraries with buffers; it owns their states.
final class Compressor {
  let compression: TableCompression
  private var context: OpaquePointer?
  private var stream = z_stream()
  private var hasStream = false

  init(_ compression: TableCompression) throws(TableError) {
    self.compression = compression
    switch compression {
    case .none: break
    case .gzip(let level):
      // 16 more than the window's size asks for gzip's frame.
      let code = deflateInit2_(
        &stream, Int32(min(9, max(1, level))), Z_DEFLATED, 16 + 15, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
        Int32(MemoryLayout<z_stream>.size))
      guard code == Z_OK else { throw TableError("zlib cannot begin to compress (\(code))") }
      hasStream = true
    case .zstd:
      context = Zstandard.library?.makeCompressor()
      if context == nil { throw TableError("libzstd is not there") }
    }
  }

  deinit {
    if context != nil { _ = Zstandard.library?.freeCompressor(context) }
    if hasStream { deflateEnd(&stream) }
  }

  /// Puts the bytes into a frame as they are, for pages that do not become smaller in a column whose dictionary does.
  func store(_ bytes: UnsafeRawBufferPointer, into out: inout ByteBuffer) throws(TableError) {
    guard case .zstd = compression, let size = UInt32(exactly: bytes.count), size > 0 else { return try compress(bytes, into: &out) }
    // RFC 8878: the magic number, a frame of one segment with a size of four bytes, and blocks of at most 128 KiB that are not compressed.
    out.append([0x28, 0xb5, 0x2f, 0xfd, 0xa0])
    out.put(size)
    var at = 0
    while at < bytes.count {
      let part = min(128 << 10, bytes.count - at)
      let head = (at + part == bytes.count ? 1 : 0) | part << 3
      out.append([UInt8(truncatingIfNeeded: head), UInt8(truncatingIfNeeded: head >> 8), UInt8(truncatingIfNeeded: head >> 16)])
      out.append(UnsafeRawBufferPointer(rebasing: bytes[at..<at + part]))
      at += part
    }
  }

  func compress(_ bytes: UnsafeRawBufferPointer, into out: inout ByteBuffer) throws(TableError) {
    switch compression {
    case .none: out.append(bytes)
    case .gzip:
      guard bytes.count < Int(UInt32.max) else { throw TableError("the page is too large to compress") }
      deflateReset(&stream)
      stream.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
      stream.avail_in = UInt32(bytes.count)
      var code = Z_OK
      // Not one call with room for `deflateBound`, which is too little at level 1.
      while code == Z_OK {
        let room = bytes.count / 2 + 1024
        stream.next_out = out.room(room).assumingMemoryBound(to: UInt8.self)
        stream.avail_out = UInt32(room)
        code = deflate(&stream, Z_FINISH)
        out.advance(room - Int(stream.avail_out))
      }
      guard code == Z_STREAM_END else { throw TableError("zlib cannot compress (\(code))") }
    case .zstd(let level):
      guard let library = Zstandard.library else { throw TableError("libzstd is not there") }
      let room = library.bound(bytes.count)
      let size = library.compress(context, out.room(room), room, bytes.baseAddress, bytes.count, Int32(min(19, max(1, level))))
      guard library.isError(size) == 0 else { throw TableError("libzstd cannot compress") }
      out.advance(size)
    }
  }
}
