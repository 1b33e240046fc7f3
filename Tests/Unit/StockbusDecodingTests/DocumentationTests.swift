import Foundation
import MarketData
import StockbusConfig
import StockbusPlugin
import TestSupport
import Testing

@testable import StockbusDecoding

/// The worked example of Documentation/use/venues.md, read from the page.
@Suite struct DocumentationTests {
  private static let page: String = {
    let path = Repository.root.appending(path: "Documentation/use/venues.md").path
    return (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
  }()

  private static func block(after heading: String, _ language: String) -> String {
    let rest = page.components(separatedBy: heading).last ?? ""
    let parts = rest.components(separatedBy: "```\(language)\n")
    return parts.count > 1 ? parts[1].components(separatedBy: "```")[0] : ""
  }

  @Test func `the example of the page decodes the messages of the page, and subscribes`() throws {
    let messages = Self.block(after: "## A venue of your own", "json").split(separator: "\n").map(String.init)
    let yaml = Self.block(after: "## A venue of your own", "yaml")
    let margin = yaml.split(separator: "\n").map { "    \($0)\n" }.joined()
    let config = ConfigLoader().load(text: "sources:\n  live:\n    plugin: x\n" + margin)
    #expect(config.problems.isEmpty)
    let node = try #require(config.description.components.first?.options["decoding"])
    let spec = try DecodingSpec.decode(node, at: node.mark)
    #expect(
      try decode(messages, spec, as: Trade.self, symbols: ["BTC-USD"]) == [
        Result(.events(1), ["BTC-USD 61685.99 x0.5 buy @2024-08-09T00:00:00.164378Z"]), Result(.heartbeat(kind: "alive")),
        Result(.acknowledgement(kind: "joined")), Result(.refusal(kind: "refused", text: "no such pair")),
      ])
    let talk = try Conversation(spec, symbols: ["BTC-USD", "ETH-USD"], event: .trade)
    #expect(talk.subscriptions.map(\.text) == [#"{"op":"join","topic":"prints","pairs":["btc_usd","eth_usd"]}"#])
    #expect(talk.silence == .seconds(30))
  }

  /// The venues' documentation of their formats.
  private static let addresses: [VenuePreset: String] = [
    .binance: "https://developers.binance.com/docs/binance-spot-api-docs/web-socket-streams",
    .binanceFutures: "https://developers.binance.com/docs/derivatives/usds-margined-futures/websocket-market-streams",
    .coinbaseExchange: "https://docs.cdp.coinbase.com/exchange/websocket-feed/channels",
    .coinbaseAdvanced: "https://docs.cdp.coinbase.com/coinbase-app/advanced-trade-apis/websocket/websocket-channels",
    .kraken: "https://docs.kraken.com/api/docs/websocket-v2/trade",
    .krakenV1: "https://docs.kraken.com/api/docs/websocket-v1/trade",
    .bitfinex: "https://docs.bitfinex.com/docs/ws-general",
    .gemini: "https://docs.gemini.com/websocket/market-data/v2/about",
    .alpaca: "https://docs.alpaca.markets/docs/streaming-market-data",
    .finnhub: "https://finnhub.io/docs/api/websocket-trades",
    .massive: "https://massive.com/docs/websocket/quickstart",
  ]

  @Test func `the page tells every preset with its address`() {
    for preset in VenuePreset.allCases {
      let row = Self.page.split(separator: "\n").first { $0.hasPrefix("| `\(preset.optionText)` |") }
      let address = preset.spec.url?.split(separator: "?").first.map(String.init) ?? "?"
      #expect(row?.contains("`\(address)`") == true, "\(preset)")
      #expect(Self.page.contains(Self.addresses[preset] ?? "?"), "\(preset)")
    }
  }
}
