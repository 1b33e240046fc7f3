internal import LibC
internal import StockbusPlugin

/// A file operation that the system refused, and the reason.
package struct FileError: EnvironmentError, Hashable, Sendable {
  /// The attempted operation.
  package enum Attempt: Hashable, Sendable {
    /// Creating a folder above the path.
    case createFolder
    case open
    case write
    /// Renaming a full file to the payload.
    case rename(to: String)
    /// Waiting until the file is on the disk.
    case sync
    case close
    /// Getting exclusive use of a file; the payload names the other user in words.
    case claim(String)
    /// Making a file of another one; the payload says why that is impossible.
    case make(String)
  }

  package var attempt: Attempt
  /// The path as given; for `createFolder` and `rename` the folder or file concerned.
  package var path: String
  /// The system's error number, such as `ENOSPC`.
  package var code: Int32

  package init(_ attempt: Attempt, path: String, code: Int32) {
    self.attempt = attempt
    self.path = path
    self.code = code
  }

  /// True if a pipe has lost its reader. A program that writes to standard output usually ends quietly then.
  package var isBrokenPipe: Bool { code == EPIPE }
  /// True if the disk, the quota or the maximum file size is exhausted.
  package var isOutOfSpace: Bool { code == ENOSPC || code == EDQUOT || code == EFBIG }
  /// True if another user of the file refuses it, because another attempt would be refused too.
  package var isPermanent: Bool { if case .claim = attempt { true } else { false } }
  /// True if the same attempt may succeed later: there may be room again, or a removed file can be recreated. False after a failed `sync`:
  /// the system may have dropped the data, and would not report that a second time.
  package var mayPass: Bool {
    switch attempt {
    case .open, .createFolder: true
    case .write: isOutOfSpace || code == Self.missing
    case .rename, .close, .claim: isOutOfSpace
    case .sync, .make: false
    }
  }
}

extension FileError: CustomStringConvertible {
  /// The error in one sentence: `cannot write 'trades.csv': No space left on device (ENOSPC)`.
  package var description: String {
    if case .claim(let other) = attempt { return "cannot write \(shown): \(other)" }
    if case .make(let reason) = attempt { return "cannot make \(shown): \(reason)" }
    return "cannot \(action): \(Self.text(of: code))"
  }

  private var shown: String { path == "-" ? "standard output" : "'\(path)'" }

  private var action: String {
    switch attempt {
    case .createFolder: "create the folder \(shown)"
    case .open: "open \(shown) for writing"
    case .write: "write \(shown)"
    case .rename(let target): "rename \(shown) to '\(target)'"
    case .sync: "sync \(shown) to the disk"
    case .close: "close \(shown)"
    case .claim, .make: "write \(shown)"
    }
  }

  /// The system's description of an error number, with its name if it is a usual one for files.
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
