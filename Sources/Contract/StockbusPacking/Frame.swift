package import MarketData

/// One length-prefixed piece of a stream of bytes: four bytes for the number of bytes behind them, the lowest first, one for the kind, and
/// the content.
package enum Frame {
  package enum Kind: UInt8, Sendable {
    /// A JSON object.
    case message = 1
    /// Eight bytes for the number of the last event, the lowest first, and packed events.
    case events = 2
  }

  /// Bytes before the content.
  package static let headSize = 5
  /// Bytes of the number before packed events.
  package static let numberSize = 8

  /// Begins a frame; `end` writes its length.
  package static func begin(_ kind: Kind, in out: inout ByteWriter) -> Int {
    let start = out.count
    out.reserve(headSize)
    out.put(little: UInt32(0))
    out.put(kind.rawValue)
    return start
  }

  package static func end(_ start: Int, in out: inout ByteWriter) {
    out.replace(at: start, with: UInt32(out.count - start - 4))
  }

  /// The number of the last event, before packed events.
  package static func put(last: Int, in out: inout ByteWriter) {
    out.reserve(numberSize)
    out.put(little: UInt64(last))
  }

  /// Overwrites the number written at `start`.
  package static func put(last: Int, at start: Int, in out: inout ByteWriter) {
    out.replace(at: start, with: UInt64(last))
  }

  /// The number of the last event in a content of this kind; nil if the content is too short.
  package static func last(of content: UnsafeRawBufferPointer) -> UInt64? {
    content.count < numberSize ? nil : UInt64(littleEndian: content.loadUnaligned(as: UInt64.self))
  }
}
