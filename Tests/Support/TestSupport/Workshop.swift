internal import Foundation

/// An empty folder, removed with all that is in it when the object is dropped.
public final class Workshop: Sendable {
  public let path = FileManager.default.temporaryDirectory.appending(path: "stockbus-\(UUID().uuidString)").path

  public init() { try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
  deinit { try? FileManager.default.removeItem(atPath: path) }

  public func file(_ name: String) -> String { path + "/" + name }
  public func text(_ name: String) -> String { (try? String(contentsOfFile: file(name), encoding: .utf8)) ?? "(no \(name))" }

  public func put(_ text: String, in name: String) {
    let url = URL(filePath: file(name))
    try? FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try? Data(text.utf8).write(to: url)
  }
}
