import Glibc

/// A folder of one test, removed with the object.
final class TemporaryFolder {
  let path: String

  init() {
    var template = Array("/tmp/stockbus-files-XXXXXX".utf8CString)
    path = template.withUnsafeMutableBufferPointer { String(cString: mkdtemp($0.baseAddress!)) }
  }

  deinit { Self.remove(path) }

  func file(_ name: String) -> String { "\(path)/\(name)" }

  /// The names in the folder, sorted.
  var names: [String] { Self.names(in: path) }

  func content(_ name: String) -> String {
    guard let handle = fopen(file(name), "r") else { return "(no \(name))" }
    defer { fclose(handle) }
    var bytes: [UInt8] = []
    while case let byte = fgetc(handle), byte != EOF { bytes.append(UInt8(byte)) }
    return String(decoding: bytes, as: UTF8.self)
  }

  func put(_ text: String, in name: String) {
    let handle = fopen(file(name), "w")
    fputs(text, handle)
    fclose(handle)
  }

  private static func names(in folder: String) -> [String] {
    guard let handle = opendir(folder) else { return [] }
    defer { closedir(handle) }
    var names: [String] = []
    while let entry = readdir(handle) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  private static func remove(_ path: String) {
    for name in names(in: path) { remove("\(path)/\(name)") }
    if rmdir(path) != 0 { unlink(path) }
  }
}

extension Array where Element == UInt8 {
  /// The bytes of a text.
  static func of(_ text: String) -> [UInt8] { Array(text.utf8) }
}
