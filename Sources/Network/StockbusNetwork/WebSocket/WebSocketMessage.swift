internal import NIOCore

/// A received message: text, which has been checked to be UTF-8, or binary.
package struct WebSocketMessage: Sendable {
  package enum Kind: Sendable, Hashable {
    case text, binary
  }

  package let kind: Kind
  let payload: ByteBuffer

  init(_ kind: Kind, _ payload: ByteBuffer) {
    self.kind = kind
    self.payload = payload
  }

  /// The message's length in bytes.
  package var count: Int { payload.readableBytes }

  /// Calls `body` with the bytes.
  package func withBytes<Result, Failure: Error>(
    _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // NIO's function rethrows untyped errors, so the outcome is passed in a variable.
    var outcome: Swift.Result<Result, Failure>?
    payload.withUnsafeReadableBytes { bytes in
      let bytes = bytes.assumingMemoryBound(to: UInt8.self)
      do throws(Failure) { outcome = .success(try body(bytes)) } catch { outcome = .failure(error) }
    }
    guard let outcome else { preconditionFailure("the body was called") }
    return try outcome.get()
  }

  /// The message as text; invalid UTF-8 in a binary message is replaced.
  package var text: String { String(buffer: payload) }

  /// The beginning of the message as text, for error messages.
  package func beginning(_ bytes: Int = 512) -> String {
    String(buffer: payload.getSlice(at: payload.readerIndex, length: min(bytes, count)) ?? ByteBuffer())
  }
}
