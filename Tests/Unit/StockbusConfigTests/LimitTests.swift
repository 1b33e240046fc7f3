import StockbusConfig
import StockbusPlugin
import Testing

/// Every limit, at the last accepted value and one beyond.
@Suite struct LimitTests {
  /// The billion laughs: nine levels of ten aliases each.
  @Test func `an alias bomb is refused without being expanded`() {
    var text = "a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol, lol]\n"
    for level in 1...9 {
      text += "a\(level): &a\(level) [" + Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ", ") + "]\n"
    }
    #expect(yamlProblems(text) == "t.yaml:5:45: error: more than 100,000 keys and values with aliases expanded, the limit")
  }

  @Test func `a merge bomb is refused too`() {
    let keys = (0..<1_000).map { "k\($0): 1" }.joined(separator: ", ")
    let text = "a: &a {\(keys)}\nb: {<<: [" + Array(repeating: "*a", count: 1_000).joined(separator: ", ") + "]}"
    #expect(yamlProblems(text) == "t.yaml:2:202: error: more than 100,000 keys and values with aliases expanded, the limit")
  }

  @Test func `aliases of long text are counted by their bytes`() {
    let text = "a: &a \(String(repeating: "x", count: 1 << 20))\nb: [" + Array(repeating: "*a", count: 100).joined(separator: ", ") + "]"
    #expect(yamlProblems(text) == "t.yaml:2:61: error: more than 16 MiB of text with aliases expanded, the limit")
  }

  @Test func `counts values`() {
    var limits = ConfigLimits()
    limits.nodes = 4
    #expect(tree("[1, 2, 3]", marks: false, limits: limits) == "[1, 2, 3]")
    #expect(
      yamlProblems("[1, 2, 3, 4]", limits: limits) == "t.yaml:1:11: error: more than 4 keys and values with aliases expanded, the limit")
    #expect(
      yamlProblems("[&a [1], *a]", limits: limits) == "t.yaml:1:10: error: more than 4 keys and values with aliases expanded, the limit")
  }

  @Test func `counts levels`() {
    let deepest = String(repeating: "[", count: 63) + "x" + String(repeating: "]", count: 63)
    #expect(yamlProblems(deepest) == "")
    #expect(yamlProblems("[\(deepest)]") == "t.yaml:1:65: error: nested more than 64 levels deep, the limit")
    #expect(
      yamlProblems(String(repeating: "[", count: 100_000)) == "t.yaml:1:65: error: nested more than 64 levels deep, the limit")
    #expect(yamlProblems(String(repeating: "- ", count: 1_000)) == "t.yaml:1:129: error: nested more than 64 levels deep, the limit")
    #expect(yamlProblems(String(repeating: "? ", count: 1_000)).hasSuffix("nested more than 64 levels deep, the limit"))
  }

  @Test func `counts the levels inside of aliases`() {
    var limits = ConfigLimits()
    limits.depth = 4
    #expect(yamlProblems("a: &a [[x]]\nb: *a", limits: limits) == "")
    #expect(yamlProblems("a: &a [[x]]\nb: [*a]", limits: limits) == "t.yaml:2:5: error: nested more than 4 levels deep, the limit")
  }

  @Test func `limits one text and one file`() {
    let longest = String(repeating: "x", count: 1 << 20)
    #expect(yamlProblems("a: \(longest)") == "")
    #expect(yamlProblems("a:\n  \(longest)y") == "t.yaml:2:3: error: the text is longer than 1 MiB, the limit")
    let comment = "#" + String(repeating: " ", count: (4 << 20) - 1)
    #expect(yamlProblems(comment) == "")
    #expect(yamlProblems(comment + " ") == "t.yaml:1:1: error: the file is larger than 4 MiB, the limit")
  }

  @Test func `limits text that variables make longer`() {
    var limits = ConfigLimits()
    limits.scalarBytes = 40
    let text = "runtime: { a: 'x ${A}${A}' }"
    #expect(problems(text, ["A": String(repeating: "y", count: 19)], limits: limits) == "")
    #expect(
      problems(text, ["A": String(repeating: "y", count: 20)], limits: limits)
        == "plugins.yaml:1:16: error: the text with its variables is longer than 40 bytes, the limit")
  }

  @Test func `limits all text with variables together`() {
    let value = String(repeating: "y", count: 1 << 20)
    let text = "x-a: &a ${A}\nx-b: &b ${A}\nruntime: { b: *b, a: [" + Array(repeating: "*a", count: 100).joined(separator: ", ") + "] }"
    // Reported once, at the first that exceeds the limit.
    #expect(
      problems(text.replacing("] }", with: "], c: [*b, *b] }"), ["A": value])
        == "plugins.yaml:1:9: error: more than 16 MiB of text with variables in it, the limit")
  }

  @Test func `limits the problems with variables`() {
    var limits = ConfigLimits()
    limits.variableProblems = 2
    #expect(
      problems("runtime: { a: '${A}${B}${C}${D}' }", limits: limits) == """
        plugins.yaml:1:16: error: the variable 'A' is not set; set it or give a default: '${A:-…}'
        plugins.yaml:1:20: error: the variable 'B' is not set; set it or give a default: '${B:-…}'
        plugins.yaml:1:24: error: more than 2 problems with variables in this file, the limit; the rest is not shown
        """)
  }
}
