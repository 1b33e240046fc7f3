#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// The files that a run reads, by name. An output is compared with them before it is opened for good.
///
/// They are resolved at each call, so that a link that was changed after the configuration was checked is noticed.
public struct RunFiles: Sendable {
  /// A file with its reader, in words such as `source 'prices' reads it`.
  public struct Reader: Sendable, Hashable {
    public let path: String
    public let words: String

    public init(path: String, words: String) {
      self.path = path
      self.words = words
    }
  }

  private let readers: [Reader]

  public init(_ readers: [Reader] = []) { self.readers = readers }

  /// True if one of them is standard input.
  public var readStandardInput: Bool { readers.contains { ReadOnce($0.path) == .standardInput } }

  /// The reader of the file with this identity, in words; nil if there is none.
  public func reader(of identity: FileIdentity) -> String? {
    readers.first { reader in
      if reader.path == "-" { return FileIdentity(descriptor: STDIN_FILENO) == identity }
      guard let place = FilePlace(reader.path), place.kind == .plain else { return false }
      return place.identity == identity
    }?.words
  }

  /// The reader of the file at a path, whether it exists or not.
  public func reader(of path: String) -> String? { FilePlace(path).flatMap { reader(of: $0.identity) } }
}
