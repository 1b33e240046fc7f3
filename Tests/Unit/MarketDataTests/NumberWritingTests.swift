import MarketData
import TestSupport
import Testing

/// Digits written eight at a time, compared with those of the standard library.
@Suite struct NumberWritingTests {
  /// The number digit by digit, with at least `decimals` of nine decimals, more if it needs them.
  private func plain(_ raw: Int64, _ decimals: UInt8) -> String {
    let digits = String(raw.magnitude % 1_000_000_000)
    var fraction = Array(String(repeating: "0", count: 9 - digits.count) + digits)
    while fraction.count > min(9, Int(decimals)), fraction.last == "0" { fraction.removeLast() }
    return (raw < 0 ? "-" : "") + String(raw.magnitude / 1_000_000_000) + (fraction.isEmpty ? "" : "." + String(fraction))
  }

  @Test func `random numbers of every size`() {
    var random = SplitMix(8)
    var wrong: [Int64] = []
    for _ in 0..<20_000 {
      let unit = (0..<Int.random(in: 0...18, using: &random)).reduce(Int64(1)) { product, _ in product * 10 }
      let number = (Int64(truncatingIfNeeded: random.next()) >> Int64.random(in: 0...62, using: &random)) / unit * unit
      var out = ByteWriter(capacity: 64)
      out.put(integer: number)
      out.put(32)
      let decimals = UInt8.random(in: 0...11, using: &random)
      out.put(fixedPoint: number, decimals: decimals)
      out.put(32)
      if out.string != "\(number) \(plain(number, decimals)) " { wrong.append(number) }
    }
    #expect(wrong.prefix(3) == [])
  }

  @Test func `times of one writer, the same second or another, are those of a new one`() {
    var random = SplitMix(9)
    var out = ByteWriter()
    var time = Timestamp(ns: .min)
    var wrong = 0
    for step in 0..<20_000 {
      if step % 3 == 0 { time = Timestamp(ns: Int64(truncatingIfNeeded: random.next())) }
      if step % 3 == 1 { time = Timestamp(ns: time.ns ^ Int64.random(in: 0...999_999, using: &random)) }
      let form = ByteWriter.TimeForm.allCases.randomElement(using: &random)!
      out.clear()
      out.put(iso8601: time, form: form)
      // The description is written by separate code.
      let (whole, parts) = (String(time.description.prefix(19)), time.description.dropFirst(20).dropLast())
      let nine = parts + String(repeating: "0", count: 9 - parts.count)
      let width = form == .shortest ? parts.count : Int(form.rawValue)
      if out.string != whole + (width == 0 ? "" : "." + nine.prefix(width)) + "Z" { wrong += 1 }
    }
    #expect(wrong == 0)
  }
}
