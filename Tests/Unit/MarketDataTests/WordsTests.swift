import MarketData
import Testing

@Suite("Words of messages")
struct WordsTests {
  @Test(
    arguments: [
      // Two of three letters differ, which is no typing error.
      ("BID", ["ask", "bid"], "bid"), ("Fields", ["field", "FIELDS"], "FIELDS"), ("prise", ["price", "size"], "price"),
      ("rpice", ["price", "ice"], "price"), ("colour", ["price", "size"], nil), ("", ["price"], nil), ("ab", [], nil),
    ] as [(String, [String], String?)])
  func `the same word in other letters is meant, else the nearest`(word: String, names: [String], meant: String?) {
    #expect(suggestion(for: word, among: names) == meant)
    #expect(didYouMean(word, among: names) == (meant.map { "; did you mean '\($0)'?" } ?? ""))
  }

  @Test(
    arguments: [
      ("pct", ["price", "change", "percent"], "percent"), ("Desc", ["ascending", "descending"], "descending"),
      ("every", ["symbols", "interval"], "interval"), ("every", ["lengths", "merge"], "lengths"), ("every", ["inputs"], nil),
      // A name of one's own comes first.
      ("every", ["every", "interval"], "every"), ("tickers", ["symbols"], "symbols"),
      ("rises", ["name", "above", "rises_by", "window"], "rises_by"), ("within", ["name", "window"], "window"),
      ("down", ["rises_by", "falls_by"], "falls_by"), ("dayly", ["session", "day", "week"], "day"), ("url", ["servers"], "servers"),
      ("silence", ["since", "silent_for"], "silent_for"), ("price_above", ["above", "below"], "above"),
      ("telegram", ["desktop", "webhook"], "webhook"), ("console", ["console_viewer", "dashboard"], "console_viewer"),
    ] as [(String, [String], String?)])
  func `words of other tools mean ours`(word: String, names: [String], meant: String?) {
    #expect(suggestion(for: word, among: names) == meant)
  }

  @Test
  func `words are listed as a sentence lists them`() {
    #expect(listed([]) == "")
    #expect(listed(["a"]) == "a")
    #expect(listed(["a", "b"]) == "a and b")
    #expect(listed(["a", "b", "c"]) == "a, b and c")
  }
}
