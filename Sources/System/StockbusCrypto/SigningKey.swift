internal import CLibCrypto

/// A private key for signatures with Ed25519 (RFC 8032), by the system's OpenSSL.
package struct SigningKey: Sendable {
  private let seed: [UInt8]
  /// The public key, 32 bytes.
  package let publicKey: [UInt8]

  /// - Parameter seed: 32 bytes; the initialiser returns nil for any other number.
  package init?(seed: [UInt8]) {
    guard seed.count == 32 else { return nil }
    self.seed = seed
    var bytes = [UInt8](repeating: 0, count: 32)
    var count = bytes.count
    let isDone = Self.withKey(seed) { EVP_PKEY_get_raw_public_key($0, &bytes, &count) }
    guard isDone == 1, count == 32 else { return nil }
    publicKey = bytes
  }

  /// The signature of a message, 64 bytes; nil if there is too little memory.
  package func signature(of message: [UInt8]) -> [UInt8]? {
    var signature = [UInt8](repeating: 0, count: 64)
    var count = signature.count
    let isDone = Self.withKey(seed) { key -> CInt in
      guard let context = EVP_MD_CTX_new() else { return 0 }
      defer { EVP_MD_CTX_free(context) }
      guard EVP_DigestSignInit(context, nil, nil, nil, key) == 1 else { return 0 }
      return EVP_DigestSign(context, &signature, &count, message, message.count)
    }
    return isDone == 1 && count == 64 ? signature : nil
  }

  /// Calls `body` with the key as OpenSSL represents it; returns 0 if OpenSSL rejects the key.
  private static func withKey(_ seed: [UInt8], _ body: (OpaquePointer) -> CInt) -> CInt {
    guard OpenSSLLibrary.isReady, let key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, seed, seed.count) else { return 0 }
    defer { EVP_PKEY_free(key) }
    return body(key)
  }
}
