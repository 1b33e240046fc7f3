internal import CLibCrypto

/// The system's OpenSSL in this process.
enum OpenSSLLibrary {
  /// Initialises OpenSSL at the first use, without its cleanup at the process's exit, when network threads may still use it.
  static let isReady = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) == 1
}
