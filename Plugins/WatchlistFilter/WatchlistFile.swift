internal import LibC

internal import StockbusFiles
internal import StockbusPlugin

/// Why a watchlist file cannot be used.
struct WatchlistError: Error, CustomStringConvertible {
  let path: String
  var line: Int?
  let message: String

  var description: String { "\(path)\(line.map { ":\($0)" } ?? ""): \(message)" }
}

extension WatchlistMatcher {
  /// The largest size of a watchlist file, in bytes.
  static let largestFile = 64 << 20

  /// Reads the entries of a file, one on each line; `#` begins a comment. Errors name the line. With `halt` a pipe is read to its end,
  /// unless `halt` stops that earlier; without it a pipe is refused.
  static func read(_ path: String, until halt: Halt? = nil) throws(WatchlistError) -> [String] {
    var bytes: [UInt8] = []
    do throws(InputDescriptor.Failure) {
      let file = try InputDescriptor(path, halt: halt ?? Halt())
      if file.isLive, halt == nil { throw InputDescriptor.Failure.system(ESPIPE) }
      var block = [UInt8](repeating: 0, count: 1 << 16)
      while true {
        let count = try file.read(into: &block, capacity: block.count)
        if count == 0 { break }
        bytes += block[..<count]
        if bytes.count > largestFile { break }
      }
    } catch { throw WatchlistError(path: path, message: error.text) }
    if bytes.count > largestFile { throw WatchlistError(path: path, message: "larger than 64 MiB") }
    return try entries(bytes, path: path)
  }

  /// The fault in the first lines of a plain file, as the end of a sentence that names the file.
  static func fault(inFile path: String) -> String? {
    var bytes = [UInt8](repeating: 0, count: 1 << 14)
    var count = 0
    do throws(InputDescriptor.Failure) {
      let file = try InputDescriptor(path, halt: Halt())
      if file.size == nil { return nil }
      count = try bytes.withUnsafeMutableBufferPointer { buffer in
        Result { () throws(InputDescriptor.Failure) in
          try file.read(into: buffer.baseAddress.unsafelyUnwrapped, capacity: buffer.count)
        }
      }.get()
    } catch { return nil }
    // Only the complete lines of the bytes that were read.
    let lines = bytes[..<count].lastIndex(of: 10).map { Array(bytes[...$0]) } ?? []
    do throws(WatchlistError) { _ = try entries(lines, path: path) } catch {
      return error.line.map { "line \($0): \(error.message)" } ?? "which is \(error.message)"
    }
    return nil
  }

  static func entries(_ bytes: [UInt8], path: String) throws(WatchlistError) -> [String] {
    // Some editors write a byte order mark, which is not part of the first symbol.
    let bytes = bytes.starts(with: [0xef, 0xbb, 0xbf]) ? bytes.dropFirst(3) : bytes[...]
    guard let text = String(validating: bytes, as: UTF8.self) else { throw WatchlistError(path: path, message: "not UTF-8") }
    var entries: [String] = []
    for (i, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
      let entry = line.prefix { $0 != "#" }.trimmed
      if entry.isEmpty { continue }
      if let reason = fault(in: entry) { throw WatchlistError(path: path, line: i + 1, message: "'\(entry)': \(reason)") }
      entries.append(entry)
    }
    return entries
  }
}

extension Substring {
  var trimmed: String {
    var rest = self
    while let first = rest.first, first.isWhitespace { rest.removeFirst() }
    while let last = rest.last, last.isWhitespace { rest.removeLast() }
    return String(rest)
  }
}
