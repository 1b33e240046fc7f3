internal import MarketData

/// Why a replay cannot go on, and where: one sentence with file and place.
struct ReplayError: Error, Hashable, Sendable {
  /// What is wrong.
  enum Code: Hashable, Sendable {
    /// The file cannot be opened or read; the system said why.
    case unreadable
    /// Compressed in a way that is not read, or not in UTF-8.
    case unsupported
    /// The gzip data ends too early or is damaged.
    case badGzip
    /// The header lacks a column that is needed, or names it twice.
    case badColumns
    /// A malformed row, where the caller wants to stop at the first.
    case malformedRow
    /// Options that contradict each other.
    case badOption
    /// Waiting for the next bytes of a pipe was ended from outside.
    case halted
  }
  /// A place in a file, both counted from 1.
  enum Place: Hashable, Sendable {
    case line(Int)
    /// Of the file as it lies on the disk, before decompression.
    case byte(Int)
  }
  var code: Code
  var file: String
  var place: Place?
  var message: String
}

extension ReplayError: CustomStringConvertible {
  /// `ticks.csv:3: …`, `ticks.csv.gz: byte 812: …`
  var description: String {
    switch place {
    case .line(let line): "\(file):\(line): \(message)"
    case .byte(let byte): "\(file): byte \(byte): \(message)"
    case nil: "\(file): \(message)"
    }
  }
}

/// A row that is no event, and why.
struct MalformedRow: Hashable, Sendable {
  /// How much of a row's text is kept, in bytes.
  static let textLimit = 200
  /// How much of it is looked through for carriage returns.
  fileprivate static let returnLimit = 4096

  var file: String
  /// The line it begins on, counted from 1.
  var line: Int
  /// One sentence.
  var reason: String
  /// The first 200 bytes as they came; what is not UTF-8 is shown by U+FFFD.
  var text: String
  /// The symbol it is about, where that could be read.
  var symbol: Symbol?
}

extension MalformedRow: CustomStringConvertible {
  /// `ticks.csv:17: 'price' is not a number: '12x'`
  var description: String { "\(file):\(line): \(reason)" }
}

extension MalformedRow {
  /// The reader's present line.
  init(_ reader: borrowing LineReader, file: String, reason: String, symbol: Symbol? = nil) {
    let text = String(decoding: reader.bytes.prefix(Self.textLimit), as: UTF8.self)
    let isSplit = FileLook.hasBareReturn(UnsafeBufferPointer(rebasing: reader.bytes.prefix(Self.returnLimit)))
    let reason = isSplit ? "\(reason); \(FileLook.bareReturns)" : reason
    self.init(file: file, line: reader.line, reason: reason, text: text, symbol: symbol)
  }
}

extension ReplayError {
  /// The same, said better where a header is wrong because the file is no such file at all: `rows` is it from the header on.
  func explained(by rows: UnsafeBufferPointer<UInt8>, as fields: [ReplayField]) -> ReplayError {
    guard code == .badColumns, let message = FileLook.capture(rows, fields) ?? FileLook.array(rows) else { return self }
    var error = self
    error.message = message
    return error
  }

  /// The row that a replay stops at.
  init(malformed row: MalformedRow) {
    self.init(code: .malformedRow, file: row.file, place: .line(row.line), message: row.reason)
  }
}

/// What a caller wants after a malformed row.
enum MalformedPolicy: String, Hashable, Sendable, CaseIterable {
  /// Go on with the next row.
  case skip
  /// Throw; the events before it have been handed out.
  case stop
}
