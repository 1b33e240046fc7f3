/// The first line and the headers of a request or a response.
struct HTTPHead {
  let firstLine: String
  private let headers: [(name: String, value: String)]

  /// The largest head in bytes.
  static let limit = 16 << 10

  /// Parses the bytes before the empty line; nil if they are not a head.
  init?(_ bytes: some Collection<UInt8>) {
    guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
    let lines = text.split(separator: "\r\n", omittingEmptySubsequences: false)
    guard let first = lines.first, !first.isEmpty else { return nil }
    firstLine = String(first)
    var headers: [(name: String, value: String)] = []
    for line in lines.dropFirst() {
      guard let colon = line.utf8.firstIndex(of: 58), colon > line.startIndex else { return nil }
      let name = line[..<colon]
      // Blanks around names, and continuation lines, are used for request smuggling (RFC 9112, section 5).
      if name.contains(where: \.isWhitespace) { return nil }
      headers.append((name.lowercased(), line[line.index(after: colon)...].trimmingBlanks))
    }
    self.headers = headers
  }

  /// The value of a header; several of the same name form one list (RFC 9110, section 5.3). Nil if there is none.
  subscript(name: String) -> String? {
    let values = headers.filter { $0.name == name }.map(\.value)
    return values.isEmpty ? nil : values.joined(separator: ", ")
  }

  /// The first value of a header that is not a list.
  func first(_ name: String) -> String? { headers.first { $0.name == name }?.value }

  /// True if the header is a list that contains this word, in any case.
  func has(_ word: String, in name: String) -> Bool {
    (self[name] ?? "").split(separator: ",").contains { $0.trimmingBlanks.lowercased() == word }
  }
}

extension Substring {
  fileprivate var trimmingBlanks: String {
    var rest = self
    while let first = rest.first, first == " " || first == "\t" { rest = rest.dropFirst() }
    while let last = rest.last, last == " " || last == "\t" { rest = rest.dropLast() }
    return String(rest)
  }
}
