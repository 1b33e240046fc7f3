internal import CLibCrypto

/// Hashes of bytes (FIPS 180-4), by the system's OpenSSL.
package enum Digest {
  /// The hash, 32 bytes.
  package static func sha256(_ bytes: [UInt8]) -> [UInt8] {
    _ = OpenSSLLibrary.isReady
    var hash = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
    _ = SHA256(bytes, bytes.count, &hash)
    return hash
  }

  /// The hash, 20 bytes. Only for protocols that prescribe it, never for security.
  package static func sha1(_ bytes: [UInt8]) -> [UInt8] {
    _ = OpenSSLLibrary.isReady
    var hash = [UInt8](repeating: 0, count: Int(SHA_DIGEST_LENGTH))
    _ = SHA1(bytes, bytes.count, &hash)
    return hash
  }

  /// The authentication code HMAC-SHA-256 of a message (RFC 2104), 32 bytes.
  package static func hmac(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
    _ = OpenSSLLibrary.isReady
    var code = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
    _ = HMAC(EVP_sha256(), key, CInt(key.count), message, message.count, &code, nil)
    return code
  }
}
