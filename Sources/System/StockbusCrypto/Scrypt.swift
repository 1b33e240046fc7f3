internal import CLibCrypto

/// Slow hashes of passwords: scrypt (RFC 7914), by the system's OpenSSL.
package enum Scrypt {
  /// The costs are not allowed, or there is too little memory.
  package struct Failure: Error {}

  /// - Parameters:
  ///   - rounds: a power of two, at least 2.
  ///   - memory: the most bytes that the calculation may use.
  package static func key(
    _ password: [UInt8], salt: [UInt8], rounds: Int, blockSize: Int, parallelism: Int, memory: Int, count: Int
  ) throws(Failure) -> [UInt8] {
    guard OpenSSLLibrary.isReady, rounds > 1, blockSize > 0, parallelism > 0, memory > 0, count > 0 else { throw Failure() }
    var key = [UInt8](repeating: 0, count: count)
    let isDone = password.withUnsafeBytes { password in
      EVP_PBE_scrypt(
        password.bindMemory(to: CChar.self).baseAddress, password.count, salt, salt.count, UInt64(rounds), UInt64(blockSize),
        UInt64(parallelism), UInt64(memory), &key, count)
    }
    if isDone != 1 { throw Failure() }
    return key
  }
}
