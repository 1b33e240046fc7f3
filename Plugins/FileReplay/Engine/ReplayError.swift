internal import MarketData

/// Why a replay cannot continue, and where: one sentence with file and place.
struct ReplayError: Error, Hashable, Sendable {
  /// The kind of error.
  enum Code: Hashable, Sendable {
    /// The file cannot be opened or read; with the system's reason.
    case unreadable
    /// A compression that is not supported, or text that is not UTF-8.
    case unsupported
    /// The gzip data ends too early or is damaged.
    case badGzip
    /// The header lacks a required column, or has it twice.
    case badColumns
    /// A malformed row, if the caller wants to stop at the first.
    case malformedRow
    /// Options that contradict each other.
    case badOption
    /// The wait for the next bytes of a pipe was ended from outside.
    case halted
  }
  /// A line or a byte in a file, counted from 1.
  enum Place: Hashable, Sendable {
    case line(Int)
    /// A byte of the file before decompression.
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

/// A note about a row: it is no event, or later rows are read in a way that is worth a remark.
enum RowNote: Hashable, Sendable {
  case malformed(MalformedRow)
  case remark(NotedRemark)

  /// The same note with a line number that is larger by `lines`.
  func moved(by lines: Int) -> RowNote {
    switch self {
    case .malformed(var row):
      row.line += lines
      return .malformed(row)
    case .remark(var remark):
      remark.line += lines
      return .remark(remark)
    }
  }
}

/// A remark about how the rows from a line on are read.
struct NotedRemark: Hashable, Sendable, CustomStringConvertible {
  var kind: RowRemark
  var file: String
  /// The line, counted from 1.
  var line: Int
  /// The note in one sentence.
  var text: String

  /// `ticks.csv:17: 'time' is read as seconds since 1970`
  var description: String { "\(file):\(line): \(text)" }
}

/// A malformed row and the reason.
struct MalformedRow: Hashable, Sendable {
  /// How much of a row's text is stored, in bytes.
  static let textLimit = 200
  /// How many of the bytes are searched for carriage returns.
  fileprivate static let returnLimit = 4096

  var file: String
  /// The line it begins on, counted from 1.
  var line: Int
  /// The reason, in one sentence.
  var reason: String
  /// The first 200 bytes; bytes that are not UTF-8 are replaced by U+FFFD.
  var text: String
  /// The row's symbol, if it could be read.
  var symbol: Symbol?
}

extension MalformedRow: CustomStringConvertible {
  /// `ticks.csv:17: 'price' is not a number: '12x'`
  var description: String { "\(file):\(line): \(reason)" }
}

extension MalformedRow {
  /// A malformed row of the reader's current line.
  init(_ reader: borrowing LineReader, file: String, reason: String, symbol: Symbol? = nil) {
    let text = String(decoding: reader.bytes.prefix(Self.textLimit), as: UTF8.self)
    let isSplit = FileLook.hasBareReturn(UnsafeBufferPointer(rebasing: reader.bytes.prefix(Self.returnLimit)))
    let reason = isSplit ? "\(reason); \(FileLook.bareReturns)" : reason
    self.init(file: file, line: reader.line, reason: reason, text: text, symbol: symbol)
  }
}

extension ReplayError {
  /// The same error with a better explanation if the header is wrong because the file has another format; `rows` is the file from the
  /// header on.
  func explained(by rows: UnsafeBufferPointer<UInt8>, as fields: [ReplayField]) -> ReplayError {
    guard code == .badColumns else { return self }
    let preamble = place == .line(1) && message.hasPrefix("no column") ? FileLook.preamble : { _ in nil }
    var error = self
    error.message =
      FileLook.capture(rows, fields) ?? FileLook.array(rows) ?? preamble(rows) ?? message + FileLook.encoding(rows.prefix { $0 != 10 })
    return error
  }

  /// The error for the row at which a replay stops.
  init(malformed row: MalformedRow) {
    self.init(code: .malformedRow, file: row.file, place: .line(row.line), message: row.reason)
  }
}

/// The reaction to a malformed row.
enum MalformedPolicy: String, Hashable, Sendable, CaseIterable {
  /// Continue with the next row.
  case skip
  /// Throw; the events before it have been returned.
  case stop
}
