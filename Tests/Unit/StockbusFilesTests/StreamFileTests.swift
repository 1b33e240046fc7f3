import Glibc
import Testing

@testable import StockbusFiles

/// Files of messages: here each message has four bytes, the header is `head`, and the end `end.`.
@Suite struct StreamFileTests {
  private let folder = TemporaryFolder()
  private var path: String { folder.file("s.msg") }

  private static let stream: StreamFile = {
    var stream = StreamFile { path in
      guard let bytes = try? FileBytes.whole(path, atMost: 1000) else { return .strange("cannot be read") }
      let text = String(decoding: bytes, as: UTF8.self)
      if !"head".hasPrefix(text.prefix(4)) { return .strange("has another head") }
      let whole = bytes.count / 4 * 4
      return .whole(upTo: text.hasSuffix("end.") ? whole - 4 : whole, isTorn: whole < bytes.count)
    }
    stream.end = .of("end.")
    return stream
  }()

  private func file(
    after mark: FileMark? = nil, rotateAt: Int? = nil, keep: Int = 100, calls: SystemCalls = SystemCalls(),
    noticed: @escaping (String) -> Void = { _ in }
  ) throws -> RotatingFile {
    var options = RotatingFile.Options(rotateAt: rotateAt, keep: keep, header: .of("head"), lineEnd: nil)
    options.stream = Self.stream
    options.mark = mark.map { ($0, false) }
    return try RotatingFile(path: path, options: options, calls: calls, noticed: noticed)
  }

  private func write(_ records: [String], rotateAt: Int? = nil, keep: Int = 100) throws {
    let file = try file(rotateAt: rotateAt, keep: keep)
    for record in records { try file.write(.of(record)) }
    try file.end()
    try file.close()
  }

  @Test func `a stream has its end once, and is gone on with before it`() throws {
    try write(["aaaa"])
    #expect(folder.content("s.msg") == "headaaaaend.")
    try write(["bbbb"])
    #expect(folder.content("s.msg") == "headaaaabbbbend.")
    try write([])
    #expect(folder.content("s.msg") == "headaaaabbbbend.")
  }

  @Test func `full files count upwards, whatever has numbers already, and the oldest go`() throws {
    try write(["aaaa", "bbbb", "cccc"], rotateAt: 12)
    #expect(["s.1.msg", "s.2.msg", "s.msg"].map(folder.content) == ["headaaaaend.", "headbbbbend.", "headccccend."])
    folder.put("mine", in: "s.7.txt")
    try write(["dddd", "eeee"], rotateAt: 12, keep: 3)
    #expect(folder.names == ["s.2.msg", "s.7.txt", "s.8.msg", "s.9.msg", "s.msg"])
    #expect(["s.8.msg", "s.9.msg", "s.msg"].map(folder.content) == ["headccccend.", "headddddend.", "headeeeeend."])
  }

  @Test func `a file of other contents is put aside, and a torn one is cut`() throws {
    folder.put("mine, and not a stream", in: "s.msg")
    var notices: [String] = []
    let file = try file { notices.append($0) }
    try file.write(.of("aaaa"))
    try file.close()
    #expect(["s.1.msg", "s.msg"].map(folder.content) == ["mine, and not a stream", "headaaaa"])
    folder.put("headaaaabb", in: "s.msg")
    let next = try self.file { notices.append($0) }
    try next.write(.of("cccc"))
    try next.close()
    #expect(folder.content("s.msg") == "headaaaacccc")
    #expect(
      notices == [
        "'\(path)' has another head: it is now '\(folder.file("s.1.msg"))'", "'\(path)' ends within a record: 2 bytes are cut off, 8 stay",
      ])
  }

  @Test func `a file that another program has cut is looked through again`() throws {
    let file = try file()
    for record in ["aaaa", "bbbb"] { try file.write(.of(record)) }
    try file.flush()
    truncate(path, 10)
    try file.write(.of("cccc"))
    try file.close()
    #expect(folder.content("s.msg") == "headaaaacccc")
    let emptied = try self.file()
    try emptied.write(.of("dddd"))
    try emptied.flush()
    truncate(path, 0)
    try emptied.write(.of("eeee"))
    try emptied.close()
    #expect(folder.content("s.msg") == "headeeee")
  }

  /// After each failure the same is tried again.
  @Test(arguments: 0..<40) func `whatever part of a write succeeds, files are whole`(seed: UInt64) throws {
    var random = Numbers(seed)
    let dice = Dice(seed)
    var calls = SystemCalls()
    calls.write = { descriptor, bytes, count in
      let most = dice.next(upTo: count)
      if most > 0 { return Descriptor.system(descriptor, bytes, most) }
      errno = ENOSPC
      return -1
    }
    let file = try file(rotateAt: 12 + 4 * Int(random.next() % 4), calls: calls)
    func insist(_ body: () throws(FileError) -> Void) { while true { do { return try body() } catch {} } }
    let records = (0..<20).map { String("\($0 + 1000)") }
    for record in records {
      insist { () throws(FileError) in try file.write(.of(record)) }
      if random.next() % 3 == 0 { insist { () throws(FileError) in try file.flush() } }
    }
    insist { () throws(FileError) in try file.end() }
    insist { () throws(FileError) in try file.close() }
    let files = (1..<folder.names.count).map { "s.\($0).msg" } + ["s.msg"]
    let texts = files.map(folder.content)
    #expect(texts.allSatisfy { $0.hasPrefix("head") && $0.hasSuffix("end.") })
    #expect(texts.map { $0.dropFirst(4).dropLast(4) }.joined() == records.joined())
    #expect(file.written.records == 20)
  }

  @Test func `a piece of the end is taken back`() throws {
    var calls = SystemCalls()
    calls.write = { descriptor, bytes, count in
      if count == 4 { return Descriptor.system(descriptor, bytes, 2) }
      if count > 4 { return Descriptor.system(descriptor, bytes, count) }
      errno = ENOSPC
      return -1
    }
    let file = try file(calls: calls)
    try file.write(.of("aaaa"))
    #expect(throws: FileError.self) { try file.end() }
    #expect(folder.content("s.msg") == "headaaaaen")
    #expect(file.abandon()?.lost == nil)
    #expect(folder.content("s.msg") == "headaaaa")
  }

  /// Each record fills a file.
  @Test(arguments: 0...4) func `rotations behind the place of a memory are undone`(later: Int) throws {
    let file = try file(rotateAt: 12)
    for record in ["aaaa", "bbbb", "cccc"] { try file.write(.of(record)) }
    let mark = try #require(try file.mark())
    for i in 0..<later { try file.write(.of("lat\(i)")) }
    try file.close()
    let next = try self.file(after: mark, rotateAt: 12)
    try next.write(.of("dddd"))
    try next.end()
    try next.close()
    #expect(folder.names == ["s.1.msg", "s.2.msg", "s.3.msg", "s.msg"])
    #expect(
      ["s.1.msg", "s.2.msg", "s.3.msg", "s.msg"].map(folder.content)
        == ["headaaaaend.", "headbbbbend.", "headccccend.", "headddddend."])
  }
}

/// Random numbers of a test.
private struct Numbers {
  private var state: UInt64
  init(_ seed: UInt64) { state = seed &* 0x9e37_79b9_7f4a_7c15 | 1 }
  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }
}

/// The same for a call of the system. Unchecked: one thread uses it.
private final class Dice: @unchecked Sendable {
  private var numbers: Numbers
  init(_ seed: UInt64) { numbers = Numbers(seed &+ 77) }
  func next(upTo most: Int) -> Int { Int(numbers.next() % UInt64(most + 1)) }
}
