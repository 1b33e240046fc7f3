import CZlib

/// A stream of gzip (RFC 1952), made by zlib.
final class GzipStream {
  private var stream = z_stream()

  init() { deflateInit2_(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) }

  deinit { deflateEnd(&stream) }

  /// The compressed form of these bytes; `flush` is `Z_FINISH` for the last ones, `Z_SYNC_FLUSH` if they have to be readable at once.
  func pack(_ bytes: [UInt8], _ flush: Int32) -> [UInt8] {
    var input = bytes
    // The bound is for a whole stream; a flush adds a few bytes.
    var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(bytes.count))) + 64)
    return input.withUnsafeMutableBufferPointer { source in
      output.withUnsafeMutableBufferPointer { target in
        stream.next_in = source.baseAddress
        stream.avail_in = UInt32(source.count)
        stream.next_out = target.baseAddress
        stream.avail_out = UInt32(target.count)
        deflate(&stream, flush)
        return Array(target.prefix(target.count - Int(stream.avail_out)))
      }
    }
  }
}

/// Some bytes as one member of gzip.
func gzip(_ bytes: [UInt8]) -> [UInt8] { GzipStream().pack(bytes, Z_FINISH) }
