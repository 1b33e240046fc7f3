package import StockbusPlugin

/// How the peer's certificate is verified: always, including its host name. This cannot be turned off.
package struct TLSSettings: Options {
  @Setting("A file of CA certificates (PEM) to trust instead of the system's, such as that of a private CA.", length: 1...)
  package var ca: String?

  package init() {}

  package var files: [FileUse] { ca.map { [.reading($0, at: "ca", takesStream: false)] } ?? [] }
}

/// A certificate with its key, for a server.
package struct TLSIdentity: Sendable, Hashable {
  /// The server's certificate and the intermediate certificates up to its CA, PEM.
  package var certificateFile: String
  /// The certificate's private key, PEM.
  package var keyFile: String

  package init(certificateFile: String, keyFile: String) {
    self.certificateFile = certificateFile
    self.keyFile = keyFile
  }
}

/// Why TLS cannot be set up: a file is missing or not valid. Permanent, because another instance would meet the same error.
package struct TLSError: EnvironmentError, Hashable, CustomStringConvertible {
  package let description: String
  package var isPermanent: Bool { true }
}
