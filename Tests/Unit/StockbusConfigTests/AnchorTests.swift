import StockbusConfig
import StockbusPlugin
import Testing

@Suite struct AnchorTests {
  @Test func `an alias is the anchored node, at the place where that was written`() {
    #expect(
      tree("a: &x {k: 1}\nb: *x\nc: [*x]") == """
        {a@1:1: {k@1:8: 1@1:11}@1:4, b@2:1: {k@1:8: 1@1:11}@1:4, c@3:1: [{k@1:8: 1@1:11}@1:4]@3:4}@1:1
        """)
  }

  @Test func `a later anchor of the same name takes the place of the earlier`() {
    #expect(tree("[&x 1, *x, &x 2, *x]", marks: false) == "[1, 1, 2, 2]")
  }

  @Test func `text can be a key by an alias`() {
    #expect(tree("a: &k name\n*k : 1") == "{a@1:1: name@1:7, name@2:1: 1@2:6}@1:1")
    #expect(tree("&k name: *k", marks: false) == "{name: name}")
  }

  @Test func `own keys win over merged ones wherever the merge key stands`() {
    let base = "base: &b {x: 1, y: 2}\n"
    #expect(tree(base + "own: {<<: *b, y: 3}", marks: false) == "{base: {x: 1, y: 2}, own: {y: 3, x: 1}}")
    #expect(tree(base + "own: {y: 3, <<: *b}", marks: false) == "{base: {x: 1, y: 2}, own: {y: 3, x: 1}}")
  }

  @Test func `the earlier mapping of a merge list wins`() {
    let bases = "a: &a {x: 1, y: 1}\nb: &b {y: 2, z: 2}\n"
    #expect(tree(bases + "c: {<<: [*a, *b], w: 0}", marks: false).hasSuffix("c: {w: 0, x: 1, y: 1, z: 2}}"))
    #expect(tree(bases + "c: {<<: [*b, *a], w: 0}", marks: false).hasSuffix("c: {w: 0, y: 2, z: 2, x: 1}}"))
    #expect(tree(bases + "c: {<<: [{y: 9}, *a], <: 0}", marks: false).hasSuffix("c: {<: 0, y: 9, x: 1}}"))
  }

  @Test func `merges reach through merged mappings`() {
    #expect(
      tree("a: &a {x: 1, y: 1}\nb: &b {<<: *a, y: 2}\nc: {<<: *b}", marks: false)
        == "{a: {x: 1, y: 1}, b: {y: 2, x: 1}, c: {y: 2, x: 1}}")
  }

  @Test func `merged keys keep the place where they were written`() {
    #expect(tree("a: &a {x: 1}\nb: {<<: *a}") == "{a@1:1: {x@1:8: 1@1:11}@1:4, b@2:1: {x@1:8: 1@1:11}@2:4}@1:1")
  }

  @Test func `a merge key in quotation marks is a key`() {
    #expect(tree("{'<<': {a: 1}}", marks: false) == "{<<: {a: 1}}")
  }

  @Test func `refuses to merge what is no mapping`() {
    let text = """
      n: &n 5
      a: { <<: *n }
      b: { <<: [ { x: 1 }, *n ] }
      c: { <<: }
      d: { <<: [[]] }
      e: { <<: *gone }
      f: { <<: { a: 1 }, <<: { b: 1 } }
      """
    #expect(
      yamlProblems(text) == """
        t.yaml:2:10: error: '<<' merges a mapping or a list of mappings, not '5'
        t.yaml:3:10: error: '<<' merges mappings, but number 2 of its list is '5'
        t.yaml:4:10: error: '<<' merges a mapping or a list of mappings, not nothing
        t.yaml:5:10: error: '<<' merges mappings, but number 1 of its list is a list
        t.yaml:6:10: error: unknown anchor; an anchor stands before its aliases, and text that begins with '*' in quotation marks
        t.yaml:7:20: error: the key '<<' is given twice, first at t.yaml:7:6; write '<<: [*first, *second]'
        """)
  }
}
