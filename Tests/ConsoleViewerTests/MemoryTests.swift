import Foundation
import MarketData
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

  @Test func `the file is replaced as a whole, and its folders are made`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "viewer-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "a/b/state").path
    var damaged = 0
    #expect(ViewerMemory.read(path, damaged: &damaged) == ViewerMemory())
    try memory.write(to: path)
    try memory.write(to: path)
    #expect(ViewerMemory.read(path, damaged: &damaged) == memory)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "a/b").path) == ["state"])
    #expect(damaged == 0)
    #expect(throws: CommandError.self) { try memory.write(to: path + "/below/a/file") }
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
