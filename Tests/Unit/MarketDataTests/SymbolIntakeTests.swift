import Synchronization
import Testing

@testable import MarketData

@Suite struct SymbolIntakeTests {
  fileprivate func symbol(_ name: String, _ intake: SymbolIntake, in table: SymbolTable) throws -> UInt32 {
    let bytes = Array(name.utf8)
    return try bytes.withUnsafeBufferPointer { try intake.symbol(utf8: $0, in: table).id }
  }

  @Test func `counts the names that nobody had used before, and refuses them beyond its limit`() throws {
    let table = SymbolTable()
    let refusals = Mutex<[SymbolIntake.Refusal]>([])
    let first = SymbolIntake(limit: 3) { refusal in refusals.withLock { $0.append(refusal) } }
    let second = SymbolIntake(limit: 3)
    let a = try symbol("A", first, in: table)
    #expect(try symbol("A", first, in: table) == a)
    #expect(try symbol("A", second, in: table) == a)
    #expect((first.count, second.count) == (1, 0))
    _ = try symbol("X", second, in: table)
    _ = try symbol("X", first, in: table)
    _ = try symbol("B", first, in: table)
    _ = try symbol("C", first, in: table)
    #expect(first.count == 3)
    #expect(refusals.withLock { $0 }.isEmpty)
    for _ in 0..<5 { #expect(throws: TextError(.tooManySymbols, at: 0)) { try symbol("D", first, in: table) } }
    // A text that is not a name is refused as such, not because of the limit.
    #expect(throws: TextError(.badSymbol, at: 0)) { try symbol("\"", first, in: table) }
    // Reported once; known names are still accepted, and so are other sources.
    #expect(refusals.withLock { $0 } == [.limit])
    #expect(try symbol("A", first, in: table) == a)
    let d = try symbol("D", second, in: table)
    #expect(try symbol("D", first, in: table) == d)
    #expect((first.count, second.count) == (3, 2))
  }

  @Test(arguments: [
    ("AAPL\u{202e}", 4), ("AA\u{200b}PL", 2), ("\u{feff}AAPL", 0), ("AAPL\u{200d}", 4), ("AAPL\u{a0}", 4), ("東京\u{3000}", 6),
    ("AAPL\u{ad}", 4), ("AAPL\u{2800}", 4), ("1\u{fe0f}", 1), ("A\u{e0041}", 1),
  ])
  func `a name from outside with something that nobody sees is refused, because it would look like another one`(name: String, at: Int) {
    let intake = SymbolIntake(limit: 3)
    #expect(throws: TextError(.hiddenCharacter, at: at)) { try symbol(name, intake, in: SymbolTable()) }
    #expect(intake.count == 0)
  }

  @Test func `names of any script, with blanks and emoji, are taken`() throws {
    let intake = SymbolIntake(limit: 9)
    for name in ["BRK B", "東京電力", "می\u{200c}خواهم", "👩\u{200d}🚀", "❤\u{fe0f}USDT", "e\u{301}A"] {
      _ = try symbol(name, intake, in: SymbolTable())
    }
    #expect(intake.count == 6)
  }

  @Test func `a source that floods the table leaves the others their part`() throws {
    let table = SymbolTable(limit: 1000)
    let hostile = SymbolIntake(limit: 100)
    var refused = 0
    for number in 0..<5000 {
      do { _ = try symbol("EVIL\(number)", hostile, in: table) } catch { refused += 1 }
    }
    #expect(refused == 4900)
    let innocent = SymbolIntake(limit: 899)
    for number in 0..<899 { _ = try symbol("GOOD\(number)", innocent, in: table) }
    #expect(innocent.count == 899)
  }

  @Test func `the table's end is told once, and known names go on`() throws {
    let table = SymbolTable(limit: 10)
    let refusals = Mutex<[SymbolIntake.Refusal]>([])
    let intake = SymbolIntake { refusal in refusals.withLock { $0.append(refusal) } }
    for number in 1..<10 { #expect(try symbol("S\(number)", intake, in: table) == number) }
    for number in 10..<20 { #expect(throws: TextError(.tableFull, at: 0)) { try symbol("S\(number)", intake, in: table) } }
    #expect(try symbol("S5", intake, in: table) == 5)
    #expect(refusals.withLock { $0 } == [.table])
    #expect(intake.count == 9)
  }

  @Test func `tasks that bring names at once bring as many as they may together`() async throws {
    let table = SymbolTable()
    let intake = SymbolIntake(limit: 500)
    let good = await withTaskGroup(of: Int.self) { group in
      for task in 0..<4 {
        group.addTask {
          var good = 0
          for number in 0..<400 {
            if (try? symbol("T\(task)-\(number)", intake, in: table)) != nil { good += 1 }
          }
          return good
        }
      }
      return await group.reduce(0, +)
    }
    #expect(good == 500)
    #expect(intake.count == 500)
  }
}
