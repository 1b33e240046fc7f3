import StockbusPlugin

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The file system as the loader needs it; problems stand at the beginning of the path they are about.
enum ConfigFiles {
  /// What makes two paths one file.
  struct Identity: Hashable {
    let device: UInt64
    let inode: UInt64
  }

  /// The files that `path` stands for: itself, or the `*.yaml` and `*.yml` of a folder by name, without hidden ones and sub-folders.
  static func expand(_ path: String, limits: ConfigLimits) throws(Problem) -> [String] {
    let path = path == "-" ? "/dev/stdin" : path
    guard let status = status(path) else { throw missing(path) }
    guard isFolder(status) else { return [path] }
    let folder = path.hasSuffix("/") ? path : path + "/"
    let names = try names(in: path).filter { isYAML($0) && !(self.status(folder + $0).map(isFolder) ?? false) }
    if names.isEmpty { throw problem("the folder holds no .yaml or .yml file", path) }
    if names.count > limits.filesPerFolder {
      throw problem("the folder holds more than \(ConfigLimits.grouped(limits.filesPerFolder)) YAML files, the limit", path)
    }
    return names.sorted().map { folder + $0 }
  }

  /// Throws for a file with the name of a data file, such as `t.csv`: it is meant as input, and its YAML errors would not help.
  static func refuseData(_ path: String) throws(Problem) {
    let endings = [".csv", ".tsv", ".jsonl", ".ndjson", ".gz", ".zip", ".zst", ".bz2", ".xz", ".xlsx", ".parquet"]
    guard endings.contains(where: path.lowercased().hasSuffix) else { return }
    let name = path.contains { ",[]{}:#\"'".contains($0) } ? JSONValue.string(path).description : path
    throw problem(
      "is data and no configuration; in a configuration a source reads it: sources: { prices: { plugin: file_replay, path: \(visible(name, limit: 200)) } }",
      path)
  }

  /// The bytes of a file, one more than the limit at most, so that the parser sees that there are too many.
  static func read(_ path: String, limits: ConfigLimits) throws(Problem) -> [UInt8] {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw errno == ENOENT ? missing(path) : unreadable(path) }
    defer { close(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    while bytes.count <= limits.fileBytes {
      let count = chunk.withUnsafeMutableBytes { buffer in
        #if canImport(Glibc)
        Glibc.read(file, buffer.baseAddress, buffer.count)
        #elseif canImport(Musl)
        Musl.read(file, buffer.baseAddress, buffer.count)
        #else
        Darwin.read(file, buffer.baseAddress, buffer.count)
        #endif
      }
      if count < 0, errno == EINTR { continue }
      if count < 0 { throw unreadable(path) }
      if count == 0 { break }
      bytes += chunk[..<count]
    }
    return bytes
  }

  /// Nil where there is no such file.
  static func identity(_ path: String) -> Identity? {
    status(path).map { Identity(device: UInt64(truncatingIfNeeded: $0.st_dev), inode: UInt64($0.st_ino)) }
  }

  private static func isYAML(_ name: String) -> Bool { !name.hasPrefix(".") && (name.hasSuffix(".yaml") || name.hasSuffix(".yml")) }

  private static func isFolder(_ status: stat) -> Bool { status.st_mode & S_IFMT == S_IFDIR }

  private static func status(_ path: String) -> stat? {
    var result = stat()
    return stat(path, &result) == 0 ? result : nil
  }

  /// The names in a folder; none where it cannot be read.
  static func names(inFolder folder: String) -> [String] { (try? names(in: folder)) ?? [] }

  private static func names(in folder: String) throws(Problem) -> [String] {
    guard let stream = opendir(folder) else { throw unreadable(folder) }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      // The name ends with a zero inside of its field.
      names.append(withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
    }
    return names
  }

  private static func problem(_ message: String, _ path: String) -> Problem {
    Problem(message, at: ConfigNode.Mark(file: path, line: 1, column: 1))
  }

  private static func unreadable(_ path: String) -> Problem { problem("cannot be read: \(String(cString: strerror(errno)))", path) }

  /// With the YAML file of the same folder that was probably meant.
  private static func missing(_ path: String) -> Problem {
    guard errno == ENOENT else { return unreadable(path) }
    let slash = path.lastIndex(of: "/")
    let folder = slash.map { String(path[...$0]) } ?? ""
    let name = slash.map { String(path[path.index(after: $0)...]) } ?? path
    let files = (try? names(in: folder.isEmpty ? "." : folder)) ?? []
    if files.contains(name) { return problem("a link to a file that does not exist", path) }
    return problem("no such file or folder" + didYouMean(name, among: files.filter(isYAML)), path)
  }
}
