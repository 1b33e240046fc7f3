internal import LibC

/// A folder for one test, which is removed with its files when the object is dropped. The test itself must remove sub-folders.
public final class TemporaryFolder: Sendable {
  public let path: String

  /// Traps if the folder cannot be created, because the test cannot continue.
  public init() {
    var template = Array("/tmp/stockbus-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { preconditionFailure("no temporary folder: \(String(cString: strerror(errno)))") }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    for name in names { unlink(file(name)) }
    rmdir(path)
  }

  /// The path of a file in the folder.
  public func file(_ name: String) -> String { "\(path)/\(name)" }

  /// The names in the folder, sorted.
  public var names: [String] {
    guard let handle = opendir(path) else { return [] }
    defer { closedir(handle) }
    var names: [String] = []
    while let entry = readdir(handle) {
      names.append(withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
    }
    return names.filter { $0 != "." && $0 != ".." }.sorted()
  }

  /// The contents of a file; `(no NAME)` if there is none.
  public func content(_ name: String) -> String {
    guard let handle = fopen(file(name), "r") else { return "(no \(name))" }
    defer { fclose(handle) }
    var bytes: [UInt8] = []
    while case let byte = fgetc(handle), byte != EOF { bytes.append(UInt8(byte)) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Replaces a file atomically: writes it under another name, then renames it.
  public func put(_ text: String, in name: String) {
    put(Array(text.utf8), in: name + ".new")
    rename(file(name + ".new"), file(name))
  }

  /// Writes bytes to a file, which is emptied first.
  public func put(_ bytes: [UInt8], in name: String) {
    guard let handle = fopen(file(name), "w") else { preconditionFailure("\(file(name)): \(String(cString: strerror(errno)))") }
    fwrite(bytes, 1, bytes.count, handle)
    fclose(handle)
  }

  public func remove(_ name: String) { unlink(file(name)) }
  /// Removes an empty folder.
  public func removeFolder(_ name: String) { rmdir(file(name)) }
}
