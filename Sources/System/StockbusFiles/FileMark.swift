internal import LibC
internal import StockbusSystem

/// The place in a file at which a run was left, or would go on if it were killed. The next run cuts the file back to it.
package struct FileMark: Sendable, Codable, Hashable {
  let length: Int
  let inode: UInt64
  /// The last bytes before the place, by which a file that is another one now is recognised.
  let end: [UInt8]

  private static let most = 64

  /// Nil if the open file at this path cannot be read.
  init?(_ descriptor: Int32, at path: String) {
    guard let length = Descriptor.plainSize(descriptor), let inode = Self.inode(of: path), let end = Self.end(of: path, at: length) else {
      return nil
    }
    (self.length, self.inode, self.end) = (length, inode, end)
  }

  private static func inode(of path: String) -> UInt64? {
    var status = stat()
    return stat(path, &status) == 0 ? UInt64(status.st_ino) : nil
  }

  private static func end(of path: String, at length: Int) -> [UInt8]? {
    guard let file = try? FileDescriptor.opening(path, .readOnly, .nonBlocking) else { return nil }
    defer { try? file.shut() }
    var bytes = [UInt8](repeating: 0, count: min(length, most))
    let start = Int64(length - bytes.count)
    let count = bytes.withUnsafeMutableBytes { try? file.read(fromAbsoluteOffset: start, into: $0) }
    return count == bytes.count ? bytes : nil
  }

  /// Undoes the rotations since then: newer files go, the file gets its name back, and older ones their numbers. A rotation, or this, may have
  /// been interrupted anywhere, so that numbers are missing.
  ///
  /// - Parameter keep: how many full files there may be.
  func undoRotations(of path: String, keep: Int) {
    let numbers = (1...keep).filter { Descriptor.exists("\(path).\($0)") }
    let own = Self.inode(of: path) == inode ? 0 : numbers.first { Self.inode(of: "\(path).\($0)") == inode }
    guard let own else { return }
    if own > 0 {
      for newer in numbers where newer < own { unlink("\(path).\(newer)") }
      _ = Descriptor.move("\(path).\(own)", to: path)
    }
    for (place, older) in numbers.filter({ $0 > own }).enumerated() where older != place + 1 {
      _ = Descriptor.move("\(path).\(older)", to: "\(path).\(place + 1)")
    }
  }

  /// The same for a stream, whose full files keep their numbers.
  func undoRotations(of path: String, in files: NumberedFiles) {
    guard Self.inode(of: path) != inode, let numbers = try? files.numbers(),
      let own = numbers.first(where: { Self.inode(of: files.stream($0)) == inode })
    else { return }
    for newer in numbers where newer > own { for path in files.paths(newer) { unlink(path) } }
    _ = Descriptor.move(files.stream(own), to: path)
  }

  /// Cuts the open file back. Throws, and changes nothing, if it is another one now; a file that was removed or emptied begins again.
  ///
  /// - Parameter isLeft: the run has ended there, and written nothing since.
  func cut(_ descriptor: Int32, at path: String, isLeft: Bool, by truncate: (Int32, Int) -> Int32) throws(FileError) {
    let length = Descriptor.plainSize(descriptor) ?? 0
    if length == 0 { return }
    let isSame = length >= self.length && Self.end(of: path, at: self.length) == end
    if !isSame || isLeft && length != self.length {
      throw FileError(
        .claim(
          "it was changed since the run left it with \(self.length) bytes: put it back, or let the component begin anew (stockbus memory forget NAME)"
        ), path: path, code: FileError.busy)
    }
    let code = truncate(descriptor, self.length)
    if code != 0 { throw FileError(.open, path: path, code: code) }
  }
}
