internal import LibC
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import StockbusTLS

extension HTTPError {
  /// An error of an exchange. The text is our own, because the libraries' texts may contain the address or a header.
  init(_ error: any Error, _ address: WebAddress) {
    switch error {
    case let error as HTTPError: self = error
    case is CancellationError: self.init(.cancelled, "cancelled")
    case HTTPConnection.OpeningError.proxy: self.init(.unreachable, "the proxy cannot connect to \(address)")
    case HTTPConnection.OpeningError.late where address.isSecure:
      self.init(.unreachable, "\(address) did not finish the TLS handshake in time")
    case HTTPConnection.OpeningError.late, ChannelError.connectTimeout:
      self.init(.unreachable, "\(address) cannot be reached in time")
    case TLSFailure.uncleanShutdown, is HTTPParts.Closed, is ChannelError, HTTPParserError.invalidEOFState:
      self.init(.brokenOff, "\(address) closed the connection before the end of the response")
    case TLSFailure.untrusted(let reason, let isIssuerKnown):
      self.init(.untrusted, "the certificate of \(address) is not trusted" + (isIssuerKnown ? ": \(reason)" : ""))
    case TLSFailure.wrongName: self.init(.untrusted, "the certificate of \(address) is for another name")
    case TLSFailure.damaged: self.init(.brokenOff, "\(address) sent invalid TLS data")
    case is TLSFailure: self.init(.untrusted, "the TLS connection to \(address) failed")
    case let error as NIOConnectionError:
      // If the name had been resolved, there would be an address to try.
      let isNameless = error.connectionErrors.isEmpty && (error.dnsAError != nil || error.dnsAAAAError != nil)
      let isLate = error.connectionErrors.contains { if case ChannelError.connectTimeout = $0.error { true } else { false } }
      self.init(
        .unreachable, "\(address) cannot be reached" + (isNameless ? ": the host was not found" : isLate ? " in time" : ""))
    case let error as IOError where Self.unreachable.contains(error.errnoCode):
      self.init(.unreachable, "\(address) cannot be reached")
    case let error as IOError:
      self.init(.brokenOff, "the connection to \(address) broke off (error \(error.errnoCode))")
    case is HTTPParserError, is NIOHTTPDecoderError: self.init(.brokenOff, "\(address) does not answer in HTTP")
    default: self.init(.brokenOff, "the exchange with \(address) failed (\(type(of: error)))")
    }
  }

  private static let unreachable = [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, ETIMEDOUT, EADDRNOTAVAIL, ENOENT]
}
