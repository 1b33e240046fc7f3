import Glibc
import TestSupport
import Synchronization
import Testing

@testable import StockbusFiles

/// Files that others move, remove, empty or replace while they are written, as logrotate does.
@Suite struct MovedFileTests {
  let folder = TemporaryFolder()
  private let notices = Notices()

  private final class Notices {
    var texts: [String] = []
  }

  private func file(_ name: String = "log", _ options: RotatingFile.Options = .init(header: .of("head\n"))) throws -> RotatingFile {
    let file = try RotatingFile(path: folder.file(name), options: options)
    file.noticed = { [notices] in notices.texts.append($0) }
    return file
  }

  private func write(_ text: String, to file: RotatingFile) throws {
    try file.write(.of(text + "\n"))
    try file.flush()
  }

  private func truncate(_ name: String, to size: Int) { #expect(Glibc.truncate(folder.file(name), size) == 0) }

  @Test func `a file that was moved away is made anew with its header, and the next record is there`() throws {
    let file = try file()
    try write("one", to: file)
    folder.move("log", to: "log.old")
    try write("two", to: file)
    try write("three", to: file)
    try file.close()
    #expect(folder.content("log.old") == "head\none\n")
    #expect(folder.content("log") == "head\ntwo\nthree\n")
    #expect(notices.texts == ["'\(folder.file("log"))' was moved by another program; writing continues in a new file"])
    #expect(file.written.records == 3 && file.written.bytes == 14 && file.renewals == 1)
  }

  @Test func `that a file was removed after its last record is said at its end`() throws {
    let file = try file()
    try write("one", to: file)
    unlink(folder.file("log"))
    try file.close()
    #expect(notices.texts == ["'\(folder.file("log"))' was removed by another program after its last record"])
  }

  @Test func `a file that was removed is made anew, also with its folder`() throws {
    let file = try file("a/log")
    try write("one", to: file)
    unlink(folder.file("a/log"))
    rmdir(folder.file("a"))
    try write("two", to: file)
    #expect(folder.content("a/log") == "head\ntwo\n")
    #expect(notices.texts == ["'\(folder.file("a/log"))' was removed by another program; writing continues in a new file"])
    try file.close()
  }

  @Test func `the header that still waits goes into the new file once`() throws {
    let file = try file()
    try file.write(.of("one\n"))
    unlink(folder.file("log"))
    try file.flush()
    #expect(folder.content("log") == "head\none\n")
    try file.close()
  }

  @Test func `a new file that is there already, as another program makes it, is gone on with`() throws {
    let file = try file()
    try write("one", to: file)
    folder.move("log", to: "log.old")
    folder.put("head\nold\nhalf", in: "log")
    try write("two", to: file)
    #expect(folder.content("log") == "head\nold\nhalf\ntwo\n")
    try file.close()
  }

  @Test func `an emptied file begins again with its header and without zero bytes`() throws {
    let file = try file("log", .init(rotateAt: 19, header: .of("head\n")))
    try write("one", to: file)
    try write("two", to: file)
    truncate("log", to: 0)
    try write("three", to: file)
    #expect(folder.content("log") == "head\nthree\n")
    #expect(notices.texts == ["'\(folder.file("log"))' was emptied by another program; further records are appended there"])
    // Its size is known again, so that it is not full yet.
    try write("four", to: file)
    #expect(folder.content("log") == "head\nthree\nfour\n" && file.rotations == 0)
    try file.close()
  }

  @Test func `a file that was cut inside a record gets a new line first`() throws {
    let file = try file()
    try write("one", to: file)
    truncate("log", to: 7)
    try write("two", to: file)
    #expect(folder.content("log") == "head\non\ntwo\n")
    #expect(notices.texts == ["'\(folder.file("log"))' was cut to 7 bytes by another program; further records are appended there"])
    try file.close()
  }

  /// Takes so many bytes, and is full then.
  private final class Disk: Sendable {
    let room: Mutex<Int>
    init(_ room: Int) { self.room = Mutex(room) }

    var write: Descriptor.Write {
      { descriptor, bytes, count in
        let room = self.room.withLock { $0 }
        if room <= 0 {
          errno = ENOSPC
          return -1
        }
        let sent = Descriptor.system(descriptor, bytes, min(count, room))
        self.room.withLock { $0 -= sent }
        return sent
      }
    }
  }

  @Test(arguments: ["moved", "removed", "emptied"])
  func `an incomplete record comes whole in the new file`(what: String) throws {
    let disk = Disk(7)
    let file = try file()
    file.calls.write = disk.write
    try file.write(.of("one\n"))
    try file.write(.of("two\n"))
    #expect(throws: FileError.self) { try file.flush() }
    #expect(folder.content("log") == "head\non")
    switch what {
    case "moved": folder.move("log", to: "log.old")
    case "removed": unlink(folder.file("log"))
    default: truncate("log", to: 0)
    }
    disk.room.withLock { $0 = 1000 }
    try file.flush()
    if what == "moved" { #expect(folder.content("log.old") == "head\n") }
    #expect(folder.content("log") == "head\none\ntwo\n")
    #expect(file.written.records == 2)
    try file.close()
  }

  @Test func `bytes that go into a file that was removed a moment ago are written again`() throws {
    let file = try file()
    let path = folder.file("log")
    file.calls.write = { descriptor, bytes, count in
      unlink(path)
      return Descriptor.system(descriptor, bytes, count)
    }
    try file.write(.of("one\n"))
    #expect(throws: FileError(.write, path: path, code: ENOENT)) { try file.flush() }
    file.calls.write = Descriptor.system
    try file.close()
    #expect(folder.content("log") == "head\none\n" && file.written.records == 1)
  }

  @Test func `a path that cannot be made anew keeps the records for the next attempt, or says how many are lost`() throws {
    for comesBack in [true, false] {
      let file = try file("a/log")
      try write("one", to: file)
      folder.move("a", to: "b\(comesBack)")
      folder.put("in the way", in: "a")
      try file.write(.of("two\n"))
      let error = #expect(throws: FileError.self) { try file.flush() }
      #expect(error?.attempt == .open && error?.mayPass == true)
      #expect(throws: FileError.self) { try file.write(.of("not taken\n")) }
      if comesBack {
        unlink(folder.file("a"))
        try file.write(.of("three\n"))
        try file.close()
        #expect(folder.content("a/log") == "head\ntwo\nthree\n")
        unlink(folder.file("a/log"))
        rmdir(folder.file("a"))
      } else {
        #expect(file.abandon()?.lost == 1)
        #expect(file.written.records == 1)
      }
    }
  }

  @Test func `a look makes the path anew at once, and without a change does nothing`() throws {
    let file = try file()
    try write("one", to: file)
    #expect(try !file.renew())
    unlink(folder.file("log"))
    #expect(try file.renew())
    #expect(folder.content("log") == "head\n")
    #expect(try !file.renew())
    try file.close()
    unlink(folder.file("log"))
    #expect(try !file.renew())
  }

  @Test func `a link that leads to another file now is followed`() throws {
    symlink("first", folder.file("log"))
    let file = try file()
    try write("one", to: file)
    unlink(folder.file("log"))
    symlink("second", folder.file("log"))
    try write("two", to: file)
    #expect(folder.content("first") == "head\none\n" && folder.content("second") == "head\ntwo\n")
    // The target of the link is made anew, and the link stays.
    folder.move("second", to: "third")
    try write("three", to: file)
    #expect(folder.content("second") == "head\nthree\n" && folder.names == ["first", "log", "second", "third"])
    try file.close()
  }

  @Test func `a new file that another output writes is refused`() throws {
    let file = try file()
    try write("one", to: file)
    unlink(folder.file("log"))
    let other = try RotatingFile(path: folder.file("log"))
    try file.write(.of("two\n"))
    let error = #expect(throws: FileError.self) { try file.flush() }
    #expect(error?.isPermanent == true)
    #expect(file.abandon()?.lost == 1)
    try other.close()
  }

  @Test func `rotating the file oneself is no move by others`() throws {
    let file = try file("log", .init(rotateAt: 8, keep: 50))
    for number in 1...9 { try write("row \(number)", to: file) }
    try file.close()
    #expect(file.rotations == 8 && file.renewals == 0 && notices.texts.isEmpty)
  }

  /// Whatever others do between two flushes, and however full the disk is: what they have put aside and what is in the file is everything
  /// that was taken, in order and once, but for what `abandon` reports as lost.
  @Test(arguments: 0..<60) func `loses, doubles and reorders nothing`(seed: UInt64) throws {
    var random = SplitMix(seed)
    let header = seed % 2 == 0 ? "h\n" : ""
    let disk = Disk(.max)
    let file = try file(
      "log",
      .init(
        rotateAt: seed % 3 == 0 ? 150 : nil, keep: 10_000, header: .of(header), bufferSize: Int.random(in: 1...100, using: &random)))
    file.calls.write = disk.write
    var aside: [String] = []
    var taken: [String] = []
    /// What was rotated and is in the file now, the oldest first.
    func present() -> [String] {
      let numbers = folder.names.filter { $0.hasPrefix("log") }.map { Int($0.dropFirst(4)) ?? 0 }.sorted(by: >)
      return numbers.map { folder.content($0 == 0 ? "log" : "log.\($0)") }
    }
    func putAside() {
      for name in folder.names where name.hasPrefix("log.") { folder.move(name, to: "kept.\(aside.count).\(name)") }
    }
    for _ in 0..<150 {
      switch Int.random(in: 0..<12, using: &random) {
      case 0, 1, 2, 3, 4, 5:
        let record = "\(taken.count)" + String(repeating: "x", count: Int.random(in: 0...30, using: &random)) + "\n"
        do throws(FileError) {
          try file.write(.of(record))
          taken.append(record)
        } catch { #expect(error.mayPass) }
      case 6, 7: do throws(FileError) { try file.flush() } catch { #expect(error.mayPass) }
      case 8: disk.room.withLock { $0 = Bool.random(using: &random) ? .max : Int.random(in: 0...40, using: &random) }
      case 9:
        // Before it is moved, as its end may be taken back afterwards.
        aside += present()
        putAside()
        folder.move("log", to: "moved.\(aside.count)")
      case 10:
        aside += present()
        putAside()
        unlink(folder.file("log"))
      default:
        aside += present()
        putAside()
        if folder.names.contains("log") { truncate("log", to: 0) }
      }
    }
    let lost = file.abandon()?.lost ?? 0
    let whole = (aside + present()).flatMap { part in
      // What is incomplete at the end of a copy comes whole later.
      var text = part[...]
      if text.hasPrefix(header) { text = text.dropFirst(header.count) }
      return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map { "\($0)\n" }
    }
    #expect(whole.filter { taken.contains($0) } == whole)
    #expect(whole == Array(taken.prefix(taken.count - lost)))
    #expect(file.written.records == taken.count - lost)
  }
}
