import StockbusPlugin

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

func makeExecutable(_ path: String) { chmod(path, 0o755) }

func makePipe(_ path: String) { mkfifo(path, 0o600) }

/// Reads lines of a named pipe on a thread of its own, because opening and reading block.
actor PipeReader {
  private let executor = BlockingExecutor(label: "PipeReader")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private let path: String
  private var descriptor: Int32 = -1

  init(_ path: String) { self.path = path }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// The next line; nil when no writer is left.
  func line() -> String? {
    if descriptor < 0 { descriptor = open(path, O_RDONLY | O_CLOEXEC) }
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    while read(descriptor, &byte, 1) == 1 {
      if byte == 10 { return String(decoding: bytes, as: UTF8.self) }
      bytes.append(byte)
    }
    return nil
  }

  static func write(_ text: String, to path: String) async throws {
    try await PipeReader(path).put(text)
  }

  private func put(_ text: String) throws {
    let writing = open(path, O_WRONLY | O_CLOEXEC)
    defer { close(writing) }
    var text = text
    let count = text.withUTF8 { Glibcless.write(writing, $0) }
    if count != text.utf8.count { throw PipeError() }
  }

  struct PipeError: Error {}
}

private enum Glibcless {
  static func write(_ descriptor: Int32, _ bytes: UnsafeBufferPointer<UInt8>) -> Int {
    #if canImport(Glibc)
    Glibc.write(descriptor, bytes.baseAddress, bytes.count)
    #else
    Darwin.write(descriptor, bytes.baseAddress, bytes.count)
    #endif
  }
}
