import StockbusConfig
import StockbusPlugin
import Testing

@testable import StockbusProgram

/// What came, written into a file of tests.
@Suite struct TestUpdateTests {
  private let text = """
    x-a: 1
    runtime:
      rows: [{ at: 1s, rule: "a ]" }, # one ]
             { at: 2s }] # two
      block:
        # first
        - { at: 1s }
        - { at: 2s,
            rule: b }
        # behind
      count: 12 # three
      word: "it's"
    """

  private func node(_ key: String) throws -> ConfigNode {
    try #require(ConfigLoader().load(text: text).description.runtime?[key])
  }

  @Test func `lists, numbers and words are replaced, and everything else stays`() throws {
    let updates = [
      TestUpdate(old: .list(try node("rows").mark), new: ["{ at: 5s }", "{ at: 6s }"]),
      TestUpdate(old: .list(try node("block").mark), new: ["{ at: 7s }"]), TestUpdate(old: .scalar(try node("count")), new: ["1"]),
      TestUpdate(old: .scalar(try node("word")), new: ["other"]),
    ]
    #expect(
      TestUpdate.apply(updates, to: text) == """
        x-a: 1
        runtime:
          rows: [{ at: 5s }, { at: 6s }] # two
          block:
            # first
            - { at: 7s }
            # behind
          count: 1 # three
          word: other
        """)
  }

  @Test func `nothing came`() throws {
    let updates = [TestUpdate(old: .list(try node("rows").mark), new: []), TestUpdate(old: .list(try node("block").mark), new: [])]
    let changed = TestUpdate.apply(updates, to: text)
    #expect(changed.contains("  rows: [] # two\n") && changed.contains("    # first\n      []\n    # behind"), "\(changed)")
  }
}
