/// The separator of the fields in a row.
enum Delimiter: UInt8, Hashable, Sendable, CaseIterable {
  case comma = 44
  case semicolon = 59
  case tab = 9
  case pipe = 124

  /// The delimiter written as itself or by name: `,`, `comma`, `;`, `semicolon`, a tab, `tab`, `|`, `pipe`.
  init?(_ text: String) {
    switch text {
    case ",", "comma": self = .comma
    case ";", "semicolon": self = .semicolon
    case "\t", "tab", "\\t": self = .tab
    case "|", "pipe": self = .pipe
    default: return nil
    }
  }
}

/// How a file of delimited rows is laid out.
struct CSVFormat: Hashable, Sendable {
  var delimiter = Delimiter.comma
  /// True if the first row names the columns.
  var hasHeader = true
  /// The number of lines before the header or the first row.
  var skipped = 0
  /// Lines that begin with one of these texts are no rows.
  var ignored: [[UInt8]] = []
  /// Rows with more fields than this are malformed.
  static let columnLimit = 4096

  /// True if the file begins with lines that are no rows.
  var hasBeginning: Bool { hasHeader || skipped > 0 }

  func ignores(_ line: some Sequence<UInt8>) -> Bool { ignored.contains { line.starts(with: $0) } }
}

/// The column of a field.
enum ColumnReference: Hashable, Sendable {
  case name(String)
  /// Counted from 1.
  case number(Int)

  /// A text of digits only is a number, any other text is a name.
  init(_ text: String) {
    if !text.isEmpty, text.utf8.count < 10, text.utf8.allSatisfy({ $0 &- 48 < 10 }), let number = Int(text) {
      self = .number(number)
    } else {
      self = .name(text)
    }
  }
}
