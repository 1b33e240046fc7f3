internal import StockbusConfig
internal import StockbusFiles
package import StockbusPlugin

/// Looks at the files of a configuration twice a second.
///
/// Not by inotify: editors replace files, mounted folders tell nothing, and a look at a few files costs less than a thousandth of a core.
package struct ConfigWatch: Sendable {
  private let paths: @Sendable () -> [String]

  /// - Parameter paths: the files and folders of the configuration, which another one may take the place of.
  package init(_ paths: @escaping @Sendable () -> [String]) { self.paths = paths }

  /// The present stamps of all files, by path.
  func look() -> [String: FileStamp] {
    let files = paths().flatMap { ConfigLoader.files($0) }
    return Dictionary(files.map { ($0, FileStamp(path: $0)) }) { first, _ in first }
  }

  /// Calls `changed` whenever something has changed, and then nothing for half a second, until the task is cancelled.
  package func run(_ clock: any Timekeeper, _ changed: () -> Void) async {
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
