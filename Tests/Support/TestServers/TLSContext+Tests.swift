package import StockbusTLS

extension TLSContext {
  /// For a server with a certificate chain and its key, both PEM.
  package convenience init(chain: String, key: String) throws {
    guard let certificates = TLSCertificates(pem: chain), let key = TLSKey(pem: key) else {
      throw TLSFailure.setup("neither certificates nor a key")
    }
    try self.init(serverWith: certificates, key: key)
  }

  /// For a client that trusts a private authority's certificate, PEM.
  package convenience init(trusting authority: String, protocols: [String] = []) throws {
    guard let roots = TLSCertificates(pem: authority) else { throw TLSFailure.setup("no certificate") }
    try self.init(clientTrusting: roots, trustsSystem: false, protocols: protocols)
  }
}
