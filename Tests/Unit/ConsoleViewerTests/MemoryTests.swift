import Foundation
import MarketData
import TestSupport
import StockbusInstruments
import StockbusPlugin
import Testing

@testable import ConsoleViewer

@Suite struct MemoryTests {
  private let memory = ViewerMemory(
    watchlist: ["AAPL", "BRK.B", "A B"], alerts: [PriceAlert(symbol: "AAPL", isAbove: true, level: Price(raw: 200_500_000_000))])

  @Test func `what is kept is read again`() throws {
    var damaged = 0
    #expect(ViewerMemory(text: memory.text, damaged: &damaged) == memory)
    #expect(damaged == 0)
    #expect(memory.text == "# stockbus console_viewer\nwatch AAPL\nwatch BRK.B\nwatch A B\nalert AAPL above 200.5\n")
  }

  @Test func `damage costs only the lines it hit`() {
    var damaged = 0
    let text = "watch AAPL\nwatch\nwat\u{fffd}h X\nalert AAPL over 3\nalert B below 1\n\u{0}\u{1}\nwatch \"\nwatch AAPL\nwatch NVDA"
    let memory = ViewerMemory(text: text, damaged: &damaged)
    #expect(memory.watchlist == ["AAPL", "NVDA"])
    #expect(memory.alerts.map(\.text) == ["B below 1"])
    #expect(damaged == 5)
  }

  @Test func `any bytes can be read`() {
    var random = RandomStream(seed: 5)
    for _ in 0..<200 {
      let bytes = (0..<Int(random.next() % 200)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      var damaged = 0
      _ = ViewerMemory(text: String(decoding: bytes, as: UTF8.self), damaged: &damaged)
    }
  }

  @Test func `whatever stands in the file, what was understood is written and read as the same`() {
    let words = [
      "watch ", "alert ", "watch", " above ", " below ", "AAPL", "BRK.B", "A B", "200.5", "-1", "1e5", "9223372036.854775807", "\n", "\n",
      "\n",
      "\r\n", "\r", " ", "# stockbus console_viewer\n", "#", "\u{2028}", "\u{85}", "\u{feff}", "é", "\u{301}", "\u{0}", "\u{1b}[2J",
      "above",
      String(repeating: "N", count: 300),
    ]
    var random = SplitMix(19)
    var costs = Costs("memory files")
    var kept = 0
    for _ in 0..<rounds(1000) {
      var bytes: [UInt8] = []
      if random.oneIn(2) {
        bytes = Array(memory.text.utf8)
      } else {
        for _ in 0..<random.upTo(30) { bytes += Array(words[random.upTo(words.count - 1)].utf8) }
      }
      for _ in 0..<(bytes.isEmpty ? 0 : random.upTo(3)) {
        let at = random.upTo(bytes.count - 1)
        switch random.upTo(2) {
        case 0: bytes[at] = UInt8(truncatingIfNeeded: random.next())
        case 1: bytes.insert(contentsOf: Array(words[random.upTo(words.count - 1)].utf8), at: at)
        default: bytes.insert(contentsOf: bytes[at..<min(bytes.count, at + 20)], at: at)
        }
      }
      let text = String(decoding: bytes, as: UTF8.self)
      let (found, damaged) = costs.measure(size: bytes.count, text, isGood: { $0.1 == 0 }) {
        var damaged = 0
        let found = ViewerMemory(text: text, damaged: &damaged)
        return (found, damaged)
      }
      #expect(damaged <= text.utf8.count { $0 == 10 } + 1)
      var again = 0
      let second = ViewerMemory(text: found.text, damaged: &again)
      if second != found || again != 0 { Issue.record("\(text.debugDescription) is kept as \(found.text.debugDescription)") }
      kept += found.watchlist.count + found.alerts.count
    }
    #expect(kept > 1000)
    for line in costs.lines { print(line) }
  }

  @Test func `the file is replaced as a whole, and its folders are made`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "viewer-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "a/b/state").path
    #expect(try read(path) == ViewerMemory())
    try memory.write(to: path)
    try memory.write(to: path)
    #expect(try read(path) == memory)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "a/b").path) == ["state"])
    #expect(throws: CommandError.self) { try memory.write(to: path + "/below/a/file") }
  }

  private struct Unreadable: Error {}

  private func read(_ path: String) throws -> ViewerMemory {
    guard case .memory(let memory, damaged: 0) = ViewerMemory.read(path) else { throw Unreadable() }
    return memory
  }

  @Test func `names with blanks, with line ends of Unicode and with pattern characters are read as they were`() {
    let symbols: [Symbol] = ["A B", " A", "A ", "A  B", "B above 3", "A\u{2028}B", "*", "#x"]
    let memory = ViewerMemory(
      watchlist: symbols, alerts: symbols.map { PriceAlert(symbol: $0, isAbove: false, level: Price(raw: 1_500_000_000)) })
    var damaged = 0
    #expect(ViewerMemory(text: memory.text, damaged: &damaged) == memory)
    #expect(ViewerMemory(text: memory.text.replacing("\n", with: "\r\n"), damaged: &damaged) == memory)
    #expect(damaged == 0)
  }

  @Test func `what cannot be read is kept beside, whatever it is, and never written over`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "viewer-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let path = folder.appending(path: "state").path
    // A damaged file: the valid lines are used.
    try Data("watch AAPL\nwhat is this\n".utf8).write(to: folder.appending(path: "state"))
    let store = ViewerStore(path: path)
    let (found, fault) = await store.recall()
    #expect(found.watchlist == ["AAPL"])
    #expect(fault?.hasPrefix("a line of \(path)") == true)
    #expect(try await store.keep(memory) == path + ".aside-1")
    #expect(try String(contentsOfFile: path + ".aside-1", encoding: .utf8) == "watch AAPL\nwhat is this\n")
    #expect(try await store.keep(memory) == nil)
    #expect(try read(path) == memory)
    // A file that is too long, and a folder: the next free name is used.
    try Data(repeating: 65, count: 1 << 21).write(to: folder.appending(path: "state"))
    let second = ViewerStore(path: path)
    #expect(await second.recall().fault?.contains("longer than a megabyte") == true)
    #expect(try await second.keep(memory) == path + ".aside-2")
    #expect(try Data(contentsOf: URL(filePath: path + ".aside-2")).count == 1 << 21)
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    let third = ViewerStore(path: path)
    #expect(await third.recall().fault?.contains("not a regular file") == true)
    #expect(try await third.keep(memory) == path + ".aside-3")
    #expect(try read(path) == memory)
  }

  @Test func `a link in the place of the new file is not followed`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "viewer-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let path = folder.appending(path: "state").path
    // The predictable name that was used once: the path and the process's number.
    let trap = "\(path).\(ProcessInfo.processInfo.processIdentifier)"
    let victim = folder.appending(path: "victim").path
    try Data("mine".utf8).write(to: URL(filePath: victim))
    try FileManager.default.createSymbolicLink(atPath: trap, withDestinationPath: victim)
    try memory.write(to: path)
    #expect(try String(contentsOfFile: victim, encoding: .utf8) == "mine")
    #expect(try read(path) == memory)
  }

  @Test(arguments: [
    ("stocks://symbol/AAPL", "AAPL"), ("AAPL", "AAPL"), ("STOCKS://symbol/BRK.B", "BRK.B"), ("stocks://symbol/A%26B", "A&B"),
    ("stocks://symbol/%C3%84", "Ä"),
  ])
  func `links name symbols`(link: String, symbol: String) throws {
    #expect(try StockLink(link).symbol.description == symbol)
  }

  @Test(arguments: [
    "", "http://symbol/A", "stocks://", "stocks://symbol/", "stocks://share/A", "stocks://symbol/A/B", "stocks://symbol/%",
    "stocks://symbol/%FF",
  ])
  func `what is no link is refused`(link: String) {
    #expect(throws: CommandError.self) { try StockLink(link) }
  }
}
