/// The body of a response that is sent in pieces.
package struct WebStream: Sendable {
  private let send: @Sendable ([UInt8]) async -> Bool

  package init(_ send: @escaping @Sendable ([UInt8]) async -> Bool) { self.send = send }

  /// Returns true once the bytes are in the socket; false if the client has closed, or did not read them in time.
  package func write(_ bytes: [UInt8]) async -> Bool { await send(bytes) }
}
