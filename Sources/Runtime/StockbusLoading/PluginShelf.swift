internal import LibC
internal import StockbusPlugin
internal import StockbusSystem

/// A folder of bundles to which plugins are added, and from which they are removed.
package struct PluginShelf: Sendable {
  package let path: String

  package init(_ path: String) { self.path = path }

  package func bundle(_ name: String) -> String { path + "/" + name + PluginFolders.ending }

  /// Installs a plugin. One of the same name is replaced completely, or, if an error occurs, not at all.
  /// - Returns: true if a plugin was replaced.
  package func install(_ copy: FolderCopy, as name: String) throws(BundleFault) -> Bool {
    try make()
    let (new, old) = (path + "/.\(name).new-\(getpid())", path + "/.\(name).old-\(getpid())")
    Self.remove(new)
    do throws(BundleFault) { try copy.write(to: new) } catch {
      Self.remove(new)
      throw error
    }
    let hadOne = rename(bundle(name), old) == 0
    if rename(new, bundle(name)) != 0 {
      let error = Errno(rawValue: errno)
      if hadOne { rename(old, bundle(name)) }
      Self.remove(new)
      throw BundleFault("\(shown(bundle(name), limit: 200)) cannot be written: \(error)")
    }
    if hadOne { Self.remove(old) }
    return hadOne
  }

  /// Removes a plugin; returns false if there is none.
  package func remove(_ name: String) throws(BundleFault) -> Bool {
    let old = path + "/.\(name).old-\(getpid())"
    if rename(bundle(name), old) != 0 {
      if errno == ENOENT { return false }
      throw BundleFault("\(shown(bundle(name), limit: 200)) cannot be removed: \(Errno(rawValue: errno))")
    }
    Self.remove(old)
    return true
  }

  /// Creates the folder, and those around it.
  private func make() throws(BundleFault) {
    var inner = ""
    for part in path.split(separator: "/") {
      inner += "/" + part
      if PluginFolders.isFolder(inner) { continue }
      if mkdir(inner, 0o755) != 0, errno != EEXIST {
        throw BundleFault("\(shown(inner, limit: 200)) cannot be made: \(Errno(rawValue: errno))")
      }
    }
  }

  /// Removes a file, or a folder with its contents; follows no links. What cannot be removed stays, under a name that is never used.
  static func remove(_ path: String, depth: Int = 0) {
    var status = stat()
    guard lstat(path, &status) == 0, depth <= FolderCopy.depthLimit + 1 else { return }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      unlink(path)
      return
    }
    for name in (try? FolderListing.names(path)) ?? [] { remove(path + "/" + name, depth: depth + 1) }
    rmdir(path)
  }
}
