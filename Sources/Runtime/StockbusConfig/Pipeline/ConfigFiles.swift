import LibC
import StockbusPlugin
import StockbusSystem

/// The file-system access of the loader. Problems name the path concerned.
enum ConfigFiles {
  /// The identity of a file, the same for all paths that lead to it.
  struct Identity: Hashable {
    let device: UInt64
    let inode: UInt64
  }

  /// The files that `path` stands for: itself, or the `*.yaml` and `*.yml` files of a folder in order of their names, without hidden files,
  /// tests (`*.test.yaml`) and sub-folders.
  static func expand(_ path: String, limits: ConfigLimits) throws(Problem) -> [String] {
    let path = path == "-" ? "/dev/stdin" : path
    let found: stat
    do throws(Errno) { found = try status(path) } catch { throw missing(path, error) }
    guard isFolder(found) else { return [path] }
    let folder = path.hasSuffix("/") ? path : path + "/"
    let names = try names(in: path).filter { isYAML($0) && !((try? status(folder + $0)).map(isFolder) ?? false) }
    for name in names {
      // Reading a pipe or a device might never end.
      if let found = try? status(folder + name), found.st_mode & S_IFMT != S_IFREG { throw problem("is not a regular file", folder + name) }
    }
    if names.isEmpty { throw problem("the folder holds no .yaml or .yml file", path) }
    if names.count > limits.filesPerFolder {
      throw problem("the folder holds more than \(ConfigLimits.grouped(limits.filesPerFolder)) YAML files, the limit", path)
    }
    return names.sorted().map { folder + $0 }
  }

  /// Throws for a name such as `t.csv`: the file is probably meant as input, and YAML errors about it would not help.
  static func refuseData(_ path: String) throws(Problem) {
    let endings = [".csv", ".tsv", ".jsonl", ".ndjson", ".gz", ".zip", ".zst", ".bz2", ".xz", ".xlsx", ".parquet"]
    guard endings.contains(where: path.lowercased().hasSuffix) else { return }
    let name = path.contains { ",[]{}:#\"'".contains($0) } ? JSONValue.string(path).description : path
    throw problem(
      "is data, not a configuration; in a configuration a source reads it: sources: { prices: { plugin: file_replay, path: \(visible(name, limit: 200)) } }",
      path)
  }

  /// The bytes of a file, at most one more than the limit, so that the parser notices that there are too many.
  static func read(_ path: String, limits: ConfigLimits) throws(Problem) -> [UInt8] {
    do throws(Errno) { return try contents(path, atMost: limits.fileBytes + 1) } catch { throw missing(path, error) }
  }

  /// The first `limit` bytes of a file.
  static func contents(_ path: String, atMost limit: Int) throws(Errno) -> [UInt8] {
    let file = try FileDescriptor.opening(path, .readOnly)
    defer { try? file.shut() }
    return try file.readToEnd(atMost: limit)
  }

  /// Nil if there is no such file.
  static func identity(_ path: String) -> Identity? {
    (try? status(path)).map { Identity(device: UInt64(truncatingIfNeeded: $0.st_dev), inode: UInt64($0.st_ino)) }
  }

  private static func isYAML(_ name: String) -> Bool {
    guard !name.hasPrefix("."), name.hasSuffix(".yaml") || name.hasSuffix(".yml") else { return false }
    return !name.hasSuffix(".test.yaml") && !name.hasSuffix(".test.yml")
  }

  private static func isFolder(_ status: stat) -> Bool { status.st_mode & S_IFMT == S_IFDIR }

  static func status(_ path: String) throws(Errno) -> stat {
    var result = stat()
    try retrying { stat(path, &result) }
    return result
  }

  /// The names in a folder; empty if it cannot be read.
  static func names(inFolder folder: String) -> [String] { (try? names(in: folder)) ?? [] }

  private static func names(in folder: String) throws(Problem) -> [String] {
    do throws(Errno) { return try FolderListing.names(folder) } catch { throw unreadable(folder, error) }
  }

  private static func problem(_ message: String, _ path: String) -> Problem {
    Problem(message, at: ConfigNode.Mark(wholeFile: path))
  }

  private static func unreadable(_ path: String, _ error: Errno) -> Problem { problem("cannot be read: \(error)", path) }

  /// The system's error; for a missing file with the YAML file of the same folder that was probably meant.
  private static func missing(_ path: String, _ error: Errno) -> Problem {
    guard error == .noSuchFileOrDirectory else { return unreadable(path, error) }
    let slash = path.lastIndex(of: "/")
    let folder = slash.map { String(path[...$0]) } ?? ""
    let name = slash.map { String(path[path.index(after: $0)...]) } ?? path
    let files = (try? names(in: folder.isEmpty ? "." : folder)) ?? []
    if files.contains(name) { return problem("a link to a file that does not exist", path) }
    return problem("no such file or folder" + didYouMean(name, among: files.filter(isYAML)), path)
  }
}
