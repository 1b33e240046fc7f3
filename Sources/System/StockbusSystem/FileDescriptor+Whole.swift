internal import LibC

/// Reading and writing whole buffers. Interrupted calls, short writes and non-blocking descriptors are handled here.
extension FileDescriptor {
  /// Passes bytes to the system; returns the number taken.
  package typealias Write = (_ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int

  /// Reads to the end, or until `limit` bytes are read.
  package func readToEnd(atMost limit: Int) throws(Errno) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < limit {
      let room = min(limit - bytes.count, 64 << 10)
      let piece = try throwingErrno {
        try [UInt8](unsafeUninitializedCapacity: room) { $1 = try read(into: UnsafeMutableRawBufferPointer($0)) }
      }
      if piece.isEmpty { break }
      bytes += piece
    }
    return bytes
  }

  /// Writes all bytes, waiting while there is no room for them.
  package func writeWhole(_ bytes: UnsafeRawBufferPointer) throws(Errno) {
    var sent = 0
    try writeWhole(bytes, from: &sent) { (rest) throws(Errno) in try writeOnce(rest) }
  }

  /// Writes all bytes of an array.
  package func writeWhole(_ bytes: [UInt8]) throws(Errno) {
    // A result, because the array's closure cannot throw a typed error.
    let result: Result<Void, Errno> = bytes.withUnsafeBytes { bytes in
      do throws(Errno) { return .success(try writeWhole(bytes)) } catch { return .failure(error) }
    }
    try result.get()
  }

  /// Writes the bytes from `sent` on until none is left, waiting while there is no room for them.
  ///
  /// Throws the system's error, and `ioError` if `write` takes no bytes without an error, which would otherwise loop endlessly.
  ///
  /// - Parameters:
  ///   - sent: how many of the bytes have been written, even after a throw.
  ///   - write: the system call or a replacement; it may throw the errors for an interrupted call and for no room.
  package func writeWhole(_ bytes: UnsafeRawBufferPointer, from sent: inout Int, by write: Write) throws(Errno) {
    while sent < bytes.count {
      do throws(Errno) {
        let taken = try write(UnsafeRawBufferPointer(rebasing: bytes[sent...]))
        if taken <= 0 { throw .ioError }
        sent += taken
      } catch {
        switch error {
        case .interrupted: continue
        // Another process that shares a standard stream may set it to non-blocking.
        case .resourceTemporarilyUnavailable: try waitUntilWritable()
        default: throw error
        }
      }
    }
  }

  /// Writes as many of the bytes as there is room for; returns their number.
  package func writeOnce(_ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int { try throwingErrno { try write(bytes) } }

  /// Waits until there is room to write, or the reader has closed, which the next write reports.
  private func waitUntilWritable() throws(Errno) {
    var entry = pollfd(fd: rawValue, events: Int16(POLLOUT), revents: 0)
    try retrying { poll(&entry, 1, -1) }
  }
}
