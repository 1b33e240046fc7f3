internal import LibC
internal import MarketData
internal import StockbusSystem

/// The system calls that this module makes, one function each.
///
/// Functions that can fail return 0 or an error number, as `SystemCalls` requires.
enum Descriptor {
  /// Passes bytes to the system; returns the number taken, or -1 with `errno` set.
  typealias Write = @Sendable (_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int

  /// Writes bytes; to a terminal, without those that control it. The count is that of the original bytes.
  static let system: Write = { isatty($0) == 1 ? writeHarmless($0, $1, $2) : writeBytes($0, $1, $2) }

  /// Opens `path` for writing at its end, without changing its contents.
  ///
  /// The open does not block, so a named pipe without a reader gives an error (`ENXIO`) instead of a hang.
  static func open(_ path: String) throws(Errno) -> Int32 {
    let file = try FileDescriptor.opening(
      path, .writeOnly, [.create, .append, .nonBlocking, .noControllingTerminal], permissions: FilePermissions(rawValue: 0o666))
    _ = fcntl(file.rawValue, F_SETFL, O_APPEND)
    return file.rawValue
  }

  /// Writes `bytes` from `sent` on until none is left. `sent` is advanced even if the call fails.
  static func put(
    _ bytes: UnsafeRawBufferPointer, from sent: inout Int, to descriptor: Int32, by write: Write = system
  ) -> Int32 {
    code { () throws(Errno) in
      try FileDescriptor(rawValue: descriptor).writeWhole(bytes, from: &sent) { (rest) throws(Errno) in
        guard let base = rest.baseAddress else { return 0 }
        return try retrying { write(descriptor, base, rest.count) }
      }
    }
  }

  /// Returns 0, or the number of the thrown error.
  private static func code(_ call: () throws(Errno) -> Void) -> Int32 {
    do throws(Errno) {
      try call()
      return 0
    } catch { return error.rawValue }
  }

  /// The length of a plain file; nil for a pipe, a terminal or a device.
  static func plainSize(_ descriptor: Int32) -> Int? {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int(status.st_size)
  }

  /// The state of an open file relative to its path.
  enum Standing: Equatable {
    /// The file is at its path and has this many bytes.
    case present(size: Int)
    /// The path leads to another file, or to none.
    case movedAway
    /// The file has no path any more.
    case removed
  }

  /// Compares an open plain file with the one at `path`, with links followed. If the system cannot decide, the result is `present`.
  static func standing(of descriptor: Int32, at path: String) -> Standing {
    var own = stat()
    var present = stat()
    guard fstat(descriptor, &own) == 0 else { return .present(size: .max) }
    if own.st_nlink == 0 { return .removed }
    if stat(path, &present) == 0 {
      if present.st_ino != own.st_ino || present.st_dev != own.st_dev { return .movedAway }
    } else if errno == ENOENT || errno == ENOTDIR {
      return .movedAway
    }
    return .present(size: Int(own.st_size))
  }

  /// False if an open file was removed: its contents are lost when it is closed.
  static func hasName(_ descriptor: Int32) -> Bool {
    var status = stat()
    return fstat(descriptor, &status) != 0 || status.st_nlink > 0
  }

  /// The last byte of the file at `path`; nil if it is empty or cannot be read.
  static func lastByte(of path: String) -> UInt8? {
    guard let file = try? FileDescriptor.opening(path, .readOnly, .nonBlocking) else { return nil }
    defer { try? file.shut() }
    guard let size = plainSize(file.rawValue), size > 0 else { return nil }
    var byte: UInt8 = 0
    let count = withUnsafeMutableBytes(of: &byte) { try? file.read(fromAbsoluteOffset: Int64(size - 1), into: $0) }
    return count == 1 ? byte : nil
  }

  /// The bytes of the plain file at `path`, at most `limit`; nil if there is no plain file or it cannot be opened.
  static func contents(of path: String, atMost limit: Int) throws(Errno) -> [UInt8]? {
    guard let file = try? FileDescriptor.opening(path, .readOnly, .nonBlocking) else { return nil }
    defer { try? file.shut() }
    guard let size = plainSize(file.rawValue) else { return nil }
    return try file.readToEnd(atMost: min(size, limit))
  }

  /// An environment variable; nil if it is unset or empty.
  static func environment(_ name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
  }

  static func exists(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }

  static func move(_ path: String, to target: String) -> Int32 { rename(path, target) == 0 ? 0 : errno }

  /// Truncates a file to `size` bytes.
  static func cut(_ descriptor: Int32, to size: Int) -> Int32 {
    code { () throws(Errno) in try throwingErrno { try FileDescriptor(rawValue: descriptor).resize(to: Int64(size)) } }
  }

  /// Waits until the file's bytes are on the disk. No effect for pipes and devices, which do not support it.
  static func sync(_ descriptor: Int32) -> Int32 {
    let failure = code { () throws(Errno) in try retrying { fsync(descriptor) } }
    return [EINVAL, EROFS, ENOTSUP].contains(failure) ? 0 : failure
  }

  /// Waits until the folder that contains `path` is on the disk; ignores folders that cannot be opened.
  static func syncFolder(of path: String) -> Int32 {
    guard let folder = try? FileDescriptor.opening(folder(of: path), .readOnly, .directory) else { return 0 }
    defer { try? folder.shut() }
    return sync(folder.rawValue)
  }

  /// Releases the lock and closes the file.
  static func shut(_ descriptor: Int32) -> Int32 {
    FileLock.leave(descriptor)
    return code { () throws(Errno) in try FileDescriptor(rawValue: descriptor).shut() }
  }

  static func folder(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: 47) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Creates every missing folder above `path`. If one could not be created, returns it with the error number.
  static func createFolders(above path: String) -> (folder: String, code: Int32)? {
    let folder = folder(of: path)
    var status = stat()
    if stat(folder, &status) == 0 { return nil }
    var end = folder.startIndex
    while end < folder.endIndex {
      end = folder[end...].dropFirst().firstIndex(of: "/") ?? folder.endIndex
      let part = String(folder[..<end])
      // Another process may create the same folder at the same time. A file in its place is reported by opening.
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
      let code = put(text, from: &sent, to: descriptor, by: { writeBytes($0, $1, $2) })
      if code == 0 { return count }
      errno = code
      return -1
    }
  }

  // Returns -1 and sets `errno`, as a test's replacement of this call does.
  private static func writeBytes(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
    LibC.write(descriptor, bytes, count)
  }
}

extension FileDescriptor.OpenOptions {
  /// Opening a terminal does not make it the controlling terminal of the process.
  static let noControllingTerminal = FileDescriptor.OpenOptions(rawValue: O_NOCTTY)
}
