import Foundation
import MarketData
import StockbusPlugin
import TestSupport
import Testing

@testable import StockbusDecoding

/// Real recordings that are not part of the project: `STOCKBUS_DATA`, or `../shared/data` beside the package.
enum Recordings {
  static let folder = Repository.recordings
  static let isThere = FileManager.default.fileExists(atPath: folder + "/venues_ws")

  /// By file and kind, as `Scripts/capture-counts.py` counted them.
  static let counts: [String: [String: Int]] = {
    let path = Repository.fixtures.appending(path: "Captures/counts.txt").path
    var counts: [String: [String: Int]] = [:]
    for line in ((try? String(contentsOfFile: path, encoding: .utf8)) ?? "").split(separator: "\n") {
      let words = line.split(separator: " ").map(String.init)
      counts[words[0], default: [:]][words[1]] = Int(words[2])
    }
    return counts
  }()

  /// Decodes a whole capture.
  static func decode<E: DecodedEvent>(_ file: String, _ preset: VenuePreset, as _: E.Type) throws -> (found: [String: Int], events: [E]) {
    var decoder = try MessageDecoder<E>(preset.spec)
    var found: [String: Int] = [:]
    var events: [E] = []
    let data = try Data(contentsOf: URL(fileURLWithPath: folder + "/" + file))
    data.withUnsafeBytes { raw in
      let bytes = raw.bindMemory(to: UInt8.self)
      var at = 0
      while at < bytes.count {
        let end = bytes[at...].firstIndex(of: 10) ?? bytes.count
        found["lines", default: 0] += 1
        switch CaptureLine(UnsafeBufferPointer(rebasing: bytes[at..<end])) {
        case .message(let received, let text): _ = decoder.decode(text, received: received) { events.append($0) }
        case .sent: found["line-sent", default: 0] += 1
        case .connected:
          decoder.reconnected()
          found["line-connected", default: 0] += 1
        case .blank: found["line-blank", default: 0] += 1
        case .malformed(let why): Issue.record("\(file): \(why)")
        }
        at = end + 1
      }
    }
    let tally = decoder.tally
    for kind in tally.kinds where kind.count > 0 { found[kind.name] = kind.count }
    found["\(E.decodedKind.rawValue)-events"] = tally.events
    found["\(E.decodedKind.rawValue)-gaps"] = tally.gaps
    found["unknown"] = tally.unknown
    found["malformed"] = tally.malformed
    return (found, events)
  }
}

@Suite(.enabled(if: Recordings.isThere, "the recordings are not there")) struct RecordingTests {
  static let files: [(String, VenuePreset, [EventKind])] = [
    ("binance_ws/binance_spot_trades_btcusdt_ethusdt_20240809_304s.raw", .binance, [.trade, .quote]),
    ("venues_ws/BINANCE_FUTURES.ws.1.0.cryptofeed.txt", .binanceFutures, [.trade, .quote, .bar]),
    ("coinbase_ws/coinbase_exchange_20210417.cryptofeed.txt", .coinbaseExchange, [.trade, .quote]),
    ("venues_ws/KRAKEN.ws.50.0.cryptofeed.txt", .krakenV1, [.trade, .quote, .bar]),
    ("venues_ws/BITFINEX.ws.11.0.cryptofeed.txt", .bitfinex, [.trade, .quote]),
    ("venues_ws/GEMINI.ws.1.0.cryptofeed.txt", .gemini, [.trade]),
  ]

  @Test(arguments: files.indices) func `every line is accounted for by kind`(index: Int) throws {
    let (file, preset, events) = Self.files[index]
    for event in events {
      let found =
        switch event {
        case .trade: try Recordings.decode(file, preset, as: Trade.self).found
        case .quote: try Recordings.decode(file, preset, as: Quote.self).found
        case .bar: try Recordings.decode(file, preset, as: Bar.self).found
        }
      var expected = try #require(Recordings.counts[file])
      let own = ["events", "gaps"].map { "\(event.rawValue)-\($0)" }
      expected = expected.filter { !$0.key.hasSuffix("-events") && !$0.key.hasSuffix("-gaps") || own.contains($0.key) }
      for name in own + ["unknown", "malformed"] { expected[name] = expected[name] ?? 0 }
      #expect(found == expected)
    }
  }

  @Test func `Binance's prices are literally those of the file, and no trade is missing`() throws {
    let file = Self.files[0].0
    let (found, trades) = try Recordings.decode(file, .binance, as: Trade.self)
    #expect(found["trade-events"] == 18_556 && found["unknown"] == 0 && found["trade-gaps"] == 0)
    let text = try String(contentsOfFile: Recordings.folder + "/" + file, encoding: .utf8)
    var different = 0
    for (line, trade) in zip(text.split(separator: "\n"), trades) {
      let value = { (key: String) -> Substring in
        let rest = line.components(separatedBy: "\"\(key)\":")[1]
        return Substring(rest).drop { $0 == "\"" }.prefix { $0 != "\"" && $0 != "," && $0 != "}" }
      }
      let isSame =
        trade.price.formatted(decimals: Int(trade.priceDecimals)) == value("p")
        && trade.size.formatted(decimals: Int(trade.sizeDecimals)) == value("q") && "\(trade.symbol)" == value("s")
        && "\(trade.time.ns / 1_000_000)" == value("T") && trade.time.ns % 1_000_000 == 0
        && "\(trade.received.ns)" == line.prefix { $0 != " " } && (trade.side == .sell) == (value("m") == "true")
      if !isSame { different += 1 }
    }
    #expect(different == 0)
    #expect(trades.count == 18_556)
  }
}
