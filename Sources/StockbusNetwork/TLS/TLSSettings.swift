public import StockbusPlugin

/// How the other side's certificate is checked: always, its host name too. There is no switch that turns this off.
public struct TLSSettings: Options {
  @Setting("A file of CA certificates (PEM) to trust instead of the system's, such as a private CA's.", length: 1...)
  public var ca: String?

  public init() {}

  public var files: [FileUse] { ca.map { [.reading($0, at: "ca", takesStream: false)] } ?? [] }
}

/// A certificate with its key, for a server.
public struct TLSIdentity: Sendable, Hashable {
  /// The server's certificate and those between it and its CA, PEM.
  public var certificateFile: String
  /// Its private key, PEM.
  public var keyFile: String

  public init(certificateFile: String, keyFile: String) {
    self.certificateFile = certificateFile
    self.keyFile = keyFile
  }
}

/// Why TLS cannot be set up: a file that is missing or is none; no life of a component will change that.
public struct TLSError: EnvironmentError, Hashable, CustomStringConvertible {
  public let description: String
  public var isPermanent: Bool { true }
}
