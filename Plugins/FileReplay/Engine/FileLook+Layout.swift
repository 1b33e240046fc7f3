/// What is said of files that are laid out as no file of rows is.
extension FileLook {
  /// What to do about lines that end as those of old Macintoshes do.
  static let bareReturns =
    "lines end here with a carriage return alone, which ends no line: tr '\\r' '\\n' < OLD > NEW writes line feeds in their place"

  /// True where a carriage return stands inside a line, outside quotation marks: one that a line feed follows belongs to the line's end.
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

  /// What to say of a file that begins as a JSON array does, where rows of CSV are read; nil where it does not.
  static func array(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
    switch opened(bytes, by: 91)?.first {
    case 123:
      return "this looks like a JSON array of objects, and rows are one object a line: jq -c '.[]' < OLD > NEW writes them so"
    case 91:
      return "this looks like a JSON array of arrays, and rows are one array a line: jq -c '.[]' < OLD > NEW writes them so, for "
        + arrayOptions
    case 34?, 45?, (48...57)?: return "this looks like one JSON array a line: set " + arrayOptions
    default: return nil
    }
  }

  private static let arrayOptions = "'format: jsonl' with a place for each field, as in 'columns: { symbol: \"[0]\", price: \"[1]\" }'"

  /// What to say of a JSON row that is none because the file is one array, or its objects go over several lines; empty where neither
  /// is likely.
  static func spread(_ row: UnsafeBufferPointer<UInt8>) -> String {
    if let inner = opened(row, by: 91), inner.first ?? 123 == 123 {
      return "; rows are one object a line: jq -c '.[]' < OLD > NEW writes those of an array so"
    }
    if let inner = opened(row, by: 123), inner.isEmpty {
      return "; an object has to be on one line: jq -c . < OLD > NEW writes each so"
    }
    return ""
  }

  /// Where the first byte that is no blank is `mark`, what stands behind it, from the next such byte on.
  private static func opened(_ bytes: UnsafeBufferPointer<UInt8>, by mark: UInt8) -> Slice<UnsafeBufferPointer<UInt8>>? {
    let begun = bytes.drop { $0 <= 32 }
    return begun.first == mark ? begun.dropFirst().drop { $0 <= 32 } : nil
  }
}
