internal import NIOCore

/// The headers of a message: a status, if the server itself has sent the message, and fields.
///
/// The names of fields are compared with regard to case, as in servers.
package struct NATSHeaders: Sendable {
  private let bytes: ByteBuffer

  init(_ bytes: ByteBuffer) { self.bytes = bytes }

  /// The status in the first line, such as 503 (no responder), 404 (no messages), 408 (the request has expired), 409 (refused).
  package var status: Int? {
    let line = firstLine
    guard line.utf8.count >= 12 else { return nil }
    return Int(line.dropFirst(9).prefix(3))
  }

  /// The words after the status.
  package var statusText: String {
    status == nil ? "" : String(firstLine.dropFirst(12)).trimmedBlanks
  }

  private var firstLine: String { lines.first ?? "" }

  /// The first value of a field.
  package func value(_ name: String) -> String? {
    let prefix = name + ":"
    for line in lines.dropFirst() where line.utf8.starts(with: prefix.utf8) {
      return String(decoding: line.utf8.dropFirst(prefix.utf8.count), as: UTF8.self).trimmedBlanks
    }
    return nil
  }

  private var lines: [String] {
    bytes.readableBytesView.split(separator: 10).map { line in
      String(decoding: line.last == 13 ? line.dropLast() : line, as: UTF8.self)
    }
  }
}

extension String {
  fileprivate var trimmedBlanks: String {
    let front = drop { $0 == " " || $0 == "\t" }
    let tail = front.reversed().prefix { $0 == " " || $0 == "\t" }.count
    return String(front.dropLast(tail))
  }
}
