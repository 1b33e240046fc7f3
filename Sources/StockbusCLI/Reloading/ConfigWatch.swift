import StockbusConfig
import StockbusFiles
import StockbusPlugin
import StockbusRuntime

/// Looks at the files of a configuration twice a second.
///
/// Not by inotify: editors replace files, mounted folders tell nothing, and a look at a few files costs less than a thousandth of a core.
struct ConfigWatch: Sendable {
  private let paths: [String]

  init(_ paths: [String]) { self.paths = paths }

  /// The present stamps of all files, by path.
  func look() -> [String: FileStamp] {
    let files = paths.flatMap { ConfigLoader.files($0) }
    return Dictionary(files.map { ($0, FileStamp(path: $0)) }) { first, _ in first }
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
