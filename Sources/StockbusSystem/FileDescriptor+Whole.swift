#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// Reading and writing as a whole: where the house knows of interruptions, of writes that are cut short, and of descriptors that do not block.
extension FileDescriptor {
  /// Hands bytes to the system: returns how many of them it took.
  package typealias Write = (_ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int

  /// Reads until the end, or until there are `limit` bytes.
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

  /// Writes all bytes, waiting where there is no room for them yet.
  package func writeWhole(_ bytes: UnsafeRawBufferPointer) throws(Errno) {
    var sent = 0
    try writeWhole(bytes, from: &sent) { (rest) throws(Errno) in try writeOnce(rest) }
  }

  /// Writes the bytes from `sent` on until nothing is left, waiting where there is no room for them yet.
  ///
  /// Throws what the system says, and `ioError` where it takes nothing and says nothing, which would keep us here for ever.
  ///
  /// - Parameters:
  ///   - sent: how many of the bytes have been written, also where it throws.
  ///   - write: the system's, or another; it may say that it was interrupted, or that there is no room.
  package func writeWhole(_ bytes: UnsafeRawBufferPointer, from sent: inout Int, by write: Write) throws(Errno) {
    while sent < bytes.count {
      do throws(Errno) {
        let taken = try write(UnsafeRawBufferPointer(rebasing: bytes[sent...]))
        if taken <= 0 { throw .ioError }
        sent += taken
      } catch {
        switch error {
        case .interrupted: continue
        // Standard streams may be set to non-blocking by whoever shares them.
        case .resourceTemporarilyUnavailable: try waitUntilWritable()
        default: throw error
        }
      }
    }
  }

  /// Writes as many of the bytes as there is room for; returns how many.
  package func writeOnce(_ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int { try throwingErrno { try write(bytes) } }

  /// Sleeps until there is room to write, or the reader has gone, which the next write then says.
  private func waitUntilWritable() throws(Errno) {
    var entry = pollfd(fd: rawValue, events: Int16(POLLOUT), revents: 0)
    try retrying { poll(&entry, 1, -1) }
  }
}
