#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import StockbusPlugin

/// A value as a file keeps it between two runs.
private struct WrittenValue: StoredValue {
  let version: Int
  let json: Data

  func decode<V: Decodable>(_: V.Type) throws -> V { try JSONDecoder().decode(V.self, from: json) }
}

extension Memory {
  /// Writes all values that outlive the run, so that the next instance reads them as that of another run does.
  func write() throws(HarnessError) {
    var written: [Entry] = []
    for entry in entries {
      guard case .live(let value) = entry.value else { continue }
      do {
        let json = try JSONEncoder().encode(value)
        let stored = WrittenValue(version: entry.version, json: json)
        written.append(Entry(name: entry.name, isKept: entry.isKept, version: entry.version, value: .stored(stored)))
      } catch { throw HarnessError("'\(entry.name)' is remembered, but cannot be written: \(error)") }
    }
    take(written)
  }
}
