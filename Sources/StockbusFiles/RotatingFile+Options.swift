#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

extension RotatingFile {
  /// What becomes of what is in the file already.
  public enum Opening: Hashable, Sendable, CaseIterable {
    /// It stays, and records go behind it.
    case append
    /// It is thrown away. Old files with numbers stay.
    case truncate
  }

  /// How a `RotatingFile` opens, fills and ends.
  public struct Options: Hashable, Sendable {
    public var opening = Opening.append
    /// The size in bytes that a file does not pass, unless a single record is longer; nil for no limit.
    public var rotateAt: Int?
    /// How many full files stay, at least 1: `path.1` is the youngest.
    public var keep = 5
    /// Whether closing and putting aside wait until the disk has the file (`fsync`) and its name.
    public var sync = false
    /// The beginning of every new file, such as the names of a CSV file's columns with their line end.
    public var header: [UInt8] = []
    /// The byte that ends a record; nil for records that are no lines, which then are appended without a look at what is before.
    public var lineEnd: UInt8? = 10
    /// Bytes that are collected before they are handed to the system; at least 1.
    public var bufferSize = 64 * 1024

    public init(
      opening: Opening = .append, rotateAt: Int? = nil, keep: Int = 5, sync: Bool = false, header: [UInt8] = [], lineEnd: UInt8? = 10,
      bufferSize: Int = 64 * 1024
    ) {
      self.opening = opening
      self.rotateAt = rotateAt
      self.keep = max(1, keep)
      self.sync = sync
      self.header = header
      self.lineEnd = lineEnd
      self.bufferSize = max(1, bufferSize)
    }
  }
}

extension FileError {
  static let notOpen = EBADF
  static let invalid = EINVAL
  static let missing = ENOENT
  static let busy = EBUSY
}
