internal import CZlib

/// Compresses bytes once, for clients that accept gzip (RFC 1952).
enum Gzip {
  /// Nil if zlib fails, which it does only without memory.
  static func compress(_ bytes: [UInt8]) -> [UInt8]? {
    var stream = z_stream()
    // 15 bits of window, and 16 for the header and trailer of gzip.
    guard deflateInit2_(&stream, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
    else { return nil }
    defer { deflateEnd(&stream) }
    var input = bytes
    var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, uLong(bytes.count))))
    // The pointers are used only while both arrays are borrowed.
    let code = input.withUnsafeMutableBufferPointer { input in
      output.withUnsafeMutableBufferPointer { output in
        stream.next_in = input.baseAddress
        stream.avail_in = uInt(input.count)
        stream.next_out = output.baseAddress
        stream.avail_out = uInt(output.count)
        return deflate(&stream, Z_FINISH)
      }
    }
    return code == Z_STREAM_END ? Array(output.prefix(Int(stream.total_out))) : nil
  }
}
