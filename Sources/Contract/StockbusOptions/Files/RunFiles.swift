internal import LibC

/// The files that a run reads, by name. An output file is compared with them before it is opened for writing.
///
/// Paths are resolved at each call, so that a link changed after the check of the configuration is noticed.
package struct RunFiles: Sendable {
  /// A file with its reader, in words such as `source 'prices' reads it`.
  package struct Reader: Sendable, Hashable {
    package let path: String
    package let words: String

    package init(path: String, words: String) {
      self.path = path
      self.words = words
    }
  }

  private let readers: [Reader]

  package init(_ readers: [Reader] = []) { self.readers = readers }

  /// True if the run reads standard input.
  package var readStandardInput: Bool { readers.contains { ReadOnce($0.path) == .standardInput } }

  /// The reader of the file with this identity, in words; nil if there is none.
  package func reader(of identity: FileIdentity) -> String? {
    readers.first { reader in
      if reader.path == "-" { return FileIdentity(descriptor: STDIN_FILENO) == identity }
      guard let place = FilePlace(reader.path), place.kind == .plain else { return false }
      return place.identity == identity
    }?.words
  }

  /// The reader of the file at a path, whether the file exists or not.
  package func reader(of path: String) -> String? { FilePlace(path).flatMap { reader(of: $0.identity) } }
}
