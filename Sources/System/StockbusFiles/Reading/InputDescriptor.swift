internal import LibC
internal import StockbusSystem

/// A file, pipe, terminal or device that is open for reading.
///
/// Opening never waits, not even for the writer of a named pipe. Reading waits for bytes that a pipe or terminal does not have yet, until a
/// `Halt` ends the wait.
package final class InputDescriptor: Sendable {
  /// Why reading is not possible.
  package enum Failure: Error, Hashable {
    /// The system's error number.
    case system(Int32)
    /// Another component of this program reads the same pipe or terminal; each reader would get only a part.
    case taken
    /// Standard input was closed before the program began.
    case closed
    /// `halt` has ended the wait.
    case halted

    /// The reason in words, for the end of a sentence.
    package var text: String {
      switch self {
      case .system(let code): String(cString: strerror(code))
      case .taken: "it has a reader already, and two readers would each get only a part"
      case .closed: "it is closed, or not open for reading"
      case .halted: "reading was stopped"
      }
    }
  }

  /// True for pipes, terminals, sockets and devices, whose bytes arrive over time and can be read only once.
  package let isLive: Bool
  private let descriptor: FileDescriptor
  private let halt: Halt
  private let claim: StreamClaim

  /// Opens the file at `path`; `-` is standard input.
  package init(_ path: String, halt: Halt) throws(Failure) {
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
    // Two readers of standard input share its position even if it is a plain file. Devices such as /dev/null can be shared.
    let isSingle = isStandard || (isLive && (status.st_mode & S_IFMT != S_IFCHR || isatty(opened.rawValue) == 1))
    guard let claim = StreamClaim.take(isSingle ? status : nil) else {
      try? opened.shut()
      throw .taken
    }
    self.claim = claim
    descriptor = opened
  }

  deinit { try? descriptor.shut() }

  /// The size of a plain file in bytes; nil for anything else.
  package var size: Int? {
    var status = stat()
    return fstat(descriptor.rawValue, &status) == 0 ? Self.plainSize(status) : nil
  }

  /// True if reading would not wait: there are bytes to read, or there never will be.
  package var isReady: Bool {
    if !isLive || halt.isHalted { return true }
    var entry = pollfd(fd: descriptor.rawValue, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, 0) != 0
  }

  /// Reads at most `capacity` bytes, waiting until there is at least one; returns 0 at the end.
  package func read(into bytes: UnsafeMutablePointer<UInt8>, capacity: Int) throws(Failure) -> Int {
    while true {
      // Waits first, because a non-blocking pipe without a writer would report its end.
      if isLive { try halt.wait(for: descriptor.rawValue) }
      do throws(Errno) {
        return try throwingErrno {
          try descriptor.read(into: UnsafeMutableRawBufferPointer(start: bytes, count: capacity), retryOnInterrupt: false)
        }
      } catch {
        // An interrupted read is repeated here and not by swift-system, because the wait must come first.
        if error != .interrupted, error != .resourceTemporarilyUnavailable || !isLive { throw .system(error.rawValue) }
      }
    }
  }
}

extension InputDescriptor {
  /// The size of the plain file at `path` in bytes; nil if there is none. The file is not opened, because opening and closing a pipe would
  /// break it for its writer.
  package static func plainSize(of path: String) -> Int? {
    var status = stat()
    return path != "-" && stat(path, &status) == 0 ? plainSize(status) : nil
  }

  /// True if `path` leads to an input that can be read only once: a pipe, a terminal, a socket, a device, or standard input.
  package static func isStream(_ path: String) -> Bool {
    var status = stat()
    return path == "-" || (stat(path, &status) == 0 && isLive(status.st_mode))
  }

  private static func plainSize(_ status: stat) -> Int? { status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : nil }

  private static func isLive(_ mode: mode_t) -> Bool { [S_IFIFO, S_IFCHR, S_IFSOCK].contains(mode & S_IFMT) }

  /// A duplicate of standard input, which children do not inherit.
  private static func duplicateOfInput() throws(Errno) -> FileDescriptor {
    FileDescriptor(rawValue: try retrying { fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) })
  }
}
