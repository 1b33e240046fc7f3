internal import LibC
internal import Synchronization

/// The exclusive right to read a pipe, terminal or socket in this program; released with the object.
final class StreamClaim: Sendable {
  private struct Stream: Hashable {
    var device: UInt64
    var inode: UInt64
  }
  private static let taken = Mutex<Set<Stream>>([])

  private let stream: Stream?

  private init(_ stream: Stream?) { self.stream = stream }

  deinit { if let stream { _ = Self.taken.withLock { $0.remove(stream) } } }

  /// Nil if another reader has the right. Without a status, it is the right to read an input that can be shared.
  static func take(_ status: stat?) -> StreamClaim? {
    guard let status else { return StreamClaim(nil) }
    let stream = Stream(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    return taken.withLock { $0.insert(stream).inserted } ? StreamClaim(stream) : nil
  }
}
