internal import LibC

extension RotatingFile {
  /// The treatment of an existing file's contents.
  package enum Opening: Hashable, Sendable, CaseIterable {
    /// The contents stay, and records are added after them.
    case append
    /// The contents are deleted. Rotated files stay.
    case truncate
  }

  /// The options of a `RotatingFile`.
  package struct Options: Sendable {
    package var opening = Opening.append
    /// Where an earlier run has left the file, and whether it has ended there; nil if there was none.
    package var mark: (place: FileMark, isLeft: Bool)?
    /// The size in bytes that a file does not exceed, unless a single record is longer; nil for no limit.
    package var rotateAt: Int?
    /// How many full files are kept, at least 1; `path.1` is the newest.
    package var keep = 5
    /// Whether closing and rotating wait until the file and its name are on the disk (`fsync`).
    package var sync = false
    /// The beginning of every new file, such as the line with a CSV file's columns.
    package var header: [UInt8] = []
    /// The byte that ends a record; nil for records that are not lines, which are added without checking the end of the file.
    package var lineEnd: UInt8? = 10
    /// For a file of messages; nil for others.
    package var stream: StreamFile?
    /// How many bytes are buffered before they are written; at least 1.
    package var bufferSize = 64 * 1024

    package init(
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
