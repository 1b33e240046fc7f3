internal import LibC

/// The identity of a file, the same for all paths that lead to the file by symbolic or hard links.
package struct FileIdentity: Sendable, Hashable {
  let device: UInt64
  let inode: UInt64
  /// The path components that do not exist yet, below the existing folder that `device` and `inode` identify.
  let missing: [String]

  /// The identity of an open file.
  package init?(descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    self.init(status)
  }

  init(_ status: stat, missing: [String] = []) {
    device = UInt64(truncatingIfNeeded: status.st_dev)
    inode = UInt64(status.st_ino)
    self.missing = missing
  }

  /// The identity of the file with this name in this folder. Neither needs to exist yet.
  package func child(_ name: String) -> FileIdentity { FileIdentity(device: device, inode: inode, missing: missing + [name]) }

  private init(device: UInt64, inode: UInt64, missing: [String]) {
    self.device = device
    self.inode = inode
    self.missing = missing
  }
}

/// The file or stream to which a path leads now, with all links followed.
package struct FilePlace: Sendable, Hashable {
  package enum Kind: Sendable, Hashable {
    case plain, folder
    /// A pipe, a terminal or a device, which several programs may share.
    case stream
    case missing
  }

  package let kind: Kind
  /// True for pipes and sockets: two readers would each get only a part.
  package let isReadOnce: Bool
  package let identity: FileIdentity
  /// The path without links, for files that are created beside this one.
  package let path: String
  /// The folder that contains, or will contain, the file.
  package let folder: FileIdentity

  /// Nil if the system cannot resolve the path, for example a path through a file or through too many links.
  package init?(_ path: String) {
    guard !path.isEmpty, !path.utf8.contains(0), let end = Self.following(path) else { return nil }
    var (existing, missing) = (end, [String]())
    var up = 0
    var status = stat()
    while stat(existing, &status) != 0 {
      guard errno == ENOENT, existing != "/", existing != "." else { return nil }
      let (folder, name) = Self.split(existing)
      if name == ".." {
        up += 1
      } else if !name.isEmpty, name != "." {
        if up > 0 { up -= 1 } else { missing.insert(name, at: 0) }
      }
      existing = folder
    }
    for _ in 0..<up { existing += "/.." }
    guard stat(existing, &status) == 0 else { return nil }
    let mode = status.st_mode & S_IFMT
    let base: String
    if let real = realpath(existing, nil) {
      defer { free(real) }
      base = String(cString: real)
    } else if missing.isEmpty, mode != S_IFDIR, mode != S_IFREG || Self.isStandardStream(path) {
      // The target of a descriptor's name, such as a pipe behind /dev/fd/63, need not have a name of its own.
      base = existing
    } else {
      return nil
    }
    identity = FileIdentity(status, missing: missing)
    self.path = missing.isEmpty ? base : (base == "/" ? "" : base) + "/" + missing.joined(separator: "/")
    kind =
      if !missing.isEmpty {
        .missing
      } else {
        switch mode {
        case S_IFREG: Self.isStandardStream(path) ? .stream : .plain
        case S_IFDIR: .folder
        default: .stream
        }
      }
    isReadOnce = missing.isEmpty && (mode == S_IFIFO || mode == S_IFSOCK)
    if missing.isEmpty {
      guard stat(Self.split(base).folder, &status) == 0 else { return nil }
      folder = FileIdentity(status)
    } else {
      folder = FileIdentity(status, missing: missing.dropLast())
    }
  }

  /// The last component of the path.
  package var name: String { Self.split(path).name }

  /// True for names of descriptors that the program was started with. Several programs may write to them, even to a plain file.
  private static func isStandardStream(_ path: String) -> Bool {
    ["/dev/stdin", "/dev/stdout", "/dev/stderr"].contains(path) || path.hasPrefix("/dev/fd/") || path.hasPrefix("/proc/self/fd/")
  }

  /// Follows a link to something that does not exist yet to its target, which opening the link would create.
  private static func following(_ path: String) -> String? {
    var path = path
    for _ in 0..<40 {
      var status = stat()
      guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK, stat(path, &status) != 0, errno == ENOENT else { return path }
      var bytes = [CChar](repeating: 0, count: 4096)
      let count = readlink(path, &bytes, bytes.count)
      guard count > 0, count < bytes.count else { return nil }
      let target = String(decoding: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
      path = target.hasPrefix("/") ? target : split(path).folder + "/" + target
    }
    return nil
  }

  private static func split(_ path: String) -> (folder: String, name: String) {
    guard let slash = path.utf8.lastIndex(of: 47) else { return (".", path) }
    return (slash == path.startIndex ? "/" : String(path[..<slash]), String(path[path.index(after: slash)...]))
  }
}
