internal import LibC
internal import StockbusPlugin

/// The place where a Unix socket is created: in a folder that only its owner can enter. The socket is moved to its path after its rights
/// are set, so that no other user can connect in between.
struct SocketPlace {
  private let path: String
  private let folder: String

  /// Throws an `EnvironmentFailure` if another file is at the path, or another process listens there.
  init(_ path: String) throws {
    self.path = path
    var status = stat()
    if lstat(path, &status) == 0 {
      guard status.st_mode & S_IFMT == S_IFSOCK else { throw EnvironmentFailure("\(path): exists and is not a socket", isPermanent: true) }
      if Self.isAnswered(path) { throw EnvironmentFailure("\(path): another process listens there", isPermanent: true) }
    }
    var template = Array((path + "-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else {
      throw EnvironmentFailure("\(path): cannot listen there: \(String(cString: strerror(errno)))", isPermanent: true)
    }
    folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  var temporary: String { folder + "/s" }

  /// Gives the socket its rights and its path.
  func publish() throws {
    if chmod(temporary, 0o600) != 0 || rename(temporary, path) != 0 {
      throw EnvironmentFailure(String(cString: strerror(errno)), isPermanent: true)
    }
    rmdir(folder)
  }

  func discard() {
    unlink(temporary)
    rmdir(folder)
  }

  static func remove(_ path: String) { unlink(path) }

  private static func isAnswered(_ path: String) -> Bool {
    guard let made = try? socket() else { return false }
    defer { close(made) }
    return withAddress(path) { connect(made, $0, $1) == 0 } ?? false
  }

  /// Creates a listening socket at the temporary path.
  func listen() throws -> CInt {
    let made = try Self.socket()
    let isBound = Self.withAddress(temporary) { bind(made, $0, $1) == 0 }
    guard isBound == true, Self.listen(made) == 0 else {
      let reason = isBound == nil ? "the path is too long" : String(cString: strerror(errno))
      close(made)
      throw EnvironmentFailure(reason, isPermanent: true)
    }
    return made
  }

  private static func socket() throws -> CInt {
    #if canImport(Glibc)
    let made = LibC.socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    #else
    let made = LibC.socket(AF_UNIX, SOCK_STREAM, 0)
    #endif
    guard made >= 0 else { throw EnvironmentFailure(String(cString: strerror(errno)), isPermanent: true) }
    return made
  }

  private static func listen(_ socket: CInt) -> CInt {
    LibC.listen(socket, 256)
  }

  /// Calls `body` with the address of a path; nil if the path is too long for an address.
  private static func withAddress<Result>(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result? {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8CString)
    let fits = withUnsafeMutableBytes(of: &address.sun_path) { place in
      guard bytes.count <= place.count else { return false }
      bytes.withUnsafeBytes { place.copyMemory(from: $0) }
      return true
    }
    guard fits else { return nil }
    return withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
  }
}
