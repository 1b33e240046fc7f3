extension FileDescriptor {
  /// Opens what lies at `path`, exactly as it is written: a slash at its end asks for a folder.
  package static func opening(
    _ path: String, _ mode: AccessMode, _ options: OpenOptions = [], permissions: FilePermissions? = nil
  ) throws(Errno) -> FileDescriptor {
    // Not by way of `FilePath`, which makes another path of it.
    try throwingErrno {
      try path.withCString { try FileDescriptor.open($0, mode, options: options.union(.closeOnExec), permissions: permissions) }
    }
  }

  /// Closes it, whatever signals come: an interrupted `close` has closed on Linux and must not be repeated, as the number may be somebody
  /// else's by then. Throws what else the system says; it is closed then, too.
  package func shut() throws(Errno) {
    do throws(Errno) { try throwingErrno { try close() } } catch {
      if error != .interrupted { throw error }
    }
  }
}
