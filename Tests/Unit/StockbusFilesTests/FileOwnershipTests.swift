import Glibc
import StockbusPlugin
import Testing

@testable import StockbusFiles

@Suite struct FileOwnershipTests {
  let folder = TemporaryFolder()

  private func failure(_ body: () throws(FileError) -> Void) -> String {
    do throws(FileError) { try body() } catch {
      #expect(error.isPermanent)
      return "\(error)".replacing(folder.path, with: "/tmp/x")
    }
    return "no error"
  }

  private func reading(_ name: String) -> RunFiles {
    RunFiles([.init(path: folder.file(name), words: "source 'prices' of this run reads it")])
  }

  private func contents() -> [String] { folder.names.map { "\($0): \(folder.content($0))" } }

  @Test(arguments: ["in", "hard", "soft", "deep/../in"]) func `what the run reads is not emptied, by whatever name it is written`(
    name: String
  ) {
    folder.put("price\n", in: "in")
    mkdir(folder.file("deep"), 0o700)
    link(folder.file("in"), folder.file("hard"))
    symlink("in", folder.file("soft"))
    for opening in RotatingFile.Opening.allCases {
      #expect(
        failure { () throws(FileError) in
          _ = try RotatingFile(path: folder.file(name), options: .init(opening: opening), files: reading("in"))
        } == "cannot write '/tmp/x/\(name)': source 'prices' of this run reads it")
    }
    #expect(folder.content("in") == "price\n")
  }

  @Test func `a full file is not put aside over one that the run reads`() throws {
    folder.put("price\n", in: "log.1")
    let file = try RotatingFile(path: folder.file("log"), options: .init(rotateAt: 4), files: reading("log.1"))
    try file.write(.of("aaa\n"))
    #expect(
      failure { () throws(FileError) in try file.write(.of("bbb\n")) }
        == "cannot write '/tmp/x/log': a full file would be put aside as '/tmp/x/log.1': source 'prices' of this run reads it")
    #expect(folder.content("log.1") == "price\n")
  }

  @Test func `a second output of the program is refused before it empties the file, and let in afterwards`() throws {
    let first = try RotatingFile(path: folder.file("log"))
    try first.write(.of("one\n"))
    try first.flush()
    symlink("log", folder.file("link"))
    for name in ["log", "link"] {
      #expect(
        failure { () throws(FileError) in _ = try RotatingFile(path: folder.file(name), options: .init(opening: .truncate)) }
          == "cannot write '/tmp/x/\(name)': another output of this program is writing it")
    }
    #expect(folder.content("log") == "one\n")
    try first.close()
    let second = try RotatingFile(path: folder.file("link"))
    try second.write(.of("two\n"))
    try second.close()
    #expect(folder.content("log") == "one\ntwo\n")
  }

  @Test func `the file that follows a full one has one owner as well`() throws {
    let file = try RotatingFile(path: folder.file("log"), options: .init(rotateAt: 4))
    for text in ["aaa\n", "bbb\n"] { try file.write(.of(text)) }
    #expect(
      failure { () throws(FileError) in _ = try RotatingFile(path: folder.file("log")) }
        == "cannot write '/tmp/x/log': another output of this program is writing it")
    // A rotated file has no owner.
    _ = try RotatingFile(path: folder.file("log.1"))
  }

  @Test(.enabled(if: access("/usr/bin/flock", X_OK) == 0, "there is no flock(1)"))
  func `a file that another process writes is refused with that process's number`() throws {
    folder.put("", in: "log")
    // The other process reports when it has the lock, and keeps it until its input ends.
    var (input, output): ([Int32], [Int32]) = ([0, 0], [0, 0])
    #expect(pipe(&input) == 0 && pipe(&output) == 0)
    for descriptor in input + output { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_adddup2(&actions, input[0], 0)
    posix_spawn_file_actions_adddup2(&actions, output[1], 1)
    var process = pid_t()
    let words = ["flock", "--no-fork", folder.file("log"), "sh", "-c", "echo locked; read end"]
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    #expect(posix_spawn(&process, "/usr/bin/flock", &actions, nil, &arguments, environ) == 0)
    posix_spawn_file_actions_destroy(&actions)
    for argument in arguments { free(argument) }
    var byte: UInt8 = 0
    #expect(read(output[0], &byte, 1) == 1)
    #expect(
      failure { () throws(FileError) in _ = try RotatingFile(path: folder.file("log")) }
        == "cannot write '/tmp/x/log': process \(process) (sh) is writing it")
    for descriptor in input + output { close(descriptor) }
    var status: Int32 = 0
    waitpid(process, &status, 0)
    _ = try RotatingFile(path: folder.file("log"))
  }

  @Test func `pipes and devices may have many writers`() throws {
    for path in ["/dev/null", "/dev/stdout", "-"] {
      let files = try (1...3).map { _ in try RotatingFile(path: path, options: .init(opening: .truncate)) }
      for file in files { try file.close() }
    }
  }

  @Test func `a link is followed and stays, and full files stand beside its target`() throws {
    mkdir(folder.file("target"), 0o700)
    symlink("target/log", folder.file("link"))
    let file = try RotatingFile(path: folder.file("link"), options: .init(rotateAt: 4))
    for text in ["aaa\n", "bbb\n"] { try file.write(.of(text)) }
    try file.close()
    #expect(folder.names == ["link", "target"])
    #expect(["target/log.1", "target/log", "link"].map(folder.content) == ["aaa\n", "bbb\n", "bbb\n"])
  }
}
