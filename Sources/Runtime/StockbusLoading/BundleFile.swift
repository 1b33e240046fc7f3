internal import StockbusConfig
internal import StockbusPlugin
internal import StockbusSystem

/// A file of options in a bundle: its description or its stamp.
enum BundleFile {
  /// The largest size of such a file.
  static let sizeLimit = 64 << 10

  /// Reads a file of options; throws all problems with their places.
  /// - Parameter missing: the message for a missing file.
  static func read<File: Options>(_ path: String, as _: File.Type = File.self, missing: String) throws(Problems) -> File {
    func failed(_ message: String) -> Problems {
      var problems = Problems()
      problems.add(message, at: ConfigNode.Mark(wholeFile: path))
      return problems
    }
    let contents: [UInt8]?
    do throws(Errno) {
      contents = try FileDescriptor.contents(ofPlainFile: path, atMost: sizeLimit + 1)
    } catch {
      let isMissing = error == .noSuchFileOrDirectory || error == .notDirectory
      throw failed(isMissing ? "no such file; \(missing)" : "cannot be read: \(error)")
    }
    guard let bytes = contents else { throw failed("must be a regular file") }
    if bytes.count > sizeLimit { throw failed("the file is larger than 64 KiB, the limit") }
    let document = YAMLParser.parse(bytes, file: path)
    guard let root = document.root, document.problems.isEmpty else { throw document.problems }
    return try File.decode(root, at: ConfigNode.Mark(file: path, line: 1, column: 1))
  }
}
