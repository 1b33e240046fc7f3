internal import MarketData
internal import StockbusDecoding
package import StockbusFiles
internal import StockbusPlugin

extension FileGuess {
  /// How much of a file is looked at, after decompression.
  package static let size = 64 << 10

  /// Looks at a plain file, which may be gzip.
  package init(path: String) {
    self.init(.head(path, Self.size), name: String(path.split(separator: "/").last ?? ""))
  }

  /// `name` is that of the file, for its symbol; times after `now` are unlikely.
  init(_ contents: ReplayContents, name: String, now: Timestamp = Timestamp(ns: .max)) {
    self.init()
    do throws(ReplayError) {
      var encoding = TextEncoding.utf8
      var lines = try Self.lines(contents, encoding)
      if lines.contains(0) { encoding = .utf16 } else if String(validating: lines, as: UTF8.self) == nil { encoding = .windows1252 }
      if encoding != .utf8 { lines = try Self.lines(contents, encoding) }
      look(at: lines, encoding, name, now)
    } catch { problem = error.place == nil ? "it \(error.message)" : "\(error)" }
  }

  private mutating func look(at lines: [UInt8], _ encoding: TextEncoding, _ name: String, _ now: Timestamp) {
    guard let first = lines.first(where: { $0 > 32 }) else {
      problem = "it has no rows"
      return
    }
    if let capture = lines.withUnsafeBufferPointer({ FileLook.capture($0, []) }) {
      (problem, isCapture) = (capture, true)
    } else if let array = lines.withUnsafeBufferPointer({ FileLook.array($0) }) {
      problem = array
    } else if first == 123 {
      problem = "it has JSON lines, which need no options for their rows"
    } else {
      self = GuessedRows(lines, encoding, name: name, now: now).guess
    }
  }

  /// The first lines of a file in UTF-8; the last only if it is complete.
  private static func lines(_ contents: ReplayContents, _ encoding: TextEncoding) throws(ReplayError) -> [UInt8] {
    var stream = try ByteStream(contents, name: "file", blockSize: size, encoding: encoding)
    var lines = [UInt8](repeating: 0, count: size)
    var count = 0
    while count < size {
      let got = try lines.withUnsafeMutableBufferPointer { buffer in
        Result { () throws(ReplayError) in
          try stream.read(into: buffer.baseAddress.unsafelyUnwrapped + count, capacity: size - count)
        }
      }.get()
      if got == 0 { break }
      count += got
    }
    lines.removeLast(size - count)
    let isWhole = count < size && stream.size.map { $0 <= size } ?? false
    if !isWhole, let end = lines.lastIndex(of: 10) { lines.removeLast(count - end - 1) }
    return lines
  }
}
