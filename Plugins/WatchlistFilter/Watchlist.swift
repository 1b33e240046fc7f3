internal import StockbusPlugin

/// Names and patterns, with the verdict on every symbol seen so far.
struct Watchlist {
  private let names: Set<String>
  private let patterns: [[UInt8]]
  private let invert: Bool
  /// By symbol handle: 0 not looked at yet, 1 passes, 2 does not.
  private var verdicts: [UInt8] = []

  init(_ entries: [String], invert: Bool) {
    names = Set(entries.filter { !Self.isPattern($0) })
    patterns = entries.filter(Self.isPattern).map { Array($0.utf8) }
    self.invert = invert
  }

  var count: Int { names.count + patterns.count }

  /// Sends on what passes, and counts the rest as filtered.
  mutating func pass<E: SymbolEvent>(_ events: Span<E>, into output: inout Outlet<E>) {
    var passed = 0
    for i in events.indices where passes(events[i].symbol) {
      output.send(events[i])
      passed &+= 1
    }
    output.filter(events.count &- passed)
  }

  @inline(__always)
  mutating func passes(_ symbol: Symbol) -> Bool {
    let id = Int(symbol.id)
    if id < verdicts.count, verdicts[id] != 0 { return verdicts[id] == 1 }
    return judge(symbol)
  }

  @inline(never)
  private mutating func judge(_ symbol: Symbol) -> Bool {
    let id = Int(symbol.id)
    if id >= verdicts.count { verdicts += Array(repeating: 0, count: max(id + 1, verdicts.count * 2, 256) - verdicts.count) }
    let name = symbol.description
    let isListed = names.contains(name) || patterns.contains { Self.matches(Array(name.utf8), $0) }
    verdicts[id] = isListed != invert ? 1 : 2
    return isListed != invert
  }

  static func isPattern(_ entry: String) -> Bool { entry.utf8.contains { $0 == 42 || $0 == 63 } }

  /// Why an entry can be neither name nor pattern; nil where it can.
  static func fault(in entry: String) -> String? {
    if isPattern(entry) { return entry.utf8.count > 64 ? "a pattern has at most 64 bytes" : nil }
    do throws(TextError) { _ = try Symbol(entry) } catch { return error.reason }
    return nil
  }

  /// `*` any text, `?` one character: greedy with one step back, so never worse than the product of the lengths.
  static func matches(_ name: [UInt8], _ pattern: [UInt8]) -> Bool {
    var n = 0
    var p = 0
    var star = -1
    var mark = 0
    while n < name.count {
      if p < pattern.count, pattern[p] == 42 {
        star = p
        mark = n
        p += 1
      } else if p < pattern.count, pattern[p] == 63 {
        p += 1
        n += 1
        while n < name.count, name[n] & 0xc0 == 0x80 { n += 1 }  // the rest of one character
      } else if p < pattern.count, pattern[p] == name[n] {
        p += 1
        n += 1
      } else if star >= 0 {
        p = star + 1
        mark += 1
        n = mark
      } else {
        return false
      }
    }
    while p < pattern.count, pattern[p] == 42 { p += 1 }
    return p == pattern.count
  }
}
