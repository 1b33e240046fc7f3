import StockbusConfig
import StockbusPlugin
import StockbusRuntime

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Looks at the files of a configuration twice a second.
///
/// Not by inotify: editors replace files, mounted folders tell nothing, and a look at a few files costs less than a thousandth of a core.
struct ConfigWatch: Sendable {
  /// What tells one state of a file from another.
  struct State: Hashable {
    let path: String
    let inode: UInt64
    let size: Int64
    let seconds: Int
    let nanoseconds: Int
  }

  private let paths: [String]

  init(_ paths: [String]) { self.paths = paths }

  /// The present state of all files.
  func look() -> [State] {
    paths.flatMap { ConfigLoader.files($0) }.compactMap { path in
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      #if canImport(Darwin)
      let time = status.st_mtimespec
      #else
      let time = status.st_mtim
      #endif
      return State(
        path: path, inode: UInt64(status.st_ino), size: Int64(status.st_size), seconds: Int(time.tv_sec), nanoseconds: Int(time.tv_nsec))
    }
  }

  /// Calls `changed` whenever something has changed, and then nothing for half a second, until the task is cancelled.
  func run(_ clock: any Timekeeper = SystemTimekeeper(), _ changed: () -> Void) async {
    var known = look()
    var last = known
    while (try? await clock.sleep(for: .milliseconds(500))) != nil {
      let now = look()
      // A file that is being written, or replaced, is not read yet.
      if now == last, now != known {
        known = now
        changed()
      }
      last = now
    }
  }
}
