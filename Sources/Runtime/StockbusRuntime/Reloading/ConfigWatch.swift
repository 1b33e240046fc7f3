internal import StockbusConfig
internal import StockbusFiles
package import StockbusPlugin

/// Checks the files of a configuration twice a second.
///
/// Not by inotify: editors replace files, mounted folders send no events, and checking a few files takes less than a thousandth of a core.
package struct ConfigWatch: Sendable {
  private let paths: @Sendable () -> [String]

  /// - Parameter paths: returns the files and folders of the present configuration.
  package init(_ paths: @escaping @Sendable () -> [String]) { self.paths = paths }

  /// The present stamps of all files, by path.
  func look() -> [String: FileStamp] {
    let files = paths().flatMap { ConfigLoader.files($0) }
    return Dictionary(files.map { ($0, FileStamp(path: $0)) }) { first, _ in first }
  }

  /// Calls `changed` after each change that is followed by half a second without changes, until the task is cancelled.
  package func run(_ clock: any Timekeeper, _ changed: () -> Void) async {
    var known = look()
    var last = known
    while (try? await clock.sleep(for: .milliseconds(500))) != nil {
      let now = look()
      // A file that is being written or replaced is not read yet.
      if now == last, now != known {
        known = now
        changed()
      }
      last = now
    }
  }
}
