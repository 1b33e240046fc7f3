#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// The files that a run reads, by name: what an output is compared with before it is opened for good.
///
/// They are looked up whenever somebody asks, so that a link which has been turned since the configuration was checked is seen.
public struct RunFiles: Sendable {
  /// A file with who reads it, in words such as `source 'prices' reads it`.
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

  /// True where one of them is standard input.
  public var readStandardInput: Bool { readers.contains { ReadOnce($0.path) == .standardInput } }

  /// Who reads the file with this identity, in words; nil where nobody does.
  public func reader(of identity: FileIdentity) -> String? {
    readers.first { reader in
      if reader.path == "-" { return FileIdentity(descriptor: STDIN_FILENO) == identity }
      guard let place = FilePlace(reader.path), place.kind == .plain else { return false }
      return place.identity == identity
    }?.words
  }

  /// The same for what stands, or would stand, at a path.
  public func reader(of path: String) -> String? { FilePlace(path).flatMap { reader(of: $0.identity) } }
}
