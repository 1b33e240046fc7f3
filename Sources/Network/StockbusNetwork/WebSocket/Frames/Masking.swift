internal import LibC
internal import NIOCore

/// Unpredictable masks, as RFC 6455, section 10.3 requires. They come from the system's generator in blocks, because a system call for
/// every frame would cost more than the frame.
struct MaskSource {
  private var block: [UInt32] = []

  mutating func next() -> UInt32 {
    if let mask = block.popLast() { return mask }
    block = [UInt32](repeating: 0, count: 64)
    block.withUnsafeMutableBytes { bytes in
      #if canImport(Glibc)
      // All or nothing for up to 256 bytes (getentropy(3)); if the call is not available, the slower loop below is used.
      if getentropy(bytes.baseAddress, bytes.count) == 0 { return }
      #endif
      var system = SystemRandomNumberGenerator()
      for i in stride(from: 0, to: bytes.count, by: 4) { bytes.storeBytes(of: system.next(), toByteOffset: i, as: UInt32.self) }
    }
    return block.removeLast()
  }
}

// Unsafe in the loop below, which processes every byte sent or received, eight at a time.

/// Exclusive-or with the four bytes of the mask, the most significant first (RFC 6455, section 5.3).
func applyMask(_ mask: UInt32, to bytes: UnsafeMutableRawBufferPointer) {
  let word = UInt64(mask.bigEndian) | UInt64(mask.bigEndian) << 32
  var i = 0
  while i &+ 8 <= bytes.count {
    bytes.storeBytes(of: bytes.loadUnaligned(fromByteOffset: i, as: UInt64.self) ^ word, toByteOffset: i, as: UInt64.self)
    i &+= 8
  }
  while i < bytes.count {
    bytes[i] ^= UInt8(truncatingIfNeeded: word >> (8 &* UInt64(i & 7)))
    i &+= 1
  }
}

extension ByteBuffer {
  /// Applies the mask to the readable bytes, or removes it.
  mutating func apply(mask: UInt32) { withUnsafeMutableReadableBytes { applyMask(mask, to: $0) } }
}
