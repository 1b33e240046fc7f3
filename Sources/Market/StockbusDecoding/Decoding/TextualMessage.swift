internal import StockbusPlugin

/// A message as a text: what is compared with the texts that a spec passes over, and how it is named for people.
struct TextualMessage {
  /// Without blanks and a byte order mark around it.
  let bytes: ArraySlice<UInt8>

  init(_ message: UnsafeBufferPointer<UInt8>) {
    // Long ones are compared with nothing; only their beginning matters.
    bytes = Self.trimmed(Array(message.prefix(Self.limit))[...])
  }

  /// Texts to be passed over have at most so many bytes.
  static let limit = 1024

  static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    func isBlank(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }
    var rest = text.starts(with: [0xef, 0xbb, 0xbf]) ? text.dropFirst(3) : text
    rest = rest.drop(while: isBlank)
    while let last = rest.last, isBlank(last) { rest = rest.dropLast() }
    return rest
  }

  /// True for what begins as an object or a list does, and can therefore be a damaged one.
  var beginsAsJSON: Bool { bytes.first == UInt8(ascii: "{") || bytes.first == UInt8(ascii: "[") }

  /// The text if it is short, otherwise only its first bytes, because those that follow may differ each time.
  var name: String {
    let text = String(decoding: bytes.count <= 40 ? bytes : bytes.prefix(12), as: UTF8.self)
    return visible(text, limit: 60) + (bytes.count <= 40 ? "" : "…")
  }
}

extension Verdict {
  /// What a message that is no JSON means for the one who configures its source.
  package static func words(ofNoJSON text: String) -> String {
    if text.isEmpty { return "an empty message is not JSON; if it is a heartbeat, write ignore: [''] in 'decoding'" }
    let hint = text.hasSuffix("…") ? "" : "; if it is a heartbeat, write ignore: [\(text.optionText)] in 'decoding'"
    return "'\(text)' is not JSON\(hint)"
  }
}
