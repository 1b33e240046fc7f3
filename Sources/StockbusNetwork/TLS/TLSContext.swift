package import NIOSSL
internal import StockbusPlugin

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

extension TLSSettings {
  /// The context for client connections; reads the CA's file.
  ///
  /// - Parameter protocols: what is offered by ALPN.
  func clientContext(protocols: [String] = ["http/1.1"]) throws(TLSError) -> NIOSSLContext {
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.certificateVerification = .fullVerification
    configuration.minimumTLSVersion = .tlsv12
    configuration.applicationProtocols = protocols
    if let ca { configuration.trustRoots = .certificates(try Self.certificates(ca)) }
    return try makeContext(configuration)
  }

  static func certificates(_ path: String) throws(TLSError) -> [NIOSSLCertificate] {
    try checkReadable(path)
    let certificates = try? NIOSSLCertificate.fromPEMFile(path)
    guard let certificates, !certificates.isEmpty else {
      throw TLSError(description: "\(path): no certificates in it; a PEM file has parts that begin with -----BEGIN CERTIFICATE-----")
    }
    return certificates
  }

  fileprivate static func checkReadable(_ path: String) throws(TLSError) {
    var info = stat()
    if stat(path, &info) == 0, info.st_mode & S_IFMT == S_IFDIR { throw TLSError(description: "\(path): is a folder") }
    if access(path, R_OK) != 0 { throw TLSError(description: "\(path): \(String(cString: strerror(errno)))") }
  }
}

extension TLSIdentity {
  /// The context for a server's connections.
  package func serverContext() throws(TLSError) -> NIOSSLContext {
    let certificates = try TLSSettings.certificates(certificateFile)
    try TLSSettings.checkReadable(keyFile)
    guard let key = try? NIOSSLPrivateKey(file: keyFile, format: .pem) else {
      throw TLSError(description: "\(keyFile): no private key in it; a PEM file has a part such as -----BEGIN PRIVATE KEY-----")
    }
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: certificates.map { .certificate($0) }, privateKey: .privateKey(key))
    configuration.minimumTLSVersion = .tlsv12
    // Of TLS 1.2 only what has forward secrecy and authenticated encryption; TLS 1.3 has nothing else.
    configuration.cipherSuites = "ECDHE+AESGCM:ECDHE+CHACHA20"
    configuration.applicationProtocols = ["http/1.1"]
    do throws(TLSError) { return try makeContext(configuration) } catch {
      throw TLSError(description: "\(certificateFile) and \(keyFile) do not belong together: \(error)")
    }
  }
}

private func makeContext(_ configuration: TLSConfiguration) throws(TLSError) -> NIOSSLContext {
  do { return try NIOSSLContext(configuration: configuration) } catch { throw TLSError(description: "TLS cannot be set up: \(error)") }
}

/// The meaning of a failed TLS handshake, and what to do about it.
func tlsFailure(_ error: any Error, host: String, plain scheme: String) -> String? {
  let text = "\(error)"
  if let error = error as? NIOSSLExtraError, error == .failedToValidateHostname {
    return "the certificate is not for '\(host)'; connect by a name that it has"
  }
  if text.contains("CERTIFICATE_VERIFY_FAILED") {
    return "the certificate of '\(host)' is not trusted; if a private CA has signed it, name the CA's file in 'tls: { ca: … }'"
  }
  if text.contains("WRONG_VERSION_NUMBER") || text.contains("HTTP_REQUEST") {
    return "'\(host)' does not speak TLS there; use \(scheme) if that is meant"
  }
  guard error is NIOSSLError || error is NIOSSLExtraError || error is BoringSSLError else { return nil }
  if case NIOSSLError.uncleanShutdown? = error as? NIOSSLError { return nil }
  return "TLS failed: \(text)"
}
