package import StockbusPlugin

/// The format of the numbers in a file of daily bars, and their divisors.
package struct DailyNumbers: Hashable, Sendable {
  package var form = NumberForm.plain
  /// Volumes are divided by this number, exactly.
  package var sizeScale: UInt64 = 1
  /// Prices with more than nine decimals are rounded to nine, unless that leaves 0.
  package var roundsPrices = false
  /// True after a refused number with a decimal comma: a point in another number may then separate thousands.
  private(set) var hasCommas = false

  package init() {}

  /// A price in billionths.
  mutating func price(_ cell: ArraySlice<UInt8>, _ name: String, _ decimals: inout UInt8) throws(DailyRowError) -> Int64 {
    let text = try plain(cell, name)
    if text.withUnsafeBufferPointer({ NoNumber.isLimit($0) }) {
      throw DailyRowError("'\(name)' is undefined: \(Self.shown(cell)) stands for no number")
    }
    do throws(TextError) {
      let (raw, isFiner) = try Self.read(text, 1, roundsPrices ? .round : .reject, &decimals)
      if isFiner, raw == 0 { throw TextError(.tooManyDecimals, at: 0) }
      return raw
    } catch { throw problem(error, cell, name, error.code == .tooManyDecimals ? "; --finer-prices round rounds prices to nine" : "") }
  }

  /// A volume in billionths, 0 if it is missing; cut after the ninth decimal. Nil if it is out of range or not defined.
  mutating func volume(_ cell: ArraySlice<UInt8>, _ decimals: inout UInt8) throws(DailyRowError) -> Int64? {
    if cell.isEmpty || cell.withUnsafeBufferPointer({ NoNumber.isWord($0) }) { return 0 }
    let text = try plain(cell, "volume")
    if text.withUnsafeBufferPointer({ NoNumber.isLimit($0, isSize: true) }) { return nil }
    let raw: Int64
    do throws(TextError) { raw = try Self.read(text, sizeScale, .cut, &decimals).raw } catch {
      if error.code == .outOfRange, cell.first != 45 { return nil }
      throw problem(error, cell, "volume", "")
    }
    if raw < 0 { throw DailyRowError("'volume' is negative") }
    return raw
  }

  private static func read(
    _ text: [UInt8], _ scale: UInt64, _ finer: FinerNumbers, _ decimals: inout UInt8
  ) throws(TextError) -> (raw: Int64, isFiner: Bool) {
    var own: UInt8 = 0
    var isFiner = false
    let raw = try text.withUnsafeBufferPointer { (bytes) throws(TextError) in
      var reader = ByteReader(bytes)
      let raw = try reader.scaled(by: scale, finer: finer, decimals: &own, isFiner: &isFiner)
      try reader.expectEnd()
      return raw
    }
    decimals = max(decimals, own)
    return (raw, isFiner)
  }

  /// Converts the number to the plain form.
  private mutating func plain(_ cell: ArraySlice<UInt8>, _ name: String) throws(DailyRowError) -> [UInt8] {
    let (plain, isAmbiguous, hasComma) = cell.withUnsafeBufferPointer {
      (form.plain($0), NumberForm.isAmbiguous($0), NumberForm.hasDecimalComma($0))
    }
    if form == .plain, hasComma { hasCommas = true }
    if hasCommas, isAmbiguous {
      throw DailyRowError(
        "'\(name)' is \(Self.shown(cell)): its point may separate thousands, because other numbers in this file have decimal commas; "
          + "--numbers comma reads them")
    }
    guard form != .plain else { return Array(cell) }
    guard let plain else { throw problem(TextError(.unexpected, at: 0), cell, name, "") }
    return plain
  }

  private func problem(_ error: TextError, _ cell: ArraySlice<UInt8>, _ name: String, _ remedy: String) -> DailyRowError {
    guard error.code == .unexpected else { return DailyRowError("'\(name)': \(error.reason)\(remedy)") }
    if cell.isEmpty { return DailyRowError("'\(name)' is empty") }
    let advice = NumberText.advice(String(decoding: cell.prefix(60), as: UTF8.self)).map { "; \($0)" } ?? ""
    let option = form == .plain && !advice.isEmpty ? ", or say how numbers are written: --numbers grouped or comma" : ""
    return DailyRowError("'\(name)' is not a number: \(Self.shown(cell))\(advice)\(option)")
  }

  private static func shown(_ cell: ArraySlice<UInt8>) -> String {
    "'\(visible(String(decoding: cell.prefix(60), as: UTF8.self), limit: 60))'"
  }
}
