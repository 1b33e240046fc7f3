internal import LibC

extension FileDescriptor {
  /// Opens the file or folder at `path`, exactly as written: a trailing slash requires a folder.
  package static func opening(
    _ path: String, _ mode: AccessMode, _ options: OpenOptions = [], permissions: FilePermissions? = nil
  ) throws(Errno) -> FileDescriptor {
    // Without `FilePath`, which would drop a trailing slash.
    try throwingErrno {
      try path.withCString { try FileDescriptor.open($0, mode, options: options.union(.closeOnExec), permissions: permissions) }
    }
  }

  /// The first `limit` bytes of a plain file, without ever waiting; nil if the path leads to another kind of file, such as a pipe or a
  /// device, which may be endless.
  package static func contents(ofPlainFile path: String, atMost limit: Int) throws(Errno) -> [UInt8]? {
    let file = try opening(path, .readOnly, .nonBlocking)
    defer { try? file.shut() }
    return isPlain(file.rawValue) ? try file.readToEnd(atMost: limit) : nil
  }

  /// Closes the descriptor. On Linux an interrupted `close` has closed the descriptor and must not be repeated, because the number may be
  /// in use again. Throws any other error; the descriptor is closed then, too.
  package func shut() throws(Errno) {
    do throws(Errno) { try throwingErrno { try close() } } catch {
      if error != .interrupted { throw error }
    }
  }
}

/// True for a file on a disk: no pipe, terminal or device.
package func isPlain(_ descriptor: Int32) -> Bool {
  var status = stat()
  return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
}
