import NIOCore
import NIOPosix

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A TCP client that sends, and never reads.
final class Stalled: Sendable {
  private let channel: any Channel

  init(port: Int) async throws {
    channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .channelOption(.autoRead, value: false)
      .connect(host: "127.0.0.1", port: port).get()
  }

  func say(_ text: String) async throws { try await channel.writeAndFlush(ByteBuffer(string: text)).get() }
  func close() { channel.close(promise: nil) }
}

/// The rights of a file; nil if there is none.
func rights(of path: String) -> Int? {
  var status = stat()
  return lstat(path, &status) == 0 ? Int(status.st_mode & 0o777) : nil
}
