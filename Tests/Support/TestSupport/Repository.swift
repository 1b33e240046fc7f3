public import Foundation

/// The files that tests read besides their own.
public enum Repository {
  /// The folder of Package.swift.
  public static let root = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }

  public static let fixtures = root.appending(path: "Tests/Fixtures")

  /// Real recordings, which are not part of the project: `STOCKBUS_DATA`, or `../shared/data` beside the package. Tests that need one are
  /// skipped where it is absent.
  public static let recordings =
    ProcessInfo.processInfo.environment["STOCKBUS_DATA"]
    ?? root.deletingLastPathComponent().appending(path: "shared/data").path

  /// The content of `Tests/Fixtures/NAME`, which a text is compared with. With `UPDATE_GOLDENS=1` in the environment the text is written
  /// there first, for review.
  public static func golden(_ name: String, updatedTo text: String) throws -> String {
    let file = fixtures.appending(path: name)
    if ProcessInfo.processInfo.environment["UPDATE_GOLDENS"] == "1" { try Data(text.utf8).write(to: file) }
    return try String(contentsOf: file, encoding: .utf8)
  }
}
