import Foundation
import StockbusPlugin
import StockbusTestKit
import TestSupport
import Testing

/// The first plugin of Documentation/extend/plugins.md is compiled here, word for word, and does what the page says.
@Suite struct FirstPluginTests {
  private func trade(_ symbol: Symbol, size: Quantity) -> Trade {
    Trade(symbol: symbol, price: 10, size: size, time: Timestamp(ns: 1), received: Timestamp(ns: 1))
  }

  @Test func `the first plugin of the page passes trades from its least size on`() async throws {
    let trades = [trade("A", size: 499), trade("B", size: 500), trade("C", size: 501)]
    let harness = PluginHarness()
    let passed: [Trade] = try await harness.output(of: Plugin.bigTrades, options: "least: 500", inputs: [trades])
    #expect(passed == [trades[1], trades[2]])
  }

  @Test func `the first plugin of the page is the one that is tested`() throws {
    let here = URL(filePath: #filePath).deletingLastPathComponent()
    let code = try String(contentsOf: here.appending(path: "FirstPlugin.swift"), encoding: .utf8)
    let page = try String(contentsOf: Repository.root.appending(path: "Documentation/extend/plugins.md"), encoding: .utf8)
    #expect(page.contains("```swift\n" + code + "```"))
  }

  @Test func `the first configuration of the page on configurations is the one that make run runs`() throws {
    let shipped = try String(contentsOf: Repository.root.appending(path: "plugins.yaml"), encoding: .utf8)
    let page = try String(contentsOf: Repository.root.appending(path: "Documentation/use/configuration.md"), encoding: .utf8)
    let body = shipped.split(separator: "\n", omittingEmptySubsequences: false).drop { $0.hasPrefix("#") }.joined(separator: "\n")
    #expect(page.contains("# plugins.yaml\n" + body))
  }
}
