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

  /// Closes it. On Linux an interrupted `close` has closed the descriptor and must not be repeated, because the number may be in use again.
  /// Throws any other error; the descriptor is closed then, too.
  package func shut() throws(Errno) {
    do throws(Errno) { try throwingErrno { try close() } } catch {
      if error != .interrupted { throw error }
    }
  }
}
