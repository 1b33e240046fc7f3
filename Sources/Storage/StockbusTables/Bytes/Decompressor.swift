internal import CZlib

/// Decompresses pages. Unsafe, because it calls C libraries with buffers; it owns their states.
final class Decompressor {
  private var context: OpaquePointer?

  deinit { if context != nil { _ = Zstandard.library?.freeDecompressor(context) } }

  /// Fills `out`; throws if the data does not give exactly its size, or is compressed in another way.
  func decompress(_ bytes: UnsafeRawBufferPointer, _ codec: Int32, into out: UnsafeMutableRawBufferPointer) throws(TableError) {
    switch Parquet.Codec(rawValue: codec) {
    case Parquet.Codec.none?:
      guard bytes.count == out.count else { throw TableError("the page has another size than its header says") }
      out.copyMemory(from: bytes)
    case .snappy: try Snappy.decompress(bytes, into: out)
    case .gzip: try inflate(bytes, into: out)
    case .zstd:
      guard let library = Zstandard.library else { throw TableError("the file is compressed with zstd, and libzstd is not there") }
      if context == nil { context = library.makeDecompressor() }
      guard context != nil else { throw TableError("libzstd cannot begin to decompress") }
      let size = library.decompress(context, out.baseAddress, out.count, bytes.baseAddress, bytes.count)
      guard library.isError(size) == 0, size == out.count else { throw TableError("the compressed data is malformed") }
    case .lzo: throw TableError("compression with LZO is not read")
    case .brotli: throw TableError("compression with Brotli is not read")
    case .lz4, .lz4Raw: throw TableError("compression with LZ4 is not read")
    case nil: throw TableError("the compression is unknown")
    }
  }

  /// One or more members of gzip, or zlib's format.
  private func inflate(_ bytes: UnsafeRawBufferPointer, into out: UnsafeMutableRawBufferPointer) throws(TableError) {
    guard bytes.count < Int(UInt32.max), out.count < Int(UInt32.max) else { throw TableError("the page is too large to decompress") }
    var stream = z_stream()
    // 32 more than the window's size finds out which frame there is.
    guard inflateInit2_(&stream, 32 + 15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
      throw TableError("zlib cannot begin to decompress")
    }
    defer { inflateEnd(&stream) }
    stream.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
    stream.avail_in = UInt32(bytes.count)
    stream.next_out = out.baseAddress?.assumingMemoryBound(to: UInt8.self)
    stream.avail_out = UInt32(out.count)
    while stream.avail_in > 0 {
      let before = stream.avail_in
      guard CZlib.inflate(&stream, Z_FINISH) == Z_STREAM_END, stream.avail_in < before else { break }
      if stream.avail_in > 0 { inflateReset(&stream) }
    }
    guard stream.avail_out == 0, stream.avail_in == 0 else { throw TableError("the compressed data is malformed") }
  }
}
