#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif
internal import StockbusSystem

/// A file, pipe, terminal or device that is open for reading.
///
/// Opening never waits, not even for the writer of a named pipe; reading waits for what a pipe or terminal has not got yet, until a
/// `Halt` ends that.
public final class InputDescriptor: Sendable {
  /// Why there is nothing to read.
  public enum Failure: Error, Hashable {
    /// What the system says.
    case system(Int32)
    /// Somebody else in this program reads the same pipe or terminal; each would get a part.
    case taken
    /// Standard input that was closed before the program began.
    case closed
    /// The wait was ended from outside.
    case halted

    /// In words, for the end of a sentence.
    public var text: String {
      switch self {
      case .system(let code): String(cString: strerror(code))
      case .taken: "it is being read already, and two readers would each get a part"
      case .closed: "it is closed, or not open for reading"
      case .halted: "reading was stopped"
      }
    }
  }

  /// True where bytes come when they come: of pipes, terminals, sockets and devices. They are read once.
  public let isLive: Bool
  private let descriptor: FileDescriptor
  private let halt: Halt
  private let claim: StreamClaim

  /// Opens what lies at `path`; `-` is standard input.
  public init(_ path: String, halt: Halt) throws(Failure) {
    self.halt = halt
    let isStandard = path == "-"
    let opened: FileDescriptor
    do throws(Errno) {
      opened = try isStandard ? Self.duplicateOfInput() : .opening(path, .readOnly, [.nonBlocking, .noControllingTerminal])
    } catch { throw isStandard && error == .badFileDescriptor ? .closed : .system(error.rawValue) }
    if isStandard, fcntl(opened.rawValue, F_GETFL) & O_ACCMODE == O_WRONLY {
      try? opened.shut()
      throw .closed
    }
    var status = stat()
    let isKnown = fstat(opened.rawValue, &status) == 0
    isLive = isKnown && Self.isLive(status.st_mode)
    // Whoever shares standard input with us shares its place in a plain file too; devices such as /dev/null are for everybody.
    let isSingle = isStandard || (isLive && (status.st_mode & S_IFMT != S_IFCHR || isatty(opened.rawValue) == 1))
    guard let claim = StreamClaim.take(isSingle ? status : nil) else {
      try? opened.shut()
      throw .taken
    }
    self.claim = claim
    descriptor = opened
  }

  deinit { try? descriptor.shut() }

  /// Bytes that a plain file has; nil for anything else.
  public var size: Int? {
    var status = stat()
    return fstat(descriptor.rawValue, &status) == 0 ? Self.plainSize(status) : nil
  }

  /// Whether reading would not wait: there is something to read, or nothing will ever be.
  public var isReady: Bool {
    if !isLive || halt.isHalted { return true }
    var entry = pollfd(fd: descriptor.rawValue, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, 0) != 0
  }

  /// Reads at most `capacity` bytes, waiting until there is at least one; 0 at the end.
  public func read(into bytes: UnsafeMutablePointer<UInt8>, capacity: Int) throws(Failure) -> Int {
    while true {
      // Asked first: a pipe without a writer that does not block would say that it is at its end.
      if isLive { try halt.wait(for: descriptor.rawValue) }
      do throws(Errno) {
        return try throwingErrno {
          try descriptor.read(into: UnsafeMutableRawBufferPointer(start: bytes, count: capacity), retryOnInterrupt: false)
        }
      } catch {
        // Not by itself, because of the wait.
        if error != .interrupted, error != .resourceTemporarilyUnavailable || !isLive { throw .system(error.rawValue) }
      }
    }
  }
}

extension InputDescriptor {
  /// Bytes of the plain file at `path`, which is not opened: opening and closing a pipe would break it for its writer. Nil where there
  /// is none.
  public static func plainSize(of path: String) -> Int? {
    var status = stat()
    return path != "-" && stat(path, &status) == 0 ? plainSize(status) : nil
  }

  /// True where `path` leads to something that can be read once: a pipe, a terminal, a socket, a device, or standard input.
  public static func isStream(_ path: String) -> Bool {
    var status = stat()
    return path == "-" || (stat(path, &status) == 0 && isLive(status.st_mode))
  }

  private static func plainSize(_ status: stat) -> Int? { status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : nil }

  private static func isLive(_ mode: mode_t) -> Bool { [S_IFIFO, S_IFCHR, S_IFSOCK].contains(mode & S_IFMT) }

  /// Standard input under a number of its own, which is not inherited.
  private static func duplicateOfInput() throws(Errno) -> FileDescriptor {
    FileDescriptor(rawValue: try retrying { fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) })
  }
}
