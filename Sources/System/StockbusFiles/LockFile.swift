internal import LibC
internal import StockbusPlugin
internal import StockbusSystem

/// The right to write a file that only its library may open, such as a database: a lock on a file of its own beside it, `PATH-lock`.
///
/// SQLite locks parts of its file with `fcntl`; the system drops these locks when the process closes any descriptor of that file, so the
/// file itself cannot carry a lock of ours. The lock is held until `release`, or until the process ends in any way; `release` removes its
/// file.
package final class LockFile: Sendable {
  private let path: String
  /// Negative once it is released.
  private let descriptor: Guarded<Int32>

  /// Takes the lock for the file at `path`, creating the folders above it. Throws if another process, or part of this one, holds it.
  package init(for path: String) throws(FileError) {
    let target = FilePlace(path)?.path ?? path
    self.path = target + "-lock"
    if let (folder, code) = Descriptor.createFolders(above: target) { throw FileError(.createFolder, path: folder, code: code) }
    // Between opening and locking, the holder may release the lock and remove its file.
    for _ in 1...10 {
      let opened: Int32
      do throws(Errno) { opened = try Descriptor.open(self.path) } catch { throw FileError(.open, path: self.path, code: error.rawValue) }
      if let other = FileLock.take(opened) {
        try? FileDescriptor(rawValue: opened).shut()
        throw FileError(.claim(other), path: path, code: FileError.busy)
      }
      if FilePlace(self.path)?.identity == FileIdentity(descriptor: opened) {
        descriptor = Guarded(opened)
        return
      }
      _ = Descriptor.shut(opened)
    }
    throw FileError(.claim("other processes lock and unlock it again and again"), path: path, code: FileError.busy)
  }

  deinit { release() }

  /// Releases the lock. A second call has no effect.
  package func release() {
    descriptor.withLock { descriptor in
      if descriptor < 0 { return }
      // Removed while the lock is held, so that no other process can have locked the file; and only if another process has not recreated it.
      if FilePlace(path)?.identity == FileIdentity(descriptor: descriptor) { unlink(path) }
      _ = Descriptor.shut(descriptor)
      descriptor = -1
    }
  }
}
