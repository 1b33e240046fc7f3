import LibC
import StockbusConfig
import StockbusPlugin
import StockbusSystem

/// Finds the sources of stockbus for a new package.
enum StockbusSources {
  /// The value of `--stockbus` for a manifest: an address as it is, a folder as an absolute path. Throws a sentence without a full stop.
  static func resolved(_ text: String) throws(NewFolder.Failure) -> String {
    if text.unicodeScalars.contains(where: { $0.value < 32 || $0.value == 127 }) {
      throw NewFolder.Failure(description: "--stockbus: \(shown(text, limit: 200)) is neither a folder nor an address")
    }
    if text.contains("://") || text.hasPrefix("git@") { return text }
    guard let path = real(text), isHere(path) else {
      throw NewFolder.Failure(description: "--stockbus: \(shown(text, limit: 200)) is not a folder with the sources of stockbus")
    }
    return path
  }

  /// The sources that this program was built from, if it is still beside them; nil if they are not found.
  static var ofThisProgram: String? {
    guard let program = real("/proc/self/exe") ?? CommandLine.arguments.first.flatMap({ real($0) }) else { return nil }
    var parts = program.split(separator: "/")
    while !parts.isEmpty {
      parts.removeLast()
      let folder = "/" + parts.joined(separator: "/")
      if isHere(folder) { return folder }
    }
    return nil
  }

  private static func isHere(_ folder: String) -> Bool {
    guard let file = try? FileDescriptor.opening(folder + "/Package.swift", .readOnly) else { return false }
    defer { try? file.shut() }
    let text = (try? file.readToEnd(atMost: 1 << 20)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    return text.contains("name: \"\(Version.stockbus)\",")
  }

  private static func real(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }
}
