internal import MarketData

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// The system calls of this library, one a function, each with its interruptions handled.
///
/// Every function answers 0 or an error number, so that `errno` is read next to the call it belongs to.
enum Descriptor {
  /// Hands bytes to the system: the count it took, or -1 with `errno` set.
  typealias Write = @Sendable (_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int

  /// A terminal gets nothing that it would obey; the count is that of the bytes it was asked to write.
  static let system: Write = { isatty($0) == 1 ? writeHarmless($0, $1, $2) : writeBytes($0, $1, $2) }

  /// Opens `path` for writing at its end; nothing of what it holds is touched.
  ///
  /// Not blocking while it opens, so that a named pipe that nobody reads is an error (`ENXIO`) and not a hang.
  static func open(_ path: String) -> Result<Int32, Errno> {
    let flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
    while true {
      let descriptor = openFile(path, flags)
      if descriptor < 0 {
        if errno == EINTR { continue }
        return .failure(Errno(errno))
      }
      _ = fcntl(descriptor, F_SETFL, O_APPEND)
      return .success(descriptor)
    }
  }

  /// Writes `bytes` from `sent` on until nothing is left; `sent` says how far it came, also where it failed.
  static func put(
    _ bytes: UnsafeRawBufferPointer, from sent: inout Int, to descriptor: Int32, by write: Write = system
  ) -> Int32 {
    guard let base = bytes.baseAddress else { return 0 }
    while sent < bytes.count {
      let n = write(descriptor, base + sent, bytes.count - sent)
      if n > 0 {
        sent += n
      } else if n == 0 {
        return EIO  // a device that takes nothing and says nothing would keep us here for ever
      } else if errno == EAGAIN {
        let code = waitUntilWritable(descriptor)
        if code != 0 { return code }
      } else if errno != EINTR {
        return errno
      }
    }
    return 0
  }

  /// Standard output may be set to non-blocking by whoever shares it.
  private static func waitUntilWritable(_ descriptor: Int32) -> Int32 {
    var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    while poll(&entry, 1, -1) < 0 { if errno != EINTR { return errno } }
    return 0
  }

  /// What a descriptor leads to: a plain file's length, or nil for a pipe, a terminal or a device.
  static func plainSize(_ descriptor: Int32) -> Int? {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int(status.st_size)
  }

  /// The last byte of the file at `path`, nil where it is empty or cannot be read.
  static func lastByte(of path: String) -> UInt8? {
    let descriptor = openFile(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { _ = close(descriptor) }
    guard let size = plainSize(descriptor), size > 0 else { return nil }
    var byte: UInt8 = 0
    return pread(descriptor, &byte, 1, off_t(size - 1)) == 1 ? byte : nil
  }

  /// The bytes of the plain file at `path`, at most so many; nil where there is no plain file or it may not be opened.
  static func contents(of path: String, atMost limit: Int) throws(Errno) -> [UInt8]? {
    let descriptor = openFile(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { _ = close(descriptor) }
    guard let size = plainSize(descriptor) else { return nil }
    let capacity = min(size, limit)
    var code: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: max(1, capacity)) { buffer, count in
      while count < capacity, let base = buffer.baseAddress {
        let n = pread(descriptor, base + count, capacity - count, off_t(count))
        if n > 0 {
          count += n
        } else if n == 0 {
          return
        } else if errno != EINTR {
          code = errno
          return
        }
      }
    }
    if code != 0 { throw Errno(code) }
    return bytes
  }

  /// An environment variable; nil where it is not there or empty.
  static func environment(_ name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
  }

  static func exists(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }

  static func move(_ path: String, to target: String) -> Int32 { rename(path, target) == 0 ? 0 : errno }

  /// Takes away what a file holds beyond `size`.
  static func cut(_ descriptor: Int32, to size: Int) -> Int32 {
    while ftruncate(descriptor, off_t(size)) != 0 { if errno != EINTR { return errno } }
    return 0
  }

  /// Waits until the disk has the file's bytes; pipes and devices, which cannot, are as good as done.
  static func sync(_ descriptor: Int32) -> Int32 {
    while fsync(descriptor) != 0 {
      if errno == EINTR { continue }
      return errno == EINVAL || errno == EROFS || errno == ENOTSUP ? 0 : errno
    }
    return 0
  }

  /// Waits until the disk has the names in the folder of `path`; folders that cannot be opened are left alone.
  static func syncFolder(of path: String) -> Int32 {
    let descriptor = openFile(folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return 0 }
    defer { _ = close(descriptor) }
    return sync(descriptor)
  }

  /// An interrupted `close` has closed on Linux and must not be repeated: the number may be somebody else's by then.
  static func shut(_ descriptor: Int32) -> Int32 {
    FileLock.leave(descriptor)
    return close(descriptor) == 0 || errno == EINTR ? 0 : errno
  }

  static func folder(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: 47) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Makes every folder that `path` leads through; the folder that could not be made comes with the error.
  static func createFolders(above path: String) -> (folder: String, code: Int32)? {
    let folder = folder(of: path)
    var status = stat()
    if stat(folder, &status) == 0 { return nil }
    var end = folder.startIndex
    while end < folder.endIndex {
      end = folder[end...].dropFirst().firstIndex(of: "/") ?? folder.endIndex
      let part = String(folder[..<end])
      // Somebody else may make the same folder at the same time; a file in the way is found by opening.
      if mkdir(part, 0o777) == 0 { continue }
      let code = errno
      if stat(part, &status) != 0 { return (part, code) }
    }
    return nil
  }

  private static func writeHarmless(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
    guard let harmless = TerminalText.harmless(UnsafeRawBufferPointer(start: bytes, count: count)) else {
      return writeBytes(descriptor, bytes, count)
    }
    return harmless.withUnsafeBytes { text in
      var sent = 0
      return put(text, from: &sent, to: descriptor, by: { writeBytes($0, $1, $2) }) == 0 ? count : -1
    }
  }

  // The methods above hide the functions of the same name.
  private static func writeBytes(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
    #if canImport(Darwin)
    Darwin.write(descriptor, bytes, count)
    #else
    Glibc.write(descriptor, bytes, count)
    #endif
  }

  private static func openFile(_ path: String, _ flags: Int32) -> Int32 {
    #if canImport(Darwin)
    Darwin.open(path, flags, 0o666)
    #else
    Glibc.open(path, flags, 0o666)
    #endif
  }
}

/// A system error number as an `Error`.
struct Errno: Error, Hashable {
  let code: Int32
  init(_ code: Int32) { self.code = code }
}
