import Glibc
import TestSupport
import StockbusSystem
import Testing

@Suite struct WholeTests {
  private func withPipe(_ body: (_ readEnd: FileDescriptor, _ writeEnd: FileDescriptor) throws -> Void) throws {
    let (readEnd, writeEnd) = try FileDescriptor.pipe()
    defer { try? readEnd.close() }
    try body(readEnd, writeEnd)
  }

  @Test func `reads to the end, and never more than the limit`() throws {
    for (limit, expected) in [(0, ""), (3, "abc"), (10, "abcdefghij"), (11, "abcdefghij"), (Int.max, "abcdefghij")] {
      try withPipe { readEnd, writeEnd in
        try Array("abcdefghij".utf8).withUnsafeBytes { try writeEnd.writeWhole($0) }
        try writeEnd.shut()
        #expect(String(decoding: try readEnd.readToEnd(atMost: limit), as: UTF8.self) == expected)
      }
    }
  }

  @Test func `what is longer than a piece is read as a whole`() throws {
    var random = SplitMix(1)
    let bytes = (0..<200_000).map { _ in UInt8.random(in: 0...255, using: &random) }
    let folder = "/tmp/stockbus-system-\(getpid())"
    let file = try FileDescriptor.opening(folder, .readWrite, [.create, .exclusiveCreate], permissions: .ownerReadWrite)
    unlink(folder)
    try bytes.withUnsafeBytes { try file.writeWhole($0) }
    _ = try file.seek(offset: 0, from: .start)
    #expect(try file.readToEnd(atMost: 131_073) == Array(bytes[..<131_073]))
    #expect(try file.readToEnd(atMost: 1 << 20) == Array(bytes[131_073...]))
    #expect(try file.readToEnd(atMost: 1 << 20) == [])
    try file.shut()
  }

  /// The result of a write: a number of bytes, or an error.
  private enum Answer {
    case takes(Int)
    case fails(Errno)
  }

  /// What was written to a descriptor with scripted results, and how it ended.
  private func written(_ text: String, _ script: [Answer], from first: Int = 0) -> (text: String, sent: Int, error: Errno?) {
    var given = ""
    var sent = first
    var next = script[...]
    let write: FileDescriptor.Write = { (bytes) throws(Errno) in
      switch next.popFirst() ?? .takes(bytes.count) {
      case .takes(let count):
        given += String(decoding: bytes.prefix(count), as: UTF8.self)
        return count
      case .fails(let error): throw error
      }
    }
    // An end of a pipe that always has room, for waiting until it is writable.
    guard let (readEnd, writeEnd) = try? FileDescriptor.pipe() else { return ("no pipe", 0, nil) }
    defer {
      try? readEnd.close()
      try? writeEnd.close()
    }
    var text = text
    return text.withUTF8 { bytes in
      do throws(Errno) {
        try writeEnd.writeWhole(UnsafeRawBufferPointer(bytes), from: &sent, by: write)
        return (given, sent, nil)
      } catch { return (given, sent, error) }
    }
  }

  @Test func `short writes, interruptions and waits lose and double nothing`() {
    #expect(written("abcdef", [.takes(1), .fails(.interrupted), .takes(2), .fails(.resourceTemporarilyUnavailable)]) == ("abcdef", 6, nil))
    #expect(written("abcdef", [.fails(.interrupted), .fails(.interrupted)], from: 4) == ("ef", 6, nil))
    #expect(written("", [.fails(.ioError)]) == ("", 0, nil))
    #expect(written("abc", [.fails(.ioError)], from: 3) == ("", 3, nil))
  }

  @Test func `where it fails it says how far it came`() {
    #expect(written("abcdef", [.takes(2), .fails(.noSpace)]) == ("ab", 2, .noSpace))
    #expect(written("abcdef", [.takes(2), .fails(.brokenPipe)], from: 1) == ("bc", 3, .brokenPipe))
    #expect(written("abcdef", [.takes(5), .takes(0)]) == ("abcde", 5, .ioError))
  }

  @Test func `a path is opened as it is written`() throws {
    let path = "/tmp/stockbus-opening-\(getpid())"
    try FileDescriptor.opening(path, .writeOnly, [.create], permissions: .ownerReadWrite).shut()
    defer { unlink(path) }
    // `FilePath` would have dropped the slash.
    #expect(throws: Errno.notDirectory) { try FileDescriptor.opening(path + "/", .readOnly) }
    #expect(throws: Errno.fileExists) {
      try FileDescriptor.opening(path, .writeOnly, [.create, .exclusiveCreate], permissions: .ownerRead)
    }
    #expect(throws: Errno.noSuchFileOrDirectory) { try FileDescriptor.opening(path + ".other", .readOnly) }
    let file = try FileDescriptor.opening(path, .readOnly)
    #expect(fcntl(file.rawValue, F_GETFD) & FD_CLOEXEC != 0)
    try file.shut()
    #expect(throws: Errno.badFileDescriptor) { try FileDescriptor(rawValue: -1).shut() }
  }
}
