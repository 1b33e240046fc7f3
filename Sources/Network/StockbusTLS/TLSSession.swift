internal import CLibSSL
internal import NIOCore

/// One connection as OpenSSL sees it, between two pieces of memory: data from the peer, and data to it. Used only on its channel's thread.
///
/// Unsafe: OpenSSL's objects are pointers, which this object owns, and it reads and writes the memory of buffers in place, within the
/// bounds that NIO gives. No call keeps such memory, and none calls back.
final class TLSSession {
  /// The result of a step.
  enum Step {
    case done
    /// More data from the peer are needed.
    case hungry
    /// The peer has sent close_notify: it sends no more data.
    case farewell
    case failed(TLSFailure)
  }

  /// The most bytes that are passed at once: those of a record. So the two pieces of memory stay small.
  static let pieceSize = 1 << 14

  private let ssl: OpaquePointer
  // Both are owned by `ssl`.
  private let incoming: OpaquePointer
  private let outgoing: OpaquePointer
  private var isShaking = true

  /// - Parameter host: for a client, the name or the IP address that the server's certificate must contain.
  init(_ context: TLSContext, host: String?) throws(TLSFailure) {
    OpenSSLErrors.clear()
    guard let ssl = SSL_new(context.pointer) else { throw OpenSSLErrors.setup() }
    guard let incoming = BIO_new(BIO_s_mem()), let outgoing = BIO_new(BIO_s_mem()) else {
      SSL_free(ssl)
      throw .setup("out of memory")
    }
    SSL_set_bio(ssl, incoming, outgoing)
    (self.ssl, self.incoming, self.outgoing) = (ssl, incoming, outgoing)
    if context.isClient {
      SSL_set_connect_state(ssl)
      try expect(host ?? "")
    } else {
      SSL_set_accept_state(ssl)
    }
  }

  deinit { SSL_free(ssl) }

  /// Has OpenSSL verify that the server's certificate is for `host`, and sends `host` to the server if it is a name.
  private func expect(_ host: String) throws(TLSFailure) {
    // As in DNS, a final dot changes nothing; no certificate has it.
    let name = host.hasSuffix(".") ? String(host.dropLast()) : host
    let parameters = SSL_get0_param(ssl)
    // OpenSSL would treat an empty name as no name, and verify nothing.
    guard !name.isEmpty, !name.utf8.contains(0) else { throw .setup("there is no host name to check the certificate against") }
    if X509_VERIFY_PARAM_set1_ip_asc(parameters, String(name.prefix { $0 != "%" })) == 1 { return }
    OpenSSLErrors.clear()
    X509_VERIFY_PARAM_set_hostflags(parameters, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
    guard X509_VERIFY_PARAM_set1_host(parameters, name, 0) == 1, stockbus_ssl_ask_for(ssl, name) == 1 else { throw OpenSSLErrors.setup() }
  }

  // MARK: Steps

  func shake() -> Step {
    OpenSSLErrors.clear()
    let result = SSL_do_handshake(ssl)
    guard result == 1 else { return step(result) }
    isShaking = false
    return .done
  }

  /// Decrypts all received data into `plain`.
  /// - Parameter rest: how many bytes will follow at once, for the size of the buffer.
  func read(into plain: inout ByteBuffer, rest: Int) -> Step {
    while true {
      OpenSSLErrors.clear()
      // Reading the first byte of a record decrypts all of it, so that the buffer becomes no larger than its contents.
      var first: UInt8 = 0
      var count = 0
      let result = SSL_peek_ex(ssl, &first, 1, &count)
      guard result == 1 else { return step(result) }
      let length = max(1, Int(SSL_pending(ssl)))
      if plain.writableBytes < length { plain.reserveCapacity(minimumWritableBytes: length + rest) }
      var isRead = false
      plain.writeWithUnsafeMutableBytes(minimumWritableBytes: length) { memory in
        isRead = SSL_read_ex(ssl, memory.baseAddress, min(length, memory.count), &count) == 1
        return isRead ? count : 0
      }
      if !isRead { return .failed(.damaged("a record cannot be read")) }
    }
  }

  /// Encrypts at most `pieceSize` bytes from the beginning of a buffer that is not empty.
  func write(from plain: inout ByteBuffer) -> Step {
    OpenSSLErrors.clear()
    var result: CInt = 0
    plain.readWithUnsafeReadableBytes { bytes in
      var count = 0
      result = SSL_write_ex(ssl, bytes.baseAddress, min(bytes.count, Self.pieceSize), &count)
      return result == 1 ? count : 0
    }
    return result == 1 ? .done : step(result)
  }

  /// Queues a close_notify alert: no more data are sent.
  func sendCloseNotify() {
    OpenSSLErrors.clear()
    _ = SSL_shutdown(ssl)
    OpenSSLErrors.clear()
  }

  /// The protocol that ALPN has selected.
  var negotiatedProtocol: String? {
    var name: UnsafePointer<UInt8>?
    var count: UInt32 = 0
    SSL_get0_alpn_selected(ssl, &name, &count)
    guard let name, count > 0 else { return nil }
    return String(decoding: UnsafeBufferPointer(start: name, count: Int(count)), as: UTF8.self)
  }

  // MARK: The two pieces of memory

  /// Takes at most `pieceSize` bytes from the beginning of the received data. Returns false if there is no memory for them.
  func feed(from data: inout ByteBuffer) -> Bool {
    data.readWithUnsafeReadableBytes { bytes in
      max(0, Int(BIO_write(incoming, bytes.baseAddress, CInt(min(bytes.count, Self.pieceSize)))))
    } > 0
  }

  /// Moves the data for the peer to the end of `buffer`.
  func takeOutput(into buffer: inout ByteBuffer) {
    let count = Int(BIO_ctrl_pending(outgoing))
    if count == 0 { return }
    buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { memory in
      max(0, Int(BIO_read(outgoing, memory.baseAddress, CInt(clamping: min(count, memory.count)))))
    }
  }

  var hasOutput: Bool { BIO_ctrl_pending(outgoing) > 0 }

  // MARK: Errors

  private func step(_ result: CInt) -> Step {
    switch SSL_get_error(ssl, result) {
    case SSL_ERROR_WANT_READ: return .hungry
    case SSL_ERROR_ZERO_RETURN where !isShaking: return .farewell
    case SSL_ERROR_ZERO_RETURN: return .failed(.handshake("the other side has ended the handshake"))
    default: return .failed(failure())
    }
  }

  private func failure() -> TLSFailure {
    guard let error = OpenSSLErrors.take() else { return isShaking ? .handshake("unknown reason") : .damaged("unknown reason") }
    if error.isUntrusted { return .certificate(SSL_get_verify_result(ssl)) }
    if let alert = error.alert { return .alert(alert) }
    if error.isNotTLS, isShaking { return .notTLS }
    return isShaking ? .handshake(error.words) : .damaged(error.words)
  }
}
