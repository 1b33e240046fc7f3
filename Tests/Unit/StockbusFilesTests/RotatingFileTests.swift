import MarketData
import TestSupport
import StockbusFiles
import Testing

@Suite struct RotatingFileTests {
  let folder = TemporaryFolder()

  @Test func `makes the folders above it and writes records in order`() throws {
    let file = try RotatingFile(path: folder.file("a/b/c/trades.csv"))
    try file.write(.of("one\n"))
    var writer = ByteWriter()
    writer.append("two\n")
    try file.write(writer)
    #expect(file.buffered == 8)
    #expect(folder.content("a/b/c/trades.csv") == "")
    try file.flush()
    #expect(file.buffered == 0)
    #expect(folder.content("a/b/c/trades.csv") == "one\ntwo\n")
    try file.close()
  }

  @Test func `appends behind what is there`() throws {
    folder.put("old\n", in: "log")
    let file = try RotatingFile(path: folder.file("log"), options: .init(header: .of("head\n")))
    #expect(file.size == 4)
    try file.write(.of("new\n"))
    try file.close()
    #expect(folder.content("log") == "old\nnew\n")
  }

  @Test func `truncates where told to`() throws {
    folder.put("old\n", in: "log")
    let file = try RotatingFile(path: folder.file("log"), options: .init(opening: .truncate))
    try file.write(.of("new\n"))
    try file.close()
    #expect(folder.content("log") == "new\n")
  }

  @Test func `keeps a line that a crash left unfinished and begins a new one`() throws {
    folder.put("AAPL,1\nMSF", in: "log")
    let file = try RotatingFile(path: folder.file("log"))
    try file.write(.of("NVDA,2\n"))
    try file.close()
    #expect(folder.content("log") == "AAPL,1\nMSF\nNVDA,2\n")
  }

  @Test func `leaves the end alone where records are no lines`() throws {
    folder.put("abc", in: "log")
    let file = try RotatingFile(path: folder.file("log"), options: .init(lineEnd: nil))
    try file.write(.of("def"))
    try file.close()
    #expect(folder.content("log") == "abcdef")
  }

  @Test func `puts a full file aside before a record that would pass the limit`() throws {
    let file = try RotatingFile(path: folder.file("log"), options: .init(rotateAt: 8, keep: 2))
    for text in ["aaa\n", "bbb\n", "ccc\n", "ddd\n", "eee\n", "fff\n", "ggg\n"] { try file.write(.of(text)) }
    try file.close()
    #expect(folder.names == ["log", "log.1", "log.2"])
    #expect(folder.content("log") == "ggg\n")
    #expect(folder.content("log.1") == "eee\nfff\n")
    #expect(folder.content("log.2") == "ccc\nddd\n")
    #expect(file.rotations == 3)
  }

  @Test func `gives a record longer than the limit a file of its own`() throws {
    let file = try RotatingFile(path: folder.file("log"), options: .init(rotateAt: 4, keep: 9))
    for text in ["a\n", "a very long record\n", "b\n"] { try file.write(.of(text)) }
    try file.close()
    #expect(folder.content("log.2") == "a\n")
    #expect(folder.content("log.1") == "a very long record\n")
    #expect(folder.content("log") == "b\n")
  }

  @Test func `begins every new file with the header`() throws {
    let options = RotatingFile.Options(rotateAt: 10, header: .of("head\n"))
    let file = try RotatingFile(path: folder.file("log"), options: options)
    try file.flush()
    #expect(folder.content("log") == "head\n")
    for text in ["aaaa\n", "bbbb\n"] { try file.write(.of(text)) }
    try file.close()
    #expect(folder.content("log.1") == "head\naaaa\n")
    #expect(folder.content("log") == "head\nbbbb\n")
  }

  @Test func `counts what an appended file holds already towards the limit`() throws {
    folder.put("1234567\n", in: "log")
    let file = try RotatingFile(path: folder.file("log"), options: .init(rotateAt: 10))
    try file.write(.of("abc\n"))
    try file.close()
    #expect(folder.content("log.1") == "1234567\n")
    #expect(folder.content("log") == "abc\n")
  }

  @Test func `writes a buffer that has filled by itself`() throws {
    let file = try RotatingFile(path: folder.file("log"), options: .init(bufferSize: 8))
    try file.write(.of("aaaa\n"))
    try file.write(.of("bbbb\n"))
    #expect(folder.content("log") == "aaaa\n")
    try file.write(.of("a record longer than the buffer\n"))
    #expect(folder.content("log") == "aaaa\nbbbb\n")
    try file.write(.of("c\n"))
    #expect(folder.content("log") == "aaaa\nbbbb\na record longer than the buffer\n")
    #expect(file.size == 44)
    try file.close()
    #expect(folder.content("log").utf8.count == 44)
  }

  @Test func `writes the rest when it is dropped without being closed`() throws {
    do {
      let file = try RotatingFile(path: folder.file("log"))
      try file.write(.of("kept\n"))
    }
    #expect(folder.content("log") == "kept\n")
  }

  @Test func `closes twice without harm and takes nothing afterwards`() throws {
    let file = try RotatingFile(path: folder.file("log"), options: .init(sync: true))
    try file.write(.of("one\n"))
    try file.close()
    try file.close()
    #expect(throws: FileError(.write, path: folder.file("log"), code: 9)) { try file.write(.of("two\n")) }
    #expect(folder.content("log") == "one\n")
  }

  @Test func `goes on in a new file when somebody has taken the present one away`() throws {
    let file = try RotatingFile(path: folder.file("log"), options: .init(rotateAt: 4))
    try file.write(.of("aaa\n"))
    try file.flush()
    folder.move("log", to: "elsewhere")
    try file.write(.of("bbb\n"))
    try file.close()
    #expect(folder.content("elsewhere") == "aaa\n")
    #expect(folder.content("log") == "bbb\n")
  }

  /// For any sequence of records, limits and reopenings, the old files and the current one together contain all records, in order and
  /// complete.
  @Test(arguments: 0..<40) func `loses, splits and reorders nothing`(seed: UInt64) throws {
    var random = SplitMix(seed)
    let limit = Int.random(in: 10...200, using: &random)
    let options = RotatingFile.Options(
      rotateAt: limit, keep: 1000, sync: Bool.random(using: &random), header: seed % 2 == 0 ? .of("h\n") : [],
      bufferSize: Int.random(in: 1...300, using: &random))
    var records: [String] = []
    for _ in 0..<4 {
      let file = try RotatingFile(path: folder.file("log"), options: options)
      for _ in 0..<Int.random(in: 0...40, using: &random) {
        let record = "\(records.count)" + String(repeating: "x", count: Int.random(in: 0...60, using: &random)) + "\n"
        records.append(record)
        try file.write(.of(record))
        if Int.random(in: 0..<8, using: &random) == 0 { try file.flush() }
      }
      try file.close()
    }
    let count = folder.names.count
    var all = ""
    for number in stride(from: count - 1, through: 0, by: -1) {
      var text = folder.content(number == 0 ? "log" : "log.\(number)")
      if !options.header.isEmpty {
        #expect(text.hasPrefix("h\n"))
        text.removeFirst(2)
      }
      #expect(text.utf8.count + options.header.count <= limit || text.utf8.count(where: { $0 == 10 }) == 1)
      all += text
    }
    #expect(all == records.joined())
  }
}
