internal import LibC

/// Attributes of a file that change when its contents change, or when another file replaces it. All missing files have the same attributes.
package struct FileStamp: Hashable, Sendable {
  private var device: UInt64 = 0
  private var inode: UInt64 = 0
  private var size: Int64 = -1
  private var seconds = 0
  private var nanoseconds = 0

  /// When its contents have changed last, in nanoseconds since 1970; nil if there is no file.
  package var changed: Int64? { size < 0 ? nil : Int64(seconds) * 1_000_000_000 + Int64(nanoseconds) }

  /// The present attributes of the file at `path`.
  package init(path: String) {
    var info = stat()
    guard stat(path, &info) == 0 else { return }
    device = UInt64(info.st_dev)
    inode = UInt64(info.st_ino)
    size = Int64(info.st_size)
    #if canImport(Darwin)
    seconds = info.st_mtimespec.tv_sec
    nanoseconds = info.st_mtimespec.tv_nsec
    #else
    seconds = info.st_mtim.tv_sec
    nanoseconds = info.st_mtim.tv_nsec
    #endif
  }
}
