internal import NIOCore

extension ByteBuffer {
  /// Appends a complete, final frame.
  mutating func writeFrame(_ opcode: Opcode, _ payload: UnsafeRawBufferPointer, mask: UInt32?) {
    writeFrameHead(opcode, length: payload.count, isMasked: mask != nil, isFinal: true)
    if let mask { writeInteger(mask) }
    let start = writerIndex
    writeBytes(payload)
    if let mask {
      withUnsafeMutableReadableBytes { bytes in
        applyMask(mask, to: UnsafeMutableRawBufferPointer(rebasing: bytes[(bytes.count - payload.count)...]))
      }
      assert(writerIndex - start == payload.count)
    }
  }

  /// Appends the first two to ten bytes of a frame.
  mutating func writeFrameHead(_ opcode: Opcode, length: Int, isMasked: Bool, isFinal: Bool) {
    reserveCapacity(minimumWritableBytes: length + 14)
    writeInteger((isFinal ? 0x80 : 0) | opcode.rawValue)
    let bit: UInt8 = isMasked ? 0x80 : 0
    switch length {
    case 0...125: writeInteger(bit | UInt8(length))
    case 126...0xffff:
      writeInteger(bit | 126)
      writeInteger(UInt16(length))
    default:
      writeInteger(bit | 127)
      writeInteger(UInt64(length))
    }
  }

  /// Appends a close frame; a reason that is too long is cut after a whole character.
  mutating func writeClose(_ code: CloseCode?, _ reason: String, mask: UInt32?) {
    var payload: [UInt8] = []
    if let code, code.isSendable {
      payload = [UInt8(code.rawValue >> 8), UInt8(code.rawValue & 0xff)]
      for character in reason {
        if payload.count + character.utf8.count > 125 { break }
        payload += Array(character.utf8)
      }
    }
    payload.withUnsafeBytes { writeFrame(.close, $0, mask: mask) }
  }
}
