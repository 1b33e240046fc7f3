internal import LibC
internal import NIOCore
internal import NIOPosix

/// The system's message for a failed connection, without names of functions and types.
package func systemWords(_ error: any Error) -> String {
  switch error {
  case let error as IOError: String(cString: strerror(error.errnoCode))
  case let error as NIOConnectionError:
    if let first = error.connectionErrors.first {
      systemWords(first.error)
    } else if error.dnsAError != nil || error.dnsAAAAError != nil {
      "the host is unknown"
    } else {
      "no connection"
    }
  case ChannelError.connectTimeout: "no connection in time"
  default: "\(error)".printable
  }
}
