internal import LibC

/// The service manager that has started this process, such as systemd. It is notified by datagrams to the Unix socket named in the variable
/// `NOTIFY_SOCKET`, as sd_notify(3) describes.
///
/// The process does not depend on the service manager, so errors are ignored.
package struct ServiceManager: Sendable {
  /// A change in the state of the process.
  package enum Notice: Sendable, Hashable {
    /// The process has started, or a change is complete.
    case ready
    /// The process is being changed; `ready` follows.
    case reloading
    /// The process is about to end.
    case stopping
  }

  /// A path, or `@` and an abstract name that is not a file.
  private let socket: String
  /// The service manager ignores datagrams of more than 4096 bytes.
  private static let longestStatus = 2048

  /// Nil if no service manager waits for notifications.
  package init?(_ environment: (String) -> String? = { getenv($0).map { String(cString: $0) } }) {
    guard let socket = environment("NOTIFY_SOCKET"), socket.hasPrefix("/") || socket.hasPrefix("@") else { return nil }
    self.socket = socket
  }

  /// Sends a change, and the state of the process in a line for the user. Waits at most a second for room.
  package func notify(_ notice: Notice?, _ status: String? = nil) {
    var fields: [String] = []
    switch notice {
    case .ready: fields.append("READY=1")
    case .reloading: fields += ["RELOADING=1", "MONOTONIC_USEC=\(Self.microseconds)"]
    case .stopping: fields.append("STOPPING=1")
    case nil: break
    }
    if let status {
      let line = String(status.map { $0.isNewline ? " " : $0 })
      fields.append("STATUS=" + String(decoding: line.utf8.prefix(Self.longestStatus), as: UTF8.self))
    }
    send(fields.joined(separator: "\n"))
  }

  /// The time by which the service manager distinguishes the reply to its request from one to an earlier request.
  private static var microseconds: Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int(time.tv_sec) * 1_000_000 + Int(time.tv_nsec) / 1000
  }

  // Unsafe, because swift-system has no sockets. The targets of the pointers live as long as the calls.
  private func send(_ message: String) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let name = Array(socket.utf8)
    guard name.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
    // A zero instead of the `@`, and exactly the name's bytes, make it an abstract name, not a file.
    if socket.hasPrefix("@") { address.sun_path.0 = 0 }
    let length = MemoryLayout<sockaddr_un>.size - MemoryLayout.size(ofValue: address.sun_path) + name.count
    #if canImport(Darwin)
    let made = LibC.socket(AF_UNIX, SOCK_DGRAM, 0)
    #else
    let made = LibC.socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    #endif
    guard made >= 0 else { return }
    defer { close(made) }
    var patience = timeval(tv_sec: 1, tv_usec: 0)
    setsockopt(made, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    let bytes = Array(message.utf8)
    _ = try? retrying {
      withUnsafePointer(to: &address) { address in
        address.withMemoryRebound(to: sockaddr.self, capacity: 1) { sendto(made, bytes, bytes.count, 0, $0, socklen_t(length)) }
      }
    }
  }
}
