internal import CLibSSL

// Unsafe: OpenSSL's certificates and keys are pointers with a count of references. Each is owned by one object here, which releases it.

/// The certificates of a PEM text, in order.
package final class TLSCertificates {
  let pointers: [OpaquePointer]

  /// Nil if the file has no certificate, or one that is malformed.
  package convenience init?(file path: String) { self.init(reading: BIO_new_file(path, "r")) }

  /// Nil if the text has no certificate, or one that is malformed.
  package convenience init?(pem text: String) { self.init(reading: PEMSource.memory(text)) }

  private init?(reading source: OpaquePointer?) {
    defer { OpenSSLErrors.clear() }
    guard let source else { return nil }
    defer { BIO_free(source) }
    OpenSSLErrors.clear()
    var pointers: [OpaquePointer] = []
    while let certificate = PEM_read_bio_X509(source, nil, PEMSource.noPassword, nil) { pointers.append(certificate) }
    self.pointers = pointers
    if pointers.isEmpty || !PEMSource.isAtEnd { return nil }
  }

  deinit { for pointer in pointers { X509_free(pointer) } }
}

/// A private key.
package final class TLSKey {
  let pointer: OpaquePointer

  /// Nil if the file has no key, or one with a password.
  package convenience init?(file path: String) { self.init(reading: BIO_new_file(path, "r")) }

  /// Nil if the text has no key, or one with a password.
  package convenience init?(pem text: String) { self.init(reading: PEMSource.memory(text)) }

  private init?(reading source: OpaquePointer?) {
    defer { OpenSSLErrors.clear() }
    guard let source else { return nil }
    defer { BIO_free(source) }
    guard let pointer = PEM_read_bio_PrivateKey(source, nil, PEMSource.noPassword, nil) else { return nil }
    self.pointer = pointer
  }

  deinit { EVP_PKEY_free(pointer) }
}

private enum PEMSource {
  /// Without this, OpenSSL would ask for a password on the terminal.
  static let noPassword: @Sendable @convention(c) (UnsafeMutablePointer<CChar>?, CInt, CInt, UnsafeMutableRawPointer?) -> CInt = {
    _, _, _, _ in -1
  }

  /// A source with a copy of the text.
  static func memory(_ text: String) -> OpaquePointer? {
    guard let memory = BIO_new(BIO_s_mem()) else { return nil }
    let bytes = Array(text.utf8)
    if let count = CInt(exactly: bytes.count), count > 0, BIO_write(memory, bytes, count) == count { return memory }
    BIO_free(memory)
    return nil
  }

  /// True if reading has ended because no further certificate follows.
  static var isAtEnd: Bool {
    let last = ERR_peek_last_error()
    return ERR_GET_LIB(last) == ERR_LIB_PEM && ERR_GET_REASON(last) == PEM_R_NO_START_LINE
  }
}
