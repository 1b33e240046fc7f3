import Foundation
import StockbusPlugin
import StockbusTestKit
import TestSupport
import Testing

/// The code in the README is compiled here, word for word, and does what the README says.
@Suite struct ReadmeTests {
  private func trade(_ symbol: Symbol, size: Quantity) -> Trade {
    Trade(symbol: symbol, price: 10, size: size, time: Timestamp(ns: 1), received: Timestamp(ns: 1))
  }

  @Test func `the plugin of the README passes trades from its least size on`() async throws {
    let trades = [trade("A", size: 499), trade("B", size: 500), trade("C", size: 501)]
    let harness = PluginHarness()
    let passed: [Trade] = try await harness.output(of: Plugin.bigTrades, options: "least: 500", inputs: [trades])
    #expect(passed == [trades[1], trades[2]])
  }

  @Test func `the plugin of the README is the one that is tested`() throws {
    let here = URL(filePath: #filePath).deletingLastPathComponent()
    let code = try String(contentsOf: here.appending(path: "ReadmePlugin.swift"), encoding: .utf8)
    let readme = try String(contentsOf: Repository.root.appending(path: "README.md"), encoding: .utf8)
    #expect(readme.contains("```swift\n" + code + "```"))
  }

  @Test func `the configuration at the top of the README is the one that make run runs`() throws {
    let shipped = try String(contentsOf: Repository.root.appending(path: "plugins.yaml"), encoding: .utf8)
    let readme = try String(contentsOf: Repository.root.appending(path: "README.md"), encoding: .utf8)
    let body = shipped.split(separator: "\n", omittingEmptySubsequences: false).drop { $0.hasPrefix("#") }.joined(separator: "\n")
    #expect(readme.contains("# plugins.yaml\n" + body))
  }
}
