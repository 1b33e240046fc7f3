import StockbusTestKit
import Testing

@testable import WatchlistFilter

/// The simplest model of `*` and `?`.
func matchesPlainly(_ name: ArraySlice<Unicode.Scalar>, _ pattern: ArraySlice<Unicode.Scalar>) -> Bool {
  guard let first = pattern.first else { return name.isEmpty }
  if first == "*" {
    return matchesPlainly(name, pattern.dropFirst()) || (!name.isEmpty && matchesPlainly(name.dropFirst(), pattern))
  }
  guard let head = name.first, first == "?" || first == head else { return false }
  return matchesPlainly(name.dropFirst(), pattern.dropFirst())
}

@Suite(.timeLimit(.minutes(15))) struct GlobTests {
  @Test func `agrees with the plain meaning on random names and patterns`() {
    var random = RandomStream(seed: 5)
    let letters: [Unicode.Scalar] = ["A", "B", ".", "é", "漢", "😀"]
    var hits = 0
    for _ in 0..<60_000 {
      let name = (0..<Int.random(in: 0...7, using: &random)).map { _ in letters[Int.random(in: 0..<6, using: &random)] }
      let pattern = (0..<Int.random(in: 0...6, using: &random)).map { _ -> Unicode.Scalar in
        switch Int.random(in: 0..<4, using: &random) {
        case 0: "*"
        case 1: "?"
        // Mostly letters of the name, because otherwise hardly anything would match.
        default: name.randomElement(using: &random) ?? "A"
        }
      }
      let expected = matchesPlainly(name[...], pattern[...])
      let text = { (scalars: [Unicode.Scalar]) in Array(String(String.UnicodeScalarView(scalars)).utf8) }
      #expect(WatchlistMatcher.matches(text(name), text(pattern)) == expected, "\(name) \(pattern)")
      hits += expected ? 1 : 0
    }
    #expect(hits > 5000)
  }

  @Test func `many stars are no trap`() {
    let name = Array(String(repeating: "A", count: 64).utf8)
    let pattern = Array((String(repeating: "*A", count: 31) + "*B").utf8)
    #expect(!WatchlistMatcher.matches(name, pattern))
    #expect(WatchlistMatcher.matches(name, pattern.dropLast(2) + [42]))
  }

  @Test func `what can be neither name nor pattern`() {
    #expect(WatchlistMatcher.fault(in: "BRK.*") == nil)
    #expect(WatchlistMatcher.fault(in: String(repeating: "?", count: 65)) == "a pattern has at most 64 bytes")
    #expect(WatchlistMatcher.fault(in: "") == "a symbol cannot be empty")
    #expect(WatchlistMatcher.fault(in: "A,B") == "a symbol cannot contain control characters, quotation marks, backslashes or commas")
  }
}
