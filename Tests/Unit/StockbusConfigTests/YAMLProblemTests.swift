import StockbusConfig
import StockbusPlugin
import Testing

/// The exact text of every error in YAML.
@Suite struct YAMLProblemTests {
  @Test(arguments: [
    ("a: \"b", "1:4: error: the quotation mark that opens here is never closed"),
    ("a: 'b\nc: d\n", "1:4: error: the quotation mark that opens here is never closed"),
    ("a: 'b\n---\n'", "2:1: error: the document ends here, inside text in quotation marks (the text begins at 1:4)"),
    ("a: [1, 2\nb: 3", "2:2: error: expected ',' or ']' (the list begins at 1:4)"),
    ("a: [1, 2", "1:4: error: the list that opens here is never closed"),
    ("a: {b: {c: 1}\n", "1:4: error: the mapping that opens here is never closed"),
    ("a: { : 2 }", "1:6: error: a key is missing before ':'"),
    ("a: [", "1:5: error: expected a value, but the file ends"),
    ("a: { b: ${X} }", "1:9: error: put '${…}' in quotation marks inside '[…]' and '{…}'"),
    ("a: [x${X}]", "1:6: error: put '${…}' in quotation marks inside '[…]' and '{…}'"),
    ("a: 1\n: 2", "2:1: error: a key is missing before ':'"),
    ("a: {b: 1, c: 2]", "1:15: error: expected ',' or '}' (the mapping begins at 1:4)"),
    ("a: b: c", "1:5: error: unexpected ':'; put text with ': ' in quotation marks, or check the indentation"),
    ("a: 1\n  b: 2", "2:4: error: unexpected ':'; put text with ': ' in quotation marks, or check the indentation"),
    ("a:\n  plugin:filter\n  where: x", "2:3: error: a space is missing after the colon of 'plugin:'; write 'plugin: …'"),
    (
      "a:\n  see http://x\n  where: x", "3:8: error: unexpected ':'; put text with ': ' in quotation marks, or check the indentation"
    ),
    ("  a: 1\n b: 2", "2:2: error: expected '---' or the end of the file; check the indentation"),
    (
      "a: 'b' c",
      "1:8: error: the text ends at its quotation mark; put all of it in quotation marks, here double ones (the mapping begins at 1:1)"
    ),
    ("- a\nb: c", "2:1: error: expected a list item '- '; check the indentation (the list begins at 1:1)"),
    ("a: - b", "1:4: error: a list item '- ' cannot begin here; check the indentation"),
    ("a: ? b", "1:4: error: a key cannot begin here; check the indentation"),
    ("a:\n  b: 1\nccc\nd: 2", "3:1: error: expected ':' after the key that begins here"),
    ("a: @b", "1:4: error: '@' cannot begin a value; put the text in quotation marks"),
    ("a: `b`", "1:4: error: '`' cannot begin a value; put the text in quotation marks"),
    ("a: %b", "1:4: error: '%' cannot begin a value; put the text in quotation marks"),
    ("a: [,]", "1:5: error: expected a value"),
    ("a: *", "1:5: error: '*' begins an alias and a name must follow; put other text in quotation marks"),
    ("a: & b", "1:5: error: '&' begins an anchor and a name must follow; put other text in quotation marks"),
    ("a: !<b c", "1:7: error: '!' begins a tag; put text that begins with it in quotation marks"),
    ("a: |0\n b", "1:5: error: the indentation of block text is 1 to 9"),
    ("a: | b\n c", "1:6: error: only a comment may follow '|' or '>' on its line"),
    ("a: \"\\q\"", "1:5: error: unknown escape '\\q' in text in double quotation marks; write '\\\\' for a backslash, or use single ones"),
    ("a: \"\\x4\"", "1:7: error: expected the hexadecimal digits of an escape: '\\xNN', '\\uNNNN' or '\\UNNNNNNNN'"),
    ("a: \"\\uD800\"", "1:7: error: the escape stands for no Unicode character"),
    ("{a: 1}\nb: 2", "2:1: error: expected '---' or the end of the file; check the indentation"),
    ("%FOO\n---\na: 1", "1:1: error: unknown directive; only '%YAML 1.2' is supported"),
    ("%YAML 2.0\n---\na: 1", "1:1: error: only YAML 1.1 and 1.2 are supported"),
    ("%YAML 1.1\n%YAML 1.1\n---\na: 1", "2:1: error: a second '%YAML' directive"),
  ])
  func `says what is wrong with the syntax`(text: String, message: String) {
    #expect(yamlProblems(text) == "t.yaml:" + message)
  }

  @Test(arguments: [
    ("a:\n\tb: 1", "2:1"), ("a: 1\n\t\nb: 2", "2:1"), ("a: |\n\tb", "2:1"), ("\ta: 1", "1:1"), ("a:\n  b: x\n \ty", "3:2"),
  ])
  func `refuses a tab that indents`(text: String, place: String) {
    #expect(yamlProblems(text) == "t.yaml:\(place): error: a tab cannot indent; use spaces")
  }

  @Test func `accepts a tab that does not indent`() {
    #expect(tree("a:\tb\t# c\nd: 'x\ty'", marks: false) == "{a: b, d: 'x\ty'}")
  }

  @Test(
    arguments: [
      ([0x61, 0x3A, 0x20, 0xFF], "1:4: error: not UTF-8: byte 0xFF, number 4 of the file; save the file as UTF-8"),
      ([0x61, 0x3A, 0x0A, 0x20, 0xC3, 0xA9, 0xC3], "2:3: error: not UTF-8: byte 0xC3, number 7 of the file; save the file as UTF-8"),
      ([0x61, 0x3A, 0x20, 0xC0, 0x80], "1:4: error: not UTF-8: byte 0xC0, number 4 of the file; save the file as UTF-8"),
      ([0xEF, 0xBB, 0xBF, 0xE0, 0x80, 0x80], "1:1: error: not UTF-8: byte 0xE0, number 4 of the file; save the file as UTF-8"),
      ([0xED, 0xA0, 0x80], "1:1: error: not UTF-8: byte 0xED, number 1 of the file; save the file as UTF-8"),
      ([0xF4, 0x90, 0x80, 0x80], "1:1: error: not UTF-8: byte 0xF4, number 1 of the file; save the file as UTF-8"),
      ([0xFF, 0xFE, 0x61, 0x00], "1:1: error: the file is UTF-16; save it as UTF-8"),
      ([0x61, 0x3A, 0x0A, 0x07], "2:1: error: the control character U+0007 is not allowed"),
      ([0x61, 0x00], "1:2: error: the control character U+0000 is not allowed"),
    ] as [([UInt8], String)])
  func `says where the bytes are no text`(bytes: [UInt8], message: String) {
    #expect(YAMLParser.parse(bytes, file: "t.yaml").problems.description == "t.yaml:" + message)
  }

  @Test func `reports everything but syntax errors at once`() {
    let text = """
      a: 1
      a: 2
      b: *nowhere
      [x]: 1
      {y: 1}: 2
      ?
      : 3
      c: !local 4
      d: !!seq text
      e: !!str [1]
      f: &self [*self]
      g: &near 1
      h: *naer
      """
    #expect(
      yamlProblems(text) == """
        t.yaml:2:1: error: the key 'a' is given twice, first at t.yaml:1:1
        t.yaml:3:4: error: unknown anchor; an anchor must come before its aliases; write text that begins with '*' in quotation marks
        t.yaml:4:1: error: a key must be text, not a list
        t.yaml:5:1: error: a key must be text, not a mapping
        t.yaml:6:2: error: a key is missing before ':'
        t.yaml:8:4: error: unknown tag; write text that begins with '!' in quotation marks; supported are those of the core schema: !!str, !!int, !!float, !!bool, !!null, !!seq, !!map
        t.yaml:9:4: error: the tag '!!seq' is for a list, but text follows
        t.yaml:10:4: error: the tag '!!str' is for text, but a list follows
        t.yaml:11:11: error: the anchor 'self' would contain itself
        t.yaml:13:4: error: unknown anchor; did you mean 'near'?
        """)
  }

  @Test func `keeps the first of two equal keys`() {
    let document = YAMLParser.parse(Array("{a: 1, \"a\": 2, b: 3}".utf8), file: "t.yaml")
    #expect(document.problems.description == "t.yaml:1:8: error: the key 'a' is given twice, first at t.yaml:1:2")
    #expect(document.root.map { written($0, marks: false) } == "{a: 1, b: 3}")
  }

  @Test func `refuses a second document but keeps the first`() {
    let document = YAMLParser.parse(Array("a: 1\n---\nb: [\n".utf8), file: "t.yaml")
    #expect(document.problems.description == "t.yaml:2:1: error: a second document begins here; a file holds one")
    #expect(document.root.map { written($0, marks: false) } == "{a: 1}")
  }

  @Test func `refuses tag directives and tags of other languages`() {
    let known = "supported are those of the core schema: !!str, !!int, !!float, !!bool, !!null, !!seq, !!map"
    #expect(yamlProblems("%TAG !e! x\n---\na: 1") == "t.yaml:1:1: error: '%TAG' directives are not accepted; \(known)")
    #expect(yamlProblems("a: !e!x 1") == "t.yaml:1:4: error: unknown tag; \(known)")
    #expect(
      yamlProblems("a: !!python/object 1")
        == "t.yaml:1:4: error: unknown tag; write text that begins with '!' in quotation marks; \(known)")
    #expect(
      yamlProblems("a: !!binary aGk=") == "t.yaml:1:4: error: unknown tag; write text that begins with '!' in quotation marks; \(known)")
  }

  @Test func `shows text of several lines on one`() {
    let long = String(repeating: "x", count: 80)
    #expect(
      yamlProblems("{\"a\\nb\\t\\a\": 1, \"a\\nb\\t\\a\": 2}")
        == "t.yaml:1:17: error: the key 'a\\nb\\t\\u{7}' is given twice, first at t.yaml:1:2")
    #expect(
      yamlProblems("a: *\(long)")
        == "t.yaml:1:4: error: unknown anchor; an anchor must come before its aliases; write text that begins with '*' in quotation marks")
  }
}
