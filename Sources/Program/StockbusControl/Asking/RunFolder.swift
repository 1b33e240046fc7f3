internal import LibC
internal import StockbusPlugin
internal import StockbusSystem

/// The folder in which the runs of one user have their sockets: `stockbus` in the user's runtime folder (`XDG_RUNTIME_DIR`), or
/// `/tmp/stockbus-UID` where there is none. Only the user can enter it.
package struct RunFolder: Sendable, Hashable {
  package let path: String

  /// The present user's folder, which is created if missing. Throws an `EnvironmentFailure` if it belongs to another user, or other users
  /// may enter it: its owner could take the place of a run.
  package static func own(_ environment: (String) -> String? = { getenv($0).map { String(cString: $0) } }) throws -> RunFolder {
    let user = geteuid()
    if let runtime = environment("XDG_RUNTIME_DIR"), runtime.hasPrefix("/"), fault(runtime, of: user) == nil {
      return try RunFolder(making: runtime + "/stockbus", of: user)
    }
    return try RunFolder(making: "/tmp/stockbus-\(user)", of: user)
  }

  init(making path: String, of user: uid_t) throws {
    if mkdir(path, 0o700) != 0, errno != EEXIST {
      throw EnvironmentFailure("\(path): \(String(cString: strerror(errno)))", isPermanent: true)
    }
    if let fault = Self.fault(path, of: user) { throw EnvironmentFailure("\(path): \(fault)", isPermanent: true) }
    self.path = path
  }

  /// The reason not to use a folder; nil if it belongs to the user alone.
  private static func fault(_ path: String, of user: uid_t) -> String? {
    var status = stat()
    if lstat(path, &status) != 0 { return String(cString: strerror(errno)) }
    if status.st_mode & S_IFMT != S_IFDIR { return "no folder" }
    if status.st_uid != user { return "belongs to another user" }
    return status.st_mode & 0o077 == 0 ? nil : "other users may enter it"
  }

  /// Where the run of a process listens.
  package func socket(of process: Int) -> String { "\(path)/\(process).sock" }

  /// The sockets in the folder with their processes, by number; a killed process may leave its socket behind.
  package var sockets: [(process: Int, path: String)] {
    var found: [(Int, String)] = []
    for name in (try? FolderListing.names(path)) ?? [] {
      guard name.hasSuffix(".sock"), let process = Int(name.dropLast(5)), process > 0, process <= Int(pid_t.max) else { continue }
      found.append((process, "\(path)/\(name)"))
    }
    return found.sorted { $0.0 < $1.0 }
  }
}
