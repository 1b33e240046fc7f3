/// The lines of a CSV text (RFC 4180), field by field, with the place of each. A quoted field must end on its line.
struct CSVLines {
  /// One field: its text without quotation marks, and its column.
  struct Field {
    let text: String
    /// Counted from 1, in Unicode scalars.
    let column: Int
  }

  /// Why a line cannot be read.
  struct Fault: Error {
    let message: String
    /// Counted from 1, in Unicode scalars.
    let column: Int
  }

  private let bytes: [UInt8]
  private var at: Int
  /// The number of the line last read, counted from 1.
  private(set) var line = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    // Some editors write a byte order mark, which is not part of the first name.
    at = bytes.starts(with: [0xef, 0xbb, 0xbf]) ? 3 : 0
  }

  var isAtEnd: Bool { at >= bytes.count }

  /// The fields of the next line, at most `limit`; empty for an empty line. Lines end with a line feed, or with a carriage return before it.
  mutating func next(atMost limit: Int) throws(Fault) -> [Field] {
    line += 1
    let start = at
    var end = start
    while end < bytes.count, bytes[end] != 10 { end += 1 }
    at = end + 1
    if end > start, bytes[end - 1] == 13 { end -= 1 }
    if start == end { return [] }
    var fields: [Field] = []
    var from = start
    while true {
      guard fields.count < limit else { throw fault("more than \(limit) columns, the limit", start, from) }
      let (field, next) = try field(from, start, end)
      fields.append(field)
      if next == end { return fields }
      from = next + 1
    }
  }

  /// The field at `from` of the line from `start` to `end`, and where the field ends: at a comma or at the line's end.
  private func field(_ from: Int, _ start: Int, _ end: Int) throws(Fault) -> (Field, Int) {
    guard from < end, bytes[from] == 34 else {
      var to = from
      while to < end, bytes[to] != 44 { to += 1 }
      return (Field(text: try text(bytes[from..<to], start, from), column: column(start, from)), to)
    }
    var content: [UInt8] = []
    var to = from + 1
    while to < end {
      if bytes[to] != 34 {
        content.append(bytes[to])
        to += 1
      } else if to + 1 < end, bytes[to + 1] == 34 {
        content.append(34)
        to += 2
      } else {
        let next = to + 1
        guard next == end || bytes[next] == 44 else { throw fault("a comma is expected after the quotation mark", start, next) }
        return (Field(text: try text(content[...], start, from), column: column(start, from)), next)
      }
    }
    throw fault("the quotation mark is not closed on this line", start, from)
  }

  private func text(_ bytes: ArraySlice<UInt8>, _ start: Int, _ from: Int) throws(Fault) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else { throw fault("not UTF-8; save the file as UTF-8", start, from) }
    return text
  }

  private func fault(_ message: String, _ start: Int, _ place: Int) -> Fault { Fault(message: message, column: column(start, place)) }

  /// The column of a byte; bytes that continue a character are not counted.
  private func column(_ start: Int, _ place: Int) -> Int { 1 + bytes[start..<place].count { $0 & 0xc0 != 0x80 } }
}
