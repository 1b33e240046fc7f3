import Foundation
import MarketData
import StockbusTestKit

@testable import StockbusHistory

let second: Int64 = 1_000_000_000
let minute = 60 * second
let day = 86_400 * second

/// A daily bar of `days` after 1970-01-01, or one of another length at `start`, with prices around `price`.
func bar(
  _ symbol: Symbol, _ start: Int64, _ length: BarLength = .day, price: Int64 = 100, volume: Int64 = 10, revision: UInt32 = 0,
  status: BarStatus = .complete
) -> Bar {
  Bar(
    symbol: symbol, open: Price(raw: price * second), high: Price(raw: (price + 2) * second), low: Price(raw: (price - 1) * second),
    close: Price(raw: (price + 1) * second), volume: Quantity(raw: volume * second), time: Timestamp(ns: start),
    received: Timestamp(ns: start + (length.nanoseconds ?? 0)), priceDecimals: 2, length: length, revision: revision, status: status)
}

/// A bar with a random value in every field, extremes among them.
func randomBar(_ random: inout some RandomNumberGenerator, _ symbol: Symbol, at start: Int64, _ length: BarLength) -> Bar {
  func number() -> Int64 { [Int64.min, .max, 0, -1, .random(in: .min ... .max, using: &random)].randomElement(using: &random) ?? 0 }
  return Bar(
    symbol: symbol, open: Price(raw: number()), high: Price(raw: number()), low: Price(raw: number()), close: Price(raw: number()),
    volume: Quantity(raw: number()), time: Timestamp(ns: start), received: Timestamp(ns: number()),
    priceDecimals: .random(in: 0...9, using: &random), sizeDecimals: .random(in: 0...9, using: &random), length: length,
    turnover: Amount(raw: Int128(number()) << 64 | Int128(UInt64(bitPattern: number()))), vwap: Price(raw: number()),
    count: [0, .max, 7].randomElement(using: &random) ?? 0, revision: .random(in: 0...3, using: &random),
    session: MarketSession.allCases.randomElement(using: &random) ?? .unknown,
    status: BarStatus.allCases.randomElement(using: &random) ?? .complete)
}

extension HistoryWriter {
  @discardableResult
  func write(_ bars: [Bar]) throws -> Written {
    var batch = HistoryBatch()
    for bar in bars { batch.add(bar) }
    return try write(batch)
  }
}

extension TemporaryFolder {
  /// The bytes of a file.
  func bytes(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: file(name)))) }
}

/// The error of `body`, in words.
func fault(_ body: () throws -> Void) -> String? {
  do {
    try body()
    return nil
  } catch { return "\(error)" }
}

/// The error of `body`.
func failure(_ body: () throws -> Void) -> HistoryError? {
  do {
    try body()
    return nil
  } catch { return error as? HistoryError ?? HistoryError("", .other("\(error)")) }
}
