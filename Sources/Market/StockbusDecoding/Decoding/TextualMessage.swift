internal import StockbusPlugin

/// A message as a text, for comparison with the texts that a spec ignores, and for naming it in reports.
struct TextualMessage {
  /// The bytes without a byte order mark and surrounding blanks.
  let bytes: ArraySlice<UInt8>

  init(_ message: UnsafeBufferPointer<UInt8>) {
    // A longer text equals no ignored text; only its beginning matters.
    bytes = Self.trimmed(Array(message.prefix(Self.limit))[...])
  }

  /// The most bytes of a text that can be ignored.
  static let limit = 1024

  static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    func isBlank(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }
    var rest = text.starts(with: [0xef, 0xbb, 0xbf]) ? text.dropFirst(3) : text
    rest = rest.drop(while: isBlank)
    while let last = rest.last, isBlank(last) { rest = rest.dropLast() }
    return rest
  }

  /// True if the text begins like an object or a list, and may therefore be a damaged one.
  var beginsAsJSON: Bool { bytes.first == UInt8(ascii: "{") || bytes.first == UInt8(ascii: "[") }

  /// The text if it is short, otherwise only its first bytes, because later bytes may differ each time.
  var name: String {
    let text = String(decoding: bytes.count <= 40 ? bytes : bytes.prefix(12), as: UTF8.self)
    return visible(text, limit: 60) + (bytes.count <= 40 ? "" : "…")
  }
}

extension MessageOutcome {
  /// The meaning of a message that is not JSON, for the user who configures its source.
  package static func words(ofNoJSON text: String) -> String {
    if text.isEmpty { return "an empty message is not JSON; if it is a heartbeat, write ignore: [''] in 'decoding'" }
    let hint = text.hasSuffix("…") ? "" : "; if it is a heartbeat, write ignore: [\(text.optionText)] in 'decoding'"
    return "'\(text)' is not JSON\(hint)"
  }
}
