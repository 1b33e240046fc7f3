internal import NIOCore

/// The contents of bytes that may be compressed by gzip, zlib or bare deflate, like some venues' messages and some servers' documents.
///
/// gzip and zlib are recognised by their headers. Bare deflate has none, so it is tried if the bytes are not JSON, and accepted if all of
/// it decompresses to possible text.
package enum CompressedContents {
  /// The bytes are not compressed.
  case plain
  case contents([UInt8])
  /// The bytes are compressed and damaged, or too large; with the reason.
  case unreadable(String)

  /// - Parameter limit: the largest accepted contents, in bytes.
  package init(of bytes: UnsafeBufferPointer<UInt8>, limit: Int) {
    guard let form = Self.form(bytes) else {
      self = .plain
      return
    }
    guard let inflater = Inflater(form) else {
      self = .unreadable("no memory for decompression")
      return
    }
    do throws(Inflater.Fault) {
      let contents = Array(try inflater.whole(UnsafeRawBufferPointer(bytes), limit: limit).readableBytesView)
      if form == .bare, contents.isEmpty || !contents.isText { self = .plain } else { self = .contents(contents) }
    } catch {
      // Two letters may look like the header of zlib, and bare deflate has none.
      if form == .bare || form == .zlib && Array(bytes).isText {
        self = .plain
        return
      }
      switch error {
      case .damaged(let words): self = .unreadable("\(form) that is damaged: \(words)")
      case .endsTooEarly: self = .unreadable("\(form) that ends too early")
      case .tooLarge: self = .unreadable("\(form) of more than \(limit) bytes, the limit, once it is decompressed")
      }
    }
  }

  /// The possible compressed form of the bytes; nil if they begin as text does.
  private static func form(_ bytes: UnsafeBufferPointer<UInt8>) -> Inflater.Form? {
    guard bytes.count >= 2 else { return nil }
    if bytes[0] == 0x1f, bytes[1] == 0x8b { return .gzip }
    // RFC 1950, section 2.2: the method is 8, and the two bytes are a multiple of 31.
    if bytes[0] & 0x0f == 8, bytes[0] >> 4 <= 7, (Int(bytes[0]) << 8 | Int(bytes[1])) % 31 == 0 { return .zlib }
    // These bytes begin a JSON text, and no bare deflate that becomes one.
    switch bytes[0] {
    case 0x20, 0x09, 0x0a, 0x7b, 0x5b, 0x22, 0xef: return nil
    default: return .bare
    }
  }
}

extension [UInt8] {
  /// True if the bytes may be text: UTF-8 without control characters except tabs and line ends.
  fileprivate var isText: Bool {
    allSatisfy { $0 >= 32 && $0 != 127 || $0 == 9 || $0 == 10 || $0 == 13 } && (try? UTF8Span(validating: span)) != nil
  }
}

extension WebSocketMessage {
  /// The contents of a binary message if it is compressed; at most `limit` bytes.
  package func decompressed(limit: Int) -> CompressedContents { withBytes { CompressedContents(of: $0, limit: limit) } }

  /// True if a binary message begins like JSON, or may be another text.
  package var isText: Bool {
    withBytes { $0.first == UInt8(ascii: "{") || $0.first == UInt8(ascii: "[") || Array($0).isText }
  }

  /// The message's first bytes for users: `0a 12 08 …`.
  package var hexadecimal: String {
    let shown = payload.readableBytesView.prefix(32).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
    return count > 32 ? shown + " …" : shown
  }

  /// A binary message of these bytes.
  package init(binary bytes: [UInt8]) { self.init(.binary, ByteBuffer(bytes: bytes)) }
}
