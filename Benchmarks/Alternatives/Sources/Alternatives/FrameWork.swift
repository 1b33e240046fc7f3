internal import NIOCore

/// What frames carry: texts of one length, as a venue sends them.
struct FrameWork {
  let payloads: [[UInt8]]
  /// Nil where frames are not masked.
  let masks: [UInt32]?

  init(bytes: Int, count: Int, isMasked: Bool) {
    var random = Random(state: 11)
    payloads = (0..<count).map { number in
      var text = ""
      while text.utf8.count < bytes {
        text += #"{"e":"trade","s":"BTCUSDT","t":\#(number),"p":"\#(random.price())","q":"0.\#(random.below(1000))","m":true},"#
      }
      return Array(text.utf8.prefix(bytes))
    }
    masks = isMasked ? (0..<count).map { _ in UInt32(truncatingIfNeeded: random.next()) } : nil
  }

  /// All frames one after the other, by our writer: every contestant has to read, or to write, just this.
  var stream: ByteBuffer {
    var stream = ByteBuffer()
    for (number, payload) in payloads.enumerated() { payload.withUnsafeBytes { stream.writeFrame(.text, $0, mask: masks?[number]) } }
    return stream
  }
}

/// What came out: of every piece the length and both ends.
struct Digest {
  private(set) var value: UInt64 = 0
  /// The pieces themselves, where they are to be compared.
  private(set) var pieces: [[UInt8]]?

  init(keepsPieces: Bool = false) { pieces = keepsPieces ? [] : nil }

  @inline(__always)
  mutating func add(_ piece: ByteBuffer) {
    piece.withUnsafeReadableBytes { bytes in
      guard let first = bytes.first, let last = bytes.last else { return }
      value = value &* 31 &+ UInt64(truncatingIfNeeded: bytes.count) << 16 &+ UInt64(first) << 8 &+ UInt64(last)
    }
    if pieces != nil { pieces?.append(Array(piece.readableBytesView)) }
  }
}
