internal import CLibCrypto
internal import Synchronization

/// A key pair of the curve P-256, new each time, for signatures with SHA-256.
final class TestKey: Sendable {
  private let key: Mutex<OpaquePointer>

  init() {
    guard let key = newKey() else { preconditionFailure("no key") }
    self.key = Mutex(key)
  }

  deinit { key.withLock { EVP_PKEY_free($0) } }

  /// The public key in DER (RFC 5280, SubjectPublicKeyInfo).
  var publicKey: [UInt8] {
    key.withLock { key in
      var bytes = [UInt8](repeating: 0, count: Int(i2d_PUBKEY(key, nil)))
      bytes.withUnsafeMutableBufferPointer { buffer in
        var place = buffer.baseAddress
        _ = i2d_PUBKEY(key, &place)
      }
      return bytes
    }
  }

  /// The private key as PEM (RFC 5208).
  var pem: String {
    key.withLock { key in
      guard let memory = BIO_new(BIO_s_mem()) else { return "" }
      defer { BIO_free(memory) }
      PEM_write_bio_PrivateKey(memory, key, nil, nil, 0, nil, nil)
      var bytes = [UInt8](repeating: 0, count: 4096)
      let count = BIO_read(memory, &bytes, CInt(bytes.count))
      return String(decoding: bytes.prefix(Int(max(0, count))), as: UTF8.self)
    }
  }

  /// A signature in DER (RFC 3279, Ecdsa-Sig-Value).
  func signature(of message: [UInt8]) -> [UInt8] {
    key.withLock { key in
      guard let context = EVP_MD_CTX_new() else { return [] }
      defer { EVP_MD_CTX_free(context) }
      var signature = [UInt8](repeating: 0, count: 128)
      var count = signature.count
      guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1,
        EVP_DigestSign(context, &signature, &count, message, message.count) == 1
      else { return [] }
      return Array(signature.prefix(count))
    }
  }
}

/// Step by step, because the one call for it has a variable number of arguments, which Swift cannot pass.
private func newKey() -> OpaquePointer? {
  guard let context = EVP_PKEY_CTX_new_id(EVP_PKEY_EC, nil) else { return nil }
  defer { EVP_PKEY_CTX_free(context) }
  var key: OpaquePointer?
  guard EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_CTX_set_group_name(context, "P-256") == 1, EVP_PKEY_keygen(context, &key) == 1
  else { return nil }
  return key
}
