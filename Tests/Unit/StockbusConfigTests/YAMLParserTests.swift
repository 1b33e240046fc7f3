import StockbusConfig
import StockbusPlugin
import Testing

@Suite struct YAMLParserTests {
  @Test func `gives every node and key its line and column`() {
    let text = """
      # heading
      sources:
        ticks: { plugin: generator, symbols: [A, "B C"] }
      list:
      - one
      -   two: 'x'
          three:
      """
    #expect(
      tree(text) == """
        {sources@2:1: {ticks@3:3: {plugin@3:12: generator@3:20, symbols@3:31: [A@3:41, 'B C'@3:44]@3:40}@3:10}@3:3, \
        list@4:1: [one@5:3, {two@6:5: 'x'@6:10, three@7:5: @7:11}@6:5]@5:1}@2:1
        """)
  }

  @Test func `counts columns in characters, not bytes`() {
    #expect(tree("{é: ü, 𝄞𝄞: x}") == "{é@1:2: ü@1:5, 𝄞𝄞@1:8: x@1:12}@1:1")
  }

  @Test func `passes over a byte order mark`() {
    #expect(tree("\u{FEFF}a: b") == "{a@1:1: b@1:4}@1:1")
  }

  @Test(arguments: ["a: 1\nb: 2", "a: 1\r\nb: 2", "a: 1\rb: 2", "a: 1\u{85}b: 2"])
  func `ends lines at every line break of YAML`(text: String) {
    #expect(tree(text) == "{a@1:1: 1@1:4, b@2:1: 2@2:4}@1:1")
  }

  @Test(arguments: ["", "\n\n", "# only a comment", "---", "--- ~\n", "null", "---\n...\n", "\u{FEFF}"])
  func `takes an empty file for an empty mapping`(text: String) {
    #expect(tree(text, marks: false) == "{}")
    #expect(tree(text) == "{}@1:1")
  }

  @Test func `reads every form of text`() {
    let text = #"""
      plain: two words # comment
      folded plain: one
        two

        three
      single: 'it''s ${x}'
      double: "tab\t, \u00e9, \
        joined"
      literal: |
        one
          two
      stripped: >-
        one
        two
      """#
    #expect(
      tree(text, marks: false) == """
        {plain: two words, folded plain: one two\nthree, single: 'it's ${x}', double: 'tab\t, é, joined', \
        literal: 'one\n  two\n', stripped: 'one two'}
        """)
  }

  @Test func `keeps text with a zero in it whole`() {
    #expect(tree(#"a: "x\0y""#, marks: false) == "{a: 'x\0y'}")
  }

  @Test func `knows nothing from text in quotation marks`() throws {
    for nothing in ["a:", "a: ~", "a: null", "{a: }", "{a}", "{a: , b: 1}"] {
      #expect(try YAMLParser.node(nothing)["a"]?.isNull == true, "\(nothing)")
    }
    for text in ["a: ''", "a: '~'", "a: \"null\"", "a: NULL", "a: !!str", "a: !!str null", "a: ! ~", "a: !!null x"] {
      #expect(try YAMLParser.node(text)["a"]?.isNull == false, "\(text)")
    }
  }

  @Test func `accepts the core schema's tags and keeps the text`() {
    let text = "!!map {a: !!str 1, b: !!int 2, c: !!float 3.0, d: !!bool true, e: !!null ~, f: !!seq [1], g: ! x}"
    #expect(tree(text, marks: false) == "{a: '1', b: 2, c: 3.0, d: true, e: ~, f: [1], g: 'x'}")
  }

  @Test func `places text behind its anchor and tag where they share its line`() {
    #expect(tree("a: !!str &x b") == "{a@1:1: 'b'@1:13}@1:1")
    #expect(tree("a: &x 'b'") == "{a@1:1: 'b'@1:7}@1:1")
    #expect(tree("a: &x é") == "{a@1:1: é@1:7}@1:1")
    // With escapes or several lines, the location is that of the anchor.
    #expect(tree(#"a: &x "\x41""#) == "{a@1:1: 'A'@1:4}@1:1")
    #expect(tree("a: &x\n  b") == "{a@1:1: b@1:4}@1:1")
    #expect(tree("a: &x") == "{a@1:1: @1:6}@1:1")
  }

  @Test func `keeps the order of keys and takes text of any kind as key`() {
    #expect(tree("{z: 1, 'a b': 2, 3: 4, ? y : 5, \"\": 6, null: 7}", marks: false) == "{z: 1, a b: 2, 3: 4, y: 5, : 6, null: 7}")
  }

  @Test func `accepts a version directive and a document's end`() {
    #expect(tree("%YAML 1.2\n---\na: b\n...\n# end\n", marks: false) == "{a: b}")
  }
}
