internal import LibC
internal import StockbusPlugin
internal import StockbusSystem

/// The files of a plugin's folder, as they are copied into a bundle.
package struct FolderCopy: Sendable {
  package static let fileLimit = 1_000
  package static let sizeLimit = 64 << 20
  static let depthLimit = 8
  /// The most names of one folder, including those that are not copied.
  private static let listLimit = 100_000

  private struct File: Sendable {
    /// Below the folder.
    let name: String
    let bytes: [UInt8]
    let isExecutable: Bool
  }

  private var files: [File] = []
  private var folders: [String] = []
  private var size = 0

  /// Reads a folder, without names that begin with a dot, files compiled by Python, and anything that is neither file nor folder; links are
  /// followed to files only.
  package init(of folder: String) throws(BundleFault) { try add("", in: folder, depth: 0) }

  /// The files' names, below the folder.
  package var names: [String] { files.map(\.name) }

  /// A number that differs between folders with different contents, for noticing that a plugin has changed.
  package var revision: String {
    var hash = ContentHash()
    for file in files {
      hash.add(file.name.utf8)
      hash.add([0, file.isExecutable ? 1 : 0])
      hash.add(file.bytes)
    }
    return "\(hash)"
  }

  private mutating func add(_ inner: String, in folder: String, depth: Int) throws(BundleFault) {
    if depth > Self.depthLimit { throw BundleFault("its folders are nested more than \(Self.depthLimit) deep") }
    let path = inner.isEmpty ? folder : folder + "/" + inner
    let all: [String]
    do throws(Errno) { all = try FolderListing.names(path, atMost: Self.listLimit) } catch {
      throw BundleFault("\(shown(path, limit: 200)) cannot be read: \(error)")
    }
    let names = all.filter { !$0.hasPrefix(".") && $0 != "__pycache__" }
    if names.count > Self.fileLimit || all.count == Self.listLimit { throw BundleFault("it has more than 1,000 files") }
    for name in names.sorted() {
      let below = inner.isEmpty ? name : inner + "/" + name
      var status = stat()
      guard lstat(folder + "/" + below, &status) == 0 else { continue }
      if status.st_mode & S_IFMT == S_IFDIR {
        if folders.count == Self.fileLimit { throw BundleFault("it has more than 1,000 folders") }
        folders.append(below)
        try add(below, in: folder, depth: depth + 1)
      } else if Self.isFile(folder + "/" + below) {
        try read(below, in: folder)
      }
    }
  }

  private mutating func read(_ name: String, in folder: String) throws(BundleFault) {
    if files.count == Self.fileLimit { throw BundleFault("it has more than 1,000 files") }
    do throws(Errno) {
      // Something else may be there by now.
      guard let bytes = try FileDescriptor.contents(ofPlainFile: folder + "/" + name, atMost: Self.sizeLimit - size + 1) else { return }
      size += bytes.count
      files.append(File(name: name, bytes: bytes, isExecutable: access(folder + "/" + name, X_OK) == 0))
    } catch { throw BundleFault("\(shown(name, limit: 200)) cannot be read: \(error)") }
    if size > Self.sizeLimit { throw BundleFault("it has more than 64 MiB") }
  }

  /// Writes the files to a new folder.
  package func write(to folder: String) throws(BundleFault) {
    do throws(Errno) {
      for path in [folder] + folders.map({ folder + "/" + $0 }) { try retrying { mkdir(path, 0o755) } }
      for file in files {
        let permissions: FilePermissions =
          file.isExecutable ? [.ownerReadWriteExecute, .groupReadExecute, .otherReadExecute] : [.ownerReadWrite, .groupRead, .otherRead]
        let descriptor = try FileDescriptor.opening(
          folder + "/" + file.name, .writeOnly, [.create, .exclusiveCreate], permissions: permissions)
        defer { try? descriptor.shut() }
        try descriptor.writeWhole(file.bytes)
      }
    } catch { throw BundleFault("\(shown(folder, limit: 200)) cannot be written: \(error)") }
  }

  static func isFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }
}
