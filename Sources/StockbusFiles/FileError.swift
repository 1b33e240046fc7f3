#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

public import StockbusPlugin

/// What the system refused to do with a file, and why.
public struct FileError: EnvironmentError, Hashable, Sendable {
  /// What was attempted.
  public enum Attempt: Hashable, Sendable {
    /// Making a folder that the path leads through.
    case createFolder
    case open
    case write
    /// Giving a full file its next name, which is the payload.
    case rename(to: String)
    /// Waiting until the disk has it.
    case sync
    case close
    /// Having a file to write alone; the payload is who reads or writes it, in words.
    case claim(String)
  }

  public var attempt: Attempt
  /// The path as it was given; for `createFolder` and `rename` the folder or the file that it was about.
  public var path: String
  /// The system's error number, such as `ENOSPC`.
  public var code: Int32

  public init(_ attempt: Attempt, path: String, code: Int32) {
    self.attempt = attempt
    self.path = path
    self.code = code
  }

  /// Whether the reader of a pipe has gone; a program that writes to standard output usually ends quietly then.
  public var isBrokenPipe: Bool { code == EPIPE }
  /// Whether the disk, the quota or the largest allowed file is full.
  public var isOutOfSpace: Bool { code == ENOSPC || code == EDQUOT || code == EFBIG }
  /// Somebody else reads or writes the file, and will the next time.
  public var isPermanent: Bool { if case .claim = attempt { true } else { false } }
  /// Whether the same attempt may succeed in a while. A disk that was waited for in vain may have thrown away what it had, and says
  /// nothing of that the second time.
  var mayPass: Bool { isOutOfSpace && attempt != .sync }
}

extension FileError: CustomStringConvertible {
  /// One sentence: `cannot write 'trades.csv': No space left on device (ENOSPC)`.
  public var description: String {
    if case .claim(let other) = attempt { return "cannot write \(shown): \(other)" }
    return "cannot \(action): \(Self.text(of: code))"
  }

  private var shown: String { path == "-" ? "standard output" : "'\(path)'" }

  private var action: String {
    switch attempt {
    case .createFolder: "create the folder \(shown)"
    case .open: "open \(shown) for writing"
    case .write: "write \(shown)"
    case .rename(let target): "rename \(shown) to '\(target)'"
    case .sync: "bring \(shown) to the disk"
    case .close: "close \(shown)"
    case .claim: "write \(shown)"
    }
  }

  /// The system's words for an error number, with its name where it is one of those that files meet.
  static func text(of code: Int32) -> String {
    let words = String(cString: strerror(code))
    return names[code].map { "\(words) (\($0))" } ?? words
  }

  private static let names: [Int32: String] = [
    EACCES: "EACCES", EAGAIN: "EAGAIN", EBADF: "EBADF", EBUSY: "EBUSY", EDQUOT: "EDQUOT", EEXIST: "EEXIST", EFBIG: "EFBIG",
    EINVAL: "EINVAL", EIO: "EIO", EISDIR: "EISDIR", ELOOP: "ELOOP", EMFILE: "EMFILE", ENAMETOOLONG: "ENAMETOOLONG", ENFILE: "ENFILE",
    ENOENT: "ENOENT", ENOMEM: "ENOMEM", ENOSPC: "ENOSPC", ENOTDIR: "ENOTDIR", ENXIO: "ENXIO", EPERM: "EPERM", EPIPE: "EPIPE",
    EROFS: "EROFS", ETXTBSY: "ETXTBSY", EXDEV: "EXDEV",
  ]
}
