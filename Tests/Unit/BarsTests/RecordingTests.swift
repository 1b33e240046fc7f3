import FileReplay
import Foundation
import StockbusTestKit
import TestSupport
import Testing

@testable import Bars

/// A real recording that is not part of the project: `STOCKBUS_DATA`, or `../shared/data` beside the package.
@Suite struct RecordingTests {
  private static let folder = Repository.recordings
  private static let file = folder + "/us_equities_tick/us_trades_SPY_BAC_AIG_IBM_20131008_rth_0930_1100.csv"

  /// The 64-bit FNV-1a hash of a text.
  private func digest(_ text: String) -> UInt64 {
    text.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }

  private func csv(_ bars: [Bar]) -> String {
    var out = ByteWriter(capacity: 1 << 16)
    for bar in bars {
      Bar.schema.encodeCSV(bar, to: &out)
      out.put(10)
    }
    return Bar.schema.fields.map(\.name).joined(separator: ",") + "\n" + out.string
  }

  /// The digests are those of `Benchmarks/Peers/python/duckdb_bars.py`, which computes the same bars with DuckDB, in whole numbers.
  @Test(.enabled(if: FileManager.default.fileExists(atPath: file), "the recording is not there"), .timeLimit(.minutes(15)))
  func `ninety minutes of trades have the bars that DuckDB computes`() async throws {
    let trades: [Trade] = try await PluginHarness().first(200_000, of: Plugin.fileReplay, options: "path: \(Self.file)")
    #expect(trades.count == 173_071)
    let expected: [(String, Int, UInt64)] = [
      ("1s", 12_453, 0x8585_033c_fb4a_1547), ("1m", 360, 0xc5d5_8519_4f94_2019), ("1h", 8, 0x24c0_39fb_d38b_4430),
    ]
    for (length, count, digest) in expected {
      let bars: [Bar] = try await PluginHarness().output(of: Plugin.bars, options: "lengths: \(length)", inputs: [trades])
      #expect(bars.count == count)
      #expect(self.digest(csv(bars)) == digest, "\(length)")
    }
    // What a trade counts for by its condition, which the file has as Lean's flags: `duckdb_bars.py --conditions`.
    let marked: [Trade] = try await PluginHarness().first(
      200_000, of: Plugin.fileReplay, options: "{ path: \(Self.file), condition_codes: lean }")
    #expect(marked.count == 173_071 && trades.allSatisfy { $0.condition == .regular })
    let counts: [TradeCondition: Int] = [
      .regular: 91_974, .sweep: 80_613, .opening: 315, .averagePrice: 95, .extendedHours: 36, .derivativelyPriced: 25, .officialPrice: 7,
      .specialSettlement: 4, .contingent: 1, .outOfSequence: 1,
    ]
    #expect(Dictionary(grouping: marked, by: \.condition).mapValues(\.count) == counts)
    let conditional: [(String, Int, UInt64)] = [
      ("1s", 12_442, 0x676a_764d_e7c5_a23a), ("1m", 360, 0x61b0_43a4_937f_0c55), ("1h", 8, 0x2b81_3037_f821_77d3),
    ]
    for (length, count, digest) in conditional {
      let bars: [Bar] = try await PluginHarness().output(of: Plugin.bars, options: "lengths: \(length)", inputs: [marked])
      #expect(bars.count == count)
      #expect(self.digest(csv(bars)) == digest, "\(length) with conditions")
    }
    // Bars of bars.
    let seconds: [Bar] = try await PluginHarness().output(of: Plugin.bars, options: "lengths: 1s", inputs: [trades])
    let minutes: [Bar] = try await PluginHarness().output(of: Plugin.bars, options: "lengths: 1m", inputs: [seconds])
    #expect(digest(csv(minutes)) == 0xc5d5_8519_4f94_2019)
  }
}
