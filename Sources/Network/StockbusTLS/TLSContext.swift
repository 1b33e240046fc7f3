internal import CLibSSL

/// The settings of TLS for any number of connections: version 1.2 or later, no renegotiation, no compression, no resumed sessions.
package final class TLSContext: Sendable {
  /// Unsafe: OpenSSL's object. It never changes after `init` has returned, and OpenSSL creates connections from it on any thread.
  nonisolated(unsafe) let pointer: OpaquePointer
  let isClient: Bool

  /// Initialises OpenSSL without its cleanup at the process's exit, when network threads may still use it.
  private static let isReady = OPENSSL_init_ssl(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) == 1
  /// The most bytes of certificates that a server may send.
  private static let certificateLimit = 100 << 10

  /// A context for the client's side: the server's certificate is always verified, with its name or its address.
  ///
  /// - Parameters:
  ///   - roots: certificates that are trusted.
  ///   - trustsSystem: whether the system's certificates are trusted too.
  ///   - protocols: the protocols offered by ALPN.
  package init(clientTrusting roots: TLSCertificates?, trustsSystem: Bool, protocols: [String]) throws(TLSFailure) {
    isClient = true
    pointer = try Self.make(TLS_client_method())
    SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER, nil)
    if trustsSystem, SSL_CTX_set_default_verify_paths(pointer) != 1 { throw OpenSSLErrors.setup() }
    let store = SSL_CTX_get_cert_store(pointer)
    for root in roots?.pointers ?? [] where X509_STORE_add_cert(store, root) != 1 { throw OpenSSLErrors.setup() }
    // The list as TLS writes it (RFC 7301, section 3.1): each protocol with its length.
    var offer: [UInt8] = []
    for name in protocols {
      guard (1...255).contains(name.utf8.count) else { throw .setup("a protocol's name has 1 to 255 bytes") }
      offer.append(UInt8(name.utf8.count))
      offer += name.utf8
    }
    // This call is one of few that return 0 on success.
    if !offer.isEmpty, SSL_CTX_set_alpn_protos(pointer, offer, UInt32(offer.count)) != 0 { throw OpenSSLErrors.setup() }
  }

  /// A context for the server's side of HTTP/1.1.
  ///
  /// - Parameter chain: the server's certificate first. Throws `TLSFailure.foreignKey` if the key does not belong to it.
  package init(serverWith chain: TLSCertificates, key: TLSKey) throws(TLSFailure) {
    isClient = false
    pointer = try Self.make(TLS_server_method())
    // Of TLS 1.2 only ciphers with forward secrecy and authenticated encryption; TLS 1.3 has no others.
    guard let certificate = chain.pointers.first, SSL_CTX_set_cipher_list(pointer, "ECDHE+AESGCM:ECDHE+CHACHA20") == 1,
      SSL_CTX_use_certificate(pointer, certificate) == 1
    else { throw OpenSSLErrors.setup() }
    for other in chain.pointers.dropFirst() where stockbus_ssl_ctx_add_to_chain(pointer, other) != 1 { throw OpenSSLErrors.setup() }
    guard SSL_CTX_use_PrivateKey(pointer, key.pointer) == 1, SSL_CTX_check_private_key(pointer) == 1 else {
      throw .foreignKey(OpenSSLErrors.take()?.words ?? "out of memory")
    }
    stockbus_ssl_ctx_answer_http11(pointer)
  }

  private static func make(_ method: OpaquePointer?) throws(TLSFailure) -> OpaquePointer {
    guard isReady else { throw .setup("OpenSSL cannot be set up") }
    OpenSSLErrors.clear()
    guard let pointer = SSL_CTX_new(method) else { throw OpenSSLErrors.setup() }
    stockbus_ssl_ctx_restrict(pointer)
    stockbus_ssl_ctx_limit_certificates(pointer, certificateLimit)
    guard stockbus_ssl_ctx_require_tls12(pointer) == 1 else {
      SSL_CTX_free(pointer)
      throw OpenSSLErrors.setup()
    }
    return pointer
  }

  deinit { SSL_CTX_free(pointer) }
}
