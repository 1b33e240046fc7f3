internal import CLibCrypto

/// The system's OpenSSL in this process.
enum OpenSSLLibrary {
  /// Set up at its first use, without its cleaning at the process's exit, when threads of the network may still use it.
  static let isReady = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) == 1
}
