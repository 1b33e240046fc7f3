internal import MarketData
internal import StockbusDecoding
internal import StockbusFiles
internal import StockbusPlugin

/// How a file of rows is to be read, as its first lines show: what to write in a `file_replay` block.
///
/// The options have been tried on these lines: `rows` is how many of them become events. A guess only looks; it creates no symbols and no
/// events.
package struct FileGuess: Sendable {
  /// An option of `file_replay`.
  package struct Option: Hashable, Sendable {
    package let name: String
    /// The value in YAML, on one line.
    package let value: String
  }
  /// Something that the file does not say.
  package struct Question: Hashable, Sendable {
    /// The option that answers it.
    package let option: String
    /// One sentence, which ends with a question mark.
    package let text: String
    /// Likely answers in YAML, the likeliest first. If `options` has the option too, its value is the first of them.
    package let choices: [String]
  }

  /// The options, without `path`, in the order in which a person writes them. Those that have their default are left out.
  package internal(set) var options: [Option] = []
  package internal(set) var questions: [Question] = []
  /// The names in the header; empty if there is none.
  package internal(set) var columns: [String] = []
  /// How many of the lines become events with these options, if the questions are answered by their first choices.
  package internal(set) var rows = 0
  /// How many do not, besides a header, and why the first does not, with its line: `line 7: 'price' is empty`.
  package internal(set) var refused = 0
  package internal(set) var firstRefusal: String?
  /// The first event in words: `trade AAPL 185.20 x100 @2024-01-02T14:30:00Z`.
  package internal(set) var example: String?
  /// Why the file cannot be read, in one line; nil if it can.
  package internal(set) var problem: String?

  /// How much of a file is looked at, after decompression.
  package static let size = 64 << 10

  init() {}

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
    if let other = lines.withUnsafeBufferPointer({ FileLook.capture($0, []) ?? FileLook.array($0) }) {
      problem = other
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

  /// The block of options, each on a line with this indent.
  package func yaml(indent: Int = 0) -> String {
    options.map { String(repeating: " ", count: indent) + "\($0.name): \($0.value)\n" }.joined()
  }
}
