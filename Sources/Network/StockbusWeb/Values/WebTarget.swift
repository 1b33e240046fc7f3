/// The target of a request: the path's segments and the query, both decoded.
package struct WebTarget: Sendable, Hashable {
  /// The path as sent, without the query.
  package let path: String
  /// The parts between the slashes; a slash written as `%2F` is a part of its segment. None for `/`.
  package let segments: [String]
  /// The names and values of the query, in order.
  package let query: [(name: String, value: String)]

  /// The most names of a query.
  static let queryLimit = 64

  /// Nil if it is malformed: no slash at its beginning, a wrong escape, text that is not UTF-8, a control character, a segment `.` or `..`.
  init?(_ text: some StringProtocol) {
    guard text.first == "/" else { return nil }
    let path = text.prefix { $0 != "?" }
    var segments: [String] = []
    for part in path.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
      guard let segment = Self.decoded(part, isQuery: false), segment != ".", segment != ".." else { return nil }
      segments.append(segment)
    }
    if segments.last == "" { segments.removeLast() }
    var query: [(name: String, value: String)] = []
    for pair in text.dropFirst(path.count + 1).split(separator: "&") {
      let name = pair.prefix { $0 != "=" }
      guard query.count < Self.queryLimit, let plain = Self.decoded(name, isQuery: true),
        let value = Self.decoded(pair.dropFirst(name.count + 1), isQuery: true)
      else { return nil }
      query.append((plain, value))
    }
    self.path = String(path)
    self.segments = segments
    self.query = query
  }

  /// The first value of a name in the query.
  package subscript(name: String) -> String? { query.first { $0.name == name }?.value }

  private static func decoded(_ text: some StringProtocol, isQuery: Bool) -> String? {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "%"):
        guard let high = rest.popFirst().flatMap(hexadecimal), let low = rest.popFirst().flatMap(hexadecimal) else { return nil }
        bytes.append(high << 4 | low)
      case UInt8(ascii: "+") where isQuery: bytes.append(32)
      default: bytes.append(byte)
      }
    }
    guard let plain = String(validating: bytes, as: UTF8.self) else { return nil }
    return plain.unicodeScalars.contains { $0.value < 32 || (127..<160).contains($0.value) } ? nil : plain
  }

  package static func == (a: WebTarget, b: WebTarget) -> Bool {
    a.path == b.path && a.query.map(\.name) == b.query.map(\.name) && a.query.map(\.value) == b.query.map(\.value)
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(path) }
}

/// The value of a hexadecimal digit.
func hexadecimal(_ digit: UInt8) -> UInt8? {
  switch digit {
  case 48...57: digit - 48
  case 65...70: digit - 55
  case 97...102: digit - 87
  default: nil
  }
}
