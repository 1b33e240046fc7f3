import Glibc

/// A folder of one test, gone with the value.
final class TemporaryFolder: Sendable {
  let path: String

  init() {
    var template = Array("/tmp/stockbus-test-XXXXXX".utf8CString)
    path = template.withUnsafeMutableBufferPointer { String(cString: mkdtemp($0.baseAddress!)) }
  }

  deinit {
    for name in names { unlink(file(name)) }
    rmdir(path)
  }

  func file(_ name: String) -> String { "\(path)/\(name)" }

  /// The names in the folder, sorted.
  var names: [String] {
    guard let handle = opendir(path) else { return [] }
    defer { closedir(handle) }
    var names: [String] = []
    while let entry = readdir(handle) {
      names.append(withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
    }
    return names.filter { $0 != "." && $0 != ".." }.sorted()
  }

  func content(_ name: String) -> String {
    guard let handle = fopen(file(name), "r") else { return "(no \(name))" }
    defer { fclose(handle) }
    var bytes: [UInt8] = []
    while case let byte = fgetc(handle), byte != EOF { bytes.append(UInt8(byte)) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Writes a file as a whole: under another name first, then renamed.
  func put(_ text: String, in name: String) {
    let handle = fopen(file(name + ".new"), "w")!
    fputs(text, handle)
    fclose(handle)
    rename(file(name + ".new"), file(name))
  }

  func remove(_ name: String) { unlink(file(name)) }
  func removeFolder(_ name: String) { rmdir(file(name)) }
}
