internal import LibC

/// Lists the contents of a folder.
package enum FolderListing {
  /// The names in a folder, in no particular order, without `.` and `..`; at most `limit` of them.
  package static func names(_ folder: String, atMost limit: Int = .max) throws(Errno) -> [String] {
    guard let handle = opendir(folder) else { throw Errno(rawValue: errno) }
    defer { closedir(handle) }
    var names: [String] = []
    while names.count < limit, let entry = readdir(handle) {
      // The name is a C string inside a longer field.
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }
}
