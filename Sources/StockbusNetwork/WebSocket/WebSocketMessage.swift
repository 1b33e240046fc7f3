internal import NIOCore

/// A message that came in: text, checked to be UTF-8, or binary.
public struct WebSocketMessage: Sendable {
  public enum Kind: Sendable, Hashable {
    case text, binary
  }

  public let kind: Kind
  let payload: ByteBuffer

  init(_ kind: Kind, _ payload: ByteBuffer) {
    self.kind = kind
    self.payload = payload
  }

  /// Its length in bytes.
  public var count: Int { payload.readableBytes }

  /// Lends the bytes.
  public func withBytes<Result, Failure: Error>(
    _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // NIO's own function rethrows any error; the outcome is carried through it.
    var outcome: Swift.Result<Result, Failure>?
    payload.withUnsafeReadableBytes { bytes in
      let bytes = bytes.assumingMemoryBound(to: UInt8.self)
      do throws(Failure) { outcome = .success(try body(bytes)) } catch { outcome = .failure(error) }
    }
    guard let outcome else { preconditionFailure("the body was called") }
    return try outcome.get()
  }

  /// As text; what is no UTF-8 in a binary message is replaced.
  public var text: String { String(buffer: payload) }

  /// The first bytes as text, for a message about it.
  public func beginning(_ bytes: Int = 512) -> String {
    String(buffer: payload.getSlice(at: payload.readerIndex, length: min(bytes, count)) ?? ByteBuffer())
  }
}
