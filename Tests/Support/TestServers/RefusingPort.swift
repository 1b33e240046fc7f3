#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// A port of this machine that refuses every connection and cannot be taken meanwhile: it is bound, but not listened on.
///
/// The port of a stopped server is not suitable, because a server of another test may get it.
public final class RefusingPort: Sendable {
  /// On 127.0.0.1; kept as long as this object exists.
  public let number: Int
  private let socket: CInt

  /// Binds a free port; stops the test if there is none.
  public init() {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    #if canImport(Glibc)
    let made = Glibc.socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    #else
    let made = Darwin.socket(AF_INET, SOCK_STREAM, 0)
    #endif
    let isBound = withUnsafeMutablePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(made, $0, size) == 0 && getsockname(made, $0, &size) == 0 }
    }
    precondition(isBound, "no port can be bound")
    socket = made
    number = Int(UInt16(bigEndian: address.sin_port))
  }

  deinit { close(socket) }
}
