#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

// What OpenSSL has as macros with arguments, which Swift does not see.

/// TLS 1.2 or later, whatever the system's configuration allows. Returns 1 if that is possible.
static inline int stockbus_ssl_ctx_require_tls12(SSL_CTX *context) {
  return (int)SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
}

/// No renegotiation, no compression, no sessions that are kept or resumed, no chains that OpenSSL completes by itself; buffers only while
/// they hold something.
static inline void stockbus_ssl_ctx_restrict(SSL_CTX *context) {
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_NO_TICKET | SSL_OP_CIPHER_SERVER_PREFERENCE);
  // What a configuration of the system may have allowed.
  SSL_CTX_clear_options(context, SSL_OP_IGNORE_UNEXPECTED_EOF | SSL_OP_ALLOW_UNSAFE_LEGACY_RENEGOTIATION | SSL_OP_LEGACY_SERVER_CONNECT);
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_NO_AUTO_CHAIN);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(context, 0);
  SSL_CTX_set_max_early_data(context, 0);
}

/// The most bytes of certificates that a peer may send.
static inline void stockbus_ssl_ctx_limit_certificates(SSL_CTX *context, long bytes) { SSL_CTX_set_max_cert_list(context, bytes); }

/// Adds a certificate behind the server's own. Returns 1 if that is done.
static inline int stockbus_ssl_ctx_add_to_chain(SSL_CTX *context, X509 *certificate) {
  return (int)SSL_CTX_add1_chain_cert(context, certificate);
}

/// The name that the client asks for. Returns 1 if that is done.
static inline int stockbus_ssl_ask_for(SSL *ssl, const char *name) { return (int)SSL_set_tlsext_host_name(ssl, name); }

static inline int stockbus_ssl_select_http11(
    SSL *ssl, const unsigned char **selected, unsigned char *count, const unsigned char *offered, unsigned int offeredCount, void *unused) {
  static const unsigned char ours[] = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
  (void)ssl;
  (void)unused;
  int found = SSL_select_next_proto((unsigned char **)selected, count, ours, sizeof ours, offered, offeredCount);
  return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
}

/// A server's answer to an offer by ALPN: HTTP/1.1 if that is among it, or none.
static inline void stockbus_ssl_ctx_answer_http11(SSL_CTX *context) {
  SSL_CTX_set_alpn_select_cb(context, stockbus_ssl_select_http11, NULL);
}
