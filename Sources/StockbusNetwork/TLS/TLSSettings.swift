public import StockbusPlugin

/// How the peer's certificate is verified: always, including its host name. This cannot be turned off.
public struct TLSSettings: Options {
  @Setting("A file of CA certificates (PEM) to trust instead of the system's, such as a private CA's.", length: 1...)
  public var ca: String?

  public init() {}

  public var files: [FileUse] { ca.map { [.reading($0, at: "ca", takesStream: false)] } ?? [] }
}

/// A certificate with its key, for a server.
public struct TLSIdentity: Sendable, Hashable {
  /// The server's certificate and the intermediate certificates up to its CA, PEM.
  public var certificateFile: String
  /// Its private key, PEM.
  public var keyFile: String

  public init(certificateFile: String, keyFile: String) {
    self.certificateFile = certificateFile
    self.keyFile = keyFile
  }
}

/// Why TLS cannot be set up: a file is missing or not valid. Permanent, because another instance would meet the same error.
public struct TLSError: EnvironmentError, Hashable, CustomStringConvertible {
  public let description: String
  public var isPermanent: Bool { true }
}
