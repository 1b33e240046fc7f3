internal import NIOCore

/// The type of a frame (RFC 6455, section 5.2).
enum Opcode: UInt8 {
  case continuation = 0
  case text = 1
  case binary = 2
  case close = 8
  case ping = 9
  case pong = 10

  var isControl: Bool { rawValue >= 8 }
}

/// The header of a frame: 2 to 14 bytes.
struct FrameHeader: Equatable {
  var isFinal: Bool
  var opcode: Opcode
  /// True on the first frame of a compressed message (RFC 7692, section 6).
  var isCompressed: Bool
  /// Nil if the payload is not masked.
  var mask: UInt32?
  var length: Int

  /// Reads a header; if it is incomplete, returns nil and reads nothing.
  ///
  /// - Parameter allowsCompression: compressed messages have been agreed on.
  init?(_ buffer: inout ByteBuffer, allowsCompression: Bool = false) throws(WebSocketError) {
    let start = buffer.readerIndex
    guard let first = buffer.getInteger(at: start, as: UInt8.self), let second = buffer.getInteger(at: start + 1, as: UInt8.self) else {
      return nil
    }
    guard let opcode = Opcode(rawValue: first & 0x0f) else { throw .protocolViolation("a frame of the unknown kind \(first & 0x0f)") }
    if first & 0x70 != 0 { try Self.checkReserved(first, opcode, allowsCompression) }
    isFinal = first & 0x80 != 0
    isCompressed = first & 0x40 != 0
    self.opcode = opcode
    if opcode.isControl, !isFinal || second & 0x7f > 125 { throw .protocolViolation("a control frame that is too long or in parts") }
    var at = start + 2
    switch second & 0x7f {
    case 126:
      guard let long = buffer.getInteger(at: at, as: UInt16.self) else { return nil }
      length = Int(long)
      at += 2
    case 127:
      guard let long = buffer.getInteger(at: at, as: UInt64.self) else { return nil }
      guard let exact = Int(exactly: long) else { throw .protocolViolation("a frame of \(long) bytes") }
      length = exact
      at += 8
    case let short: length = Int(short)
    }
    mask = nil
    if second & 0x80 != 0 {
      guard let mask = buffer.getInteger(at: at, as: UInt32.self) else { return nil }
      self.mask = mask
      at += 4
    }
    buffer.moveReaderIndex(to: at)
  }

  /// Of the reserved bits only the first may be set, on the first frame of a message.
  private static func checkReserved(_ first: UInt8, _ opcode: Opcode, _ allowsCompression: Bool) throws(WebSocketError) {
    guard first & 0x30 == 0, opcode == .text || opcode == .binary else { throw .protocolViolation("a frame with reserved bits") }
    if !allowsCompression {
      throw .protocolViolation(
        "a compressed message without an agreement on compression; 'compression: true' under 'connection' accepts them")
    }
  }
}
