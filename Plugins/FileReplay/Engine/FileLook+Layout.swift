internal import StockbusFiles

/// Hints for files whose layout is not one row on each line.
extension FileLook {
  /// The hint for lines that end with a carriage return alone, as on old Macintoshes.
  static let bareReturns =
    "lines end with a carriage return only, which is not a line end here: tr '\\r' '\\n' < OLD > NEW replaces it by a line feed"

  /// True if there is a carriage return inside a line, outside quotation marks; one before a line feed belongs to the line end.
  static func hasBareReturn(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let base = bytes.baseAddress else { return false }
    var isQuoted = false
    var i = 0
    while i + 1 < bytes.count {
      if base[i] == 34 {
        isQuoted.toggle()
      } else if base[i] == 13, !isQuoted, base[i + 1] != 10, base[i + 1] != 13 {
        return true
      }
      i += 1
    }
    return false
  }

  /// The hint for text that is not UTF-8; empty if it is.
  static func encoding(_ text: some Sequence<UInt8>) -> String {
    String(validating: text, as: UTF8.self) == nil ? "; it is not UTF-8: 'encoding: windows-1252' may read it" : ""
  }

  /// The hint for a file with lines before its header; nil if there are none.
  static func preamble(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
    guard let table = GuessedTable(Array(bytes.prefix(FileGuess.size))), table.skipped > 0, table.header != nil else { return nil }
    let delimiter = table.delimiter == .comma ? "" : " and 'delimiter: \(table.delimiter.optionText)'"
    return "the header seems to be on line \(table.skipped + 1): set 'skip_lines: \(table.skipped)'\(delimiter)"
  }

  /// The hint for a file that begins like a JSON array although CSV rows are expected; nil if it does not.
  static func array(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
    switch opened(bytes, by: 91)?.first {
    case 123:
      return "this looks like a JSON array of objects, but each row must be one object on its own line: jq -c '.[]' < OLD > NEW converts it"
    case 91:
      return
        "this looks like a JSON array of arrays, but each row must be one array on its own line: jq -c '.[]' < OLD > NEW converts it, for "
        + arrayOptions
    case 34?, 45?, (48...57)?: return "this looks like one JSON array a line: set " + arrayOptions
    default: return nil
    }
  }

  private static let arrayOptions = "'format: jsonl' with a place for each field, as in 'columns: { symbol: \"[0]\", price: \"[1]\" }'"

  /// The hint for a malformed JSON row if the file is probably one array, or its objects probably have several lines; empty otherwise.
  static func spread(_ row: UnsafeBufferPointer<UInt8>) -> String {
    if let inner = opened(row, by: 91), inner.first ?? 123 == 123 {
      return "; each row must be one object on its own line: jq -c '.[]' < OLD > NEW converts an array"
    }
    if let inner = opened(row, by: 123), inner.isEmpty {
      return "; each object must be on one line: jq -c . < OLD > NEW converts them"
    }
    return ""
  }

  /// If the first byte that is not a blank is `mark`, the bytes from the next one that is not a blank on.
  private static func opened(_ bytes: UnsafeBufferPointer<UInt8>, by mark: UInt8) -> Slice<UnsafeBufferPointer<UInt8>>? {
    let begun = bytes.drop { $0 <= 32 }
    return begun.first == mark ? begun.dropFirst().drop { $0 <= 32 } : nil
  }
}
