internal import LibC

/// Finds programs.
package enum ProgramSearch {
  /// The program: a path unchanged, or a name searched along `PATH`; nil if there is no such program.
  package static func find(_ name: String, in environment: [String: String]) -> String? {
    if name.contains("/") { return isProgram(name) ? name : nil }
    let folders = (environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":")
    return folders.lazy.map { "\($0)/\(name)" }.first(where: isProgram)
  }

  private static func isProgram(_ path: String) -> Bool {
    var info = stat()
    return stat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
  }
}
