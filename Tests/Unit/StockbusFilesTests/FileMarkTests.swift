import Glibc
import Testing

@testable import StockbusFiles

/// A file goes on where a run was left, whatever was written behind that.
@Suite struct FileMarkTests {
  private let folder = TemporaryFolder()
  private var path: String { folder.file("rows") }

  private func file(after mark: FileMark? = nil, isLeft: Bool = false, rotateAt: Int? = nil) throws -> RotatingFile {
    var options = RotatingFile.Options(rotateAt: rotateAt, keep: 9)
    options.mark = mark.map { ($0, isLeft) }
    return try RotatingFile(path: path, options: options)
  }

  private func mark(_ records: [String], rotateAt: Int? = nil, then later: [String]) throws -> FileMark? {
    let file = try file(rotateAt: rotateAt)
    for record in records { try file.write(.of(record + "\n")) }
    let mark = try file.mark()
    for record in later { try file.write(.of(record + "\n")) }
    try file.close()
    return mark
  }

  @Test func `what was written behind the place goes`() throws {
    let mark = try #require(try mark(["one", "two"], then: ["three"]))
    #expect(mark.length == 8)
    let next = try file(after: mark)
    try next.write(.of("four\n"))
    try next.close()
    #expect(folder.content("rows") == "one\ntwo\nfour\n")
  }

  /// Each record fills a file.
  @Test(arguments: 0...4) func `rotations behind the place are undone`(later: Int) throws {
    let mark = try #require(try mark(["aaaa", "bbbb", "cccc"], rotateAt: 5, then: (0..<later).map { "late\($0)" }))
    let next = try file(after: mark, rotateAt: 5)
    try next.write(.of("dddd\n"))
    try next.close()
    #expect(
      ["rows", "rows.1", "rows.2", "rows.3", "rows.4"].map(folder.content) == ["dddd\n", "cccc\n", "bbbb\n", "aaaa\n", "(no rows.4)"])
  }

  /// A rotation makes one number free after the other.
  @Test(arguments: 1...5) func `rotations that a kill has interrupted are undone`(gap: Int) throws {
    let mark = try #require(try mark(["aaaa", "bbbb", "cccc"], rotateAt: 5, then: ["late0", "late1"]))
    // rows to rows.4 are late1, late0, cccc, bbbb, aaaa.
    for number in stride(from: 4, to: gap - 1, by: -1) { folder.move("rows.\(number)", to: "rows.\(number + 1)") }
    let next = try file(after: mark, rotateAt: 5)
    try next.write(.of("dddd\n"))
    try next.close()
    #expect(["rows", "rows.1", "rows.2", "rows.3"].map(folder.content) == ["dddd\n", "cccc\n", "bbbb\n", "aaaa\n"])
    #expect(folder.names.count == 4)
  }

  @Test(arguments: ["one\ntwX\nthree\n", "one\n"]) func `a file that is another one now is refused and left alone`(text: String) throws {
    let mark = try #require(try mark(["one", "two"], then: ["three"]))
    folder.put(text, in: "rows")
    let error = #expect(throws: FileError.self) { try file(after: mark) }
    #expect(error?.isPermanent == true && error?.description.contains("changed since the run left it with 8 bytes") == true)
    #expect(folder.content("rows") == text)
  }

  @Test func `behind the end of a run nothing may be added`() throws {
    let mark = try #require(try mark(["one", "two"], then: []))
    try file(after: mark, isLeft: true).close()
    folder.put("one\ntwo\nmine\n", in: "rows")
    #expect(throws: FileError.self) { try file(after: mark, isLeft: true) }
    #expect(folder.content("rows") == "one\ntwo\nmine\n")
  }

  @Test func `a file that was removed or emptied begins again`() throws {
    let mark = try #require(try mark(["one", "two"], then: []))
    for isRemoved in [true, false] {
      if isRemoved { unlink(path) } else { folder.put("", in: "rows") }
      let next = try file(after: mark, isLeft: true)
      try next.write(.of("new\n"))
      try next.close()
      #expect(folder.content("rows") == "new\n")
    }
  }
}
