internal import LibC
internal import StockbusPlugin
package import StockbusTLS

extension TLSSettings {
  /// The context for client connections; reads the CA's file.
  ///
  /// - Parameter protocols: the protocols offered by ALPN.
  package func clientContext(protocols: [String] = ["http/1.1"]) throws(TLSError) -> TLSContext {
    try Self.context(try ca.map(Self.certificates), trustsSystem: ca == nil, protocols)
  }

  /// The context for requests, which trusts the system's certificates and those of a file.
  static func clientContext(trustingAlso path: String?) throws(TLSError) -> TLSContext {
    guard let path else { return try context(nil, trustsSystem: true, ["http/1.1"]) }
    guard let certificates = TLSCertificates(file: path) else {
      throw TLSError(description: "no certificates can be read from \(path)")
    }
    return try context(certificates, trustsSystem: true, ["http/1.1"])
  }

  private static func context(_ roots: TLSCertificates?, trustsSystem: Bool, _ protocols: [String]) throws(TLSError) -> TLSContext {
    do throws(TLSFailure) {
      return try TLSContext(clientTrusting: roots, trustsSystem: trustsSystem, protocols: protocols)
    } catch { throw TLSError(description: "TLS cannot be set up: \(error)") }
  }

  fileprivate static func certificates(_ path: String) throws(TLSError) -> TLSCertificates {
    try checkReadable(path)
    guard let certificates = TLSCertificates(file: path) else {
      throw TLSError(description: "\(path): has no certificates; a PEM file has parts that begin with -----BEGIN CERTIFICATE-----")
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
  package func serverContext() throws(TLSError) -> TLSContext {
    let certificates = try TLSSettings.certificates(certificateFile)
    try TLSSettings.checkReadable(keyFile)
    guard let key = TLSKey(file: keyFile) else {
      throw TLSError(description: "\(keyFile): has no private key; a PEM file has a part such as -----BEGIN PRIVATE KEY-----")
    }
    do throws(TLSFailure) { return try TLSContext(serverWith: certificates, key: key) } catch {
      switch error {
      case .foreignKey(let reason): throw TLSError(description: "\(certificateFile) and \(keyFile) do not match: \(reason)")
      default: throw TLSError(description: "TLS cannot be set up with \(certificateFile): \(error)")
      }
    }
  }
}

/// The meaning of a failure of TLS, and its remedy; nil if it is not a TLS failure, or if the connection has only ended.
package func tlsFailure(_ error: any Error, host: String, plain scheme: String) -> String? {
  switch error as? TLSFailure {
  case nil, .uncleanShutdown: nil
  case .wrongName: "the certificate is not for '\(host)'; connect by one of its names"
  case .untrusted(_, isIssuerKnown: false):
    "the certificate of '\(host)' is not trusted; if a private CA has signed it, set 'ca' under 'tls' to the CA's file"
  case .untrusted(let reason, isIssuerKnown: true): "the certificate of '\(host)' is not trusted: \(reason)"
  case .notTLS: "'\(host)' does not speak TLS there; use \(scheme) if that is meant"
  case .some(let failure): "TLS failed: \(failure)"
  }
}
