/// The first line and the headers of a request or an answer.
struct HTTPHead {
  let firstLine: String
  private let headers: [(name: String, value: String)]

  /// The most bytes a head may have.
  static let limit = 16 << 10

  /// What stands before the empty line; nil where that is no head at all.
  init?(_ bytes: some Collection<UInt8>) {
    guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
    let lines = text.split(separator: "\r\n", omittingEmptySubsequences: false)
    guard let first = lines.first, !first.isEmpty else { return nil }
    firstLine = String(first)
    var headers: [(name: String, value: String)] = []
    for line in lines.dropFirst() {
      guard let colon = line.utf8.firstIndex(of: 58), colon > line.startIndex else { return nil }
      let name = line[..<colon]
      // Blanks around names, and lines that go on, are what requests are smuggled with (RFC 9112, section 5).
      if name.contains(where: \.isWhitespace) { return nil }
      headers.append((name.lowercased(), line[line.index(after: colon)...].trimmingBlanks))
    }
    self.headers = headers
  }

  /// The header's value; several of one name are one list (RFC 9110, section 5.3). Nil where it is not there.
  subscript(name: String) -> String? {
    let values = headers.filter { $0.name == name }.map(\.value)
    return values.isEmpty ? nil : values.joined(separator: ", ")
  }

  /// True where the header is a list with this word in it, in whatever case.
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
