import Testing

@testable import MarketData

@Suite struct SymbolTests {
  @Test func `one name is one symbol, and keeps its name`() throws {
    let name = "AAPL"
    let a = try Symbol(name)
    let b: Symbol = "AAPL"
    #expect(a == b && a.id == b.id && a.id > 0)
    #expect(a.description == "AAPL")
    #expect(Symbol("東京 7203").description == "東京 7203")
    #expect(Symbol("MSFT") != a)
  }

  @Test func `a name that is only asked for does not become a symbol`() throws {
    let name = "asked for twice"
    #expect(Symbol(known: name) == nil && Symbol(known: name) == nil)
    let made = try Symbol(name)
    #expect(Symbol(known: name) == made)
    #expect(Symbol(known: "") == nil && Symbol(known: String(repeating: "x", count: 1000)) == nil)
  }

  @Test func `symbols are ordered by their names`() {
    let symbols: [Symbol] = ["MSFT", "AAPL", "AA", "é", "Z"]
    #expect(symbols.sorted().map(\.description) == ["AA", "AAPL", "MSFT", "Z", "é"])
  }

  @Test(arguments: [
    ("", TextError.Code.emptySymbol, 0), ("A,B", .badSymbol, 1), ("A\"", .badSymbol, 1), ("\\", .badSymbol, 0),
    ("AB\n", .badSymbol, 2), ("A\0B", .badSymbol, 1),
    ("A\u{7f}", .badSymbol, 1), ("AB\u{9b}31m", .badSymbol, 2), (String(repeating: "x", count: 65), .symbolTooLong, 64),
    (String(repeating: "é", count: 33), .symbolTooLong, 64),
  ])
  func `refuses names that would need escaping or harm a terminal`(name: String, code: TextError.Code, offset: Int) {
    #expect(throws: TextError(code, at: offset)) { try Symbol(name) }
  }

  @Test func `refuses bytes that are no text, naming the first`() {
    let cases: [([UInt8], Int)] = [
      ([0x41, 0xff], 1), ([0x41, 0x42, 0xe2, 0x82], 2), ([0xc0, 0x80], 0), ([0xc3, 0xa9, 0xed, 0xa0, 0x80], 2),
    ]
    for (bytes, offset) in cases {
      #expect(throws: TextError(.badUTF8, at: offset)) { try bytes.withUnsafeBufferPointer { try Symbol(utf8: $0) } }
    }
  }

  @Test func `takes names of up to 64 bytes`() throws {
    let name = String(repeating: "x", count: 64)
    #expect(try Symbol(name).description == name)
  }

  @Test func `a handle that nobody gave out has no name`() {
    for id in [0, 3_999_999, UInt32(Symbol.limit) - 1, UInt32(Symbol.limit), 1 << 31, .max] { #expect(Symbol(id: id).description == "") }
  }

  private func intern(_ name: String, in table: SymbolTable) throws -> UInt32 {
    let bytes = Array(name.utf8)
    return try bytes.withUnsafeBufferPointer { try table.intern($0) }
  }

  @Test func `a million names get a million handles, dense and lasting`() throws {
    let table = SymbolTable()
    // Written in place, because making a string for each name would take most of the time.
    var name = [UInt8](repeating: 0, count: 7)
    func write(_ number: Int) {
      var rest = number
      for i in name.indices {
        name[i] = 65 + UInt8(rest % 10)
        rest /= 10
      }
    }
    var wrong = 0
    for number in 0..<1_000_000 {
      write(number)
      if try name.withUnsafeBufferPointer({ try table.intern($0) }) != number + 1 { wrong += 1 }
    }
    for number in stride(from: 999_999, through: 0, by: -7) {
      write(number)
      if try name.withUnsafeBufferPointer({ try table.intern($0) }) != number + 1 { wrong += 1 }
      if !table.name(of: UInt32(number + 1)).elementsEqual(name) { wrong += 1 }
    }
    #expect(wrong == 0)
    #expect(table.name(of: 1_000_001).isEmpty)
  }

  /// Tasks intern the same names in different orders while the table grows, and look up handles that they got from each other.
  @Test func `tasks that meet a name at once agree on its handle`() async throws {
    let table = SymbolTable()
    let count = 30_000
    let names = (0..<count).map { Array("S\($0)".utf8) }
    let all = try await withThrowingTaskGroup(of: [UInt32].self) { group in
      for task in 0..<6 {
        group.addTask {
          var ids = [UInt32](repeating: 0, count: count)
          let step = [1, 7, 11, 13, 17, 19][task]  // none shares a factor with the count
          var at = task * 1000
          for _ in 0..<count {
            at = (at + step) % count
            ids[at] = try names[at].withUnsafeBufferPointer { try table.intern($0) }
            if !table.name(of: ids[at]).elementsEqual(names[at]) { throw TextError(.unexpected, at: at) }
          }
          return ids
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    for ids in all { #expect(ids == all[0]) }
    #expect(all[0].sorted() == (1...UInt32(count)).map { $0 })
  }

  @Test func `a handle names its symbol in whatever task it reaches`() async throws {
    let table = SymbolTable()
    let (stream, continuation) = AsyncStream.makeStream(of: (UInt32, Int).self)
    async let wrong = stream.reduce(0) { $0 + (table.name(of: $1.0).elementsEqual("N\($1.1)".utf8) ? 0 : 1) }
    for number in 0..<40_000 { continuation.yield((try intern("N\(number)", in: table), number)) }
    continuation.finish()
    #expect(await wrong == 0)
  }
}
