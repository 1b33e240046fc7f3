import Glibc
import TestSupport
import Synchronization
import Testing

@testable import StockbusFiles

@Suite struct FileFailureTests {
  let folder = TemporaryFolder()

  private func failure(_ body: () throws(FileError) -> Void) -> String {
    do throws(FileError) { try body() } catch { return "\(error)".replacing(folder.path, with: "/tmp/x") }
    return "no error"
  }

  @Test func `says what was attempted, where, and why it failed`() throws {
    let path = folder.file("plain")
    folder.put("text\n", in: "plain")
    #expect(
      failure { () throws(FileError) in _ = try RotatingFile(path: folder.path) }
        == "cannot open '/tmp/x' for writing: Is a directory (EISDIR)")
    #expect(
      failure { () throws(FileError) in _ = try RotatingFile(path: path + "/a") }
        == "cannot open '/tmp/x/plain/a' for writing: Not a directory (ENOTDIR)")
    #expect(
      failure { () throws(FileError) in _ = try RotatingFile(path: path + "/a/b") }
        == "cannot create the folder '/tmp/x/plain/a': Not a directory (ENOTDIR)")
    #expect(
      failure { () throws(FileError) in _ = try RotatingFile(path: "") } == "cannot open '' for writing: No such file or directory (ENOENT)"
    )
    #expect(
      failure { () throws(FileError) in _ = try RotatingFile(path: "a\0b") } == "cannot open 'a\0b' for writing: Invalid argument (EINVAL)")
    #expect(folder.content("plain") == "text\n")
  }

  @Test func `a full disk is an error that can be told from others`() throws {
    let file = try RotatingFile(path: "/dev/full", options: .init(rotateAt: 1))
    try file.write(.of("one\n"))
    let error = #expect(throws: FileError.self) { try file.flush() }
    #expect(error?.description == "cannot write '/dev/full': No space left on device (ENOSPC)")
    #expect(error?.isOutOfSpace == true)
    #expect(error?.isBrokenPipe == false)
  }

  @Test func `a pipe without a reader is an error instead of a wait`() {
    mkfifo(folder.file("pipe"), 0o600)
    #expect(
      failure { () throws(FileError) in _ = try RotatingFile(path: folder.file("pipe")) }
        == "cannot open '/tmp/x/pipe' for writing: No such device or address (ENXIO)")
  }

  @Test func `a reader that goes away is a broken pipe`() throws {
    signal(SIGPIPE, SIG_IGN)
    mkfifo(folder.file("pipe"), 0o600)
    let reader = open(folder.file("pipe"), O_RDONLY | O_NONBLOCK)
    let file = try RotatingFile(path: folder.file("pipe"))
    try file.write(.of("one\n"))
    try file.flush()
    var bytes = [UInt8](repeating: 0, count: 16)
    #expect(read(reader, &bytes, 16) == 4)
    close(reader)
    try file.write(.of("two\n"))
    let error = #expect(throws: FileError.self) { try file.flush() }
    #expect(error?.isBrokenPipe == true)
  }

  /// Writes at most `share` bytes in each call; every third call is interrupted.
  @Test func `goes on after interruptions and short writes`() throws {
    let calls = Mutex(0)
    let file = try RotatingFile(path: folder.file("log"))
    file.calls.write = { descriptor, bytes, count in
      let call = calls.withLock {
        $0 += 1
        return $0
      }
      if call % 3 == 0 {
        errno = EINTR
        return -1
      }
      return Descriptor.system(descriptor, bytes, min(count, 5))
    }
    let text = (0..<100).map { "record \($0)\n" }.joined()
    try file.write(.of(text))
    try file.close()
    #expect(folder.content("log") == text)
  }

  @Test(arguments: 0..<30) func `a disk that is full for a while costs no byte`(seed: UInt64) throws {
    let random = Mutex(SplitMix(seed))
    let file = try RotatingFile(path: folder.file("log"), options: .init(rotateAt: 120, keep: 1000, bufferSize: 40))
    file.calls.write = { descriptor, bytes, count in
      let room = random.withLock { Int.random(in: 0...30, using: &$0) }
      if room < 10 {
        errno = ENOSPC
        return -1
      }
      return Descriptor.system(descriptor, bytes, min(room, count))
    }
    var all = ""
    for number in 0..<60 {
      let record = "record \(number)\n"
      do throws(FileError) {
        try file.write(.of(record))
        all += record  // taken if and only if nothing was thrown
      } catch { #expect(error.isOutOfSpace) }
    }
    file.calls.write = Descriptor.system
    try file.close()
    var found = ""
    for number in stride(from: folder.names.count - 1, through: 0, by: -1) {
      let text = folder.content(number == 0 ? "log" : "log.\(number)")
      #expect(text.hasSuffix("\n"))
      found += text
    }
    #expect(found == all)
    #expect(all.count < 60 * 9 + 50)
  }

  @Test func `a file that cannot be put aside keeps its records and is tried again`() throws {
    mkdir(folder.file("log.1"), 0o700)
    mkdir(folder.file("log.1/in the way"), 0o700)
    let file = try RotatingFile(path: folder.file("log"), options: .init(rotateAt: 4, keep: 1))
    try file.write(.of("aaa\n"))
    #expect(
      failure { () throws(FileError) in try file.write(.of("bbb\n")) }
        == "cannot rename '/tmp/x/log' to '\(folder.path)/log.1': Is a directory (EISDIR)".replacing(folder.path, with: "/tmp/x"))
    #expect(folder.content("log") == "aaa\n")
    rmdir(folder.file("log.1/in the way"))
    rmdir(folder.file("log.1"))
    try file.write(.of("bbb\n"))
    try file.close()
    #expect(folder.content("log.1") == "aaa\n")
    #expect(folder.content("log") == "bbb\n")
  }

  @Test func `a gap that a failed rename left is filled before an old file is pushed out`() throws {
    for (name, text) in [("log", "4444\n"), ("log.2", "3333\n"), ("log.3", "2222\n")] { folder.put(text, in: name) }
    let file = try RotatingFile(path: folder.file("log"), options: .init(rotateAt: 4, keep: 3))
    try file.write(.of("5555\n"))
    try file.close()
    #expect(["log", "log.1", "log.2", "log.3"].map(folder.content) == ["5555\n", "4444\n", "3333\n", "2222\n"])
  }

  @Test func `waits for a full pipe that does not block`() throws {
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    let (reader, writer) = (ends[0], ends[1])
    _ = fcntl(writer, F_SETFL, O_NONBLOCK)
    let bytes = [UInt8](repeating: 7, count: 300_000)  // more than a pipe's buffer
    // On its own thread because both ends block.
    let received = Thread { () -> Int in
      var count = 0
      var piece = [UInt8](repeating: 0, count: 4096)
      while case let n = read(reader, &piece, 4096), n > 0 { count += n }
      return count
    }
    var sent = 0
    #expect(bytes.withUnsafeBytes { Descriptor.put($0, from: &sent, to: writer) } == 0)
    #expect(sent == 300_000)
    close(writer)
    #expect(received.join() == 300_000)
    close(reader)
  }
}
