import StockbusConfig
import StockbusPlugin
import Testing

/// The positions of the characters inside a scalar.
@Suite struct CharacterPlaceTests {
  /// The option `o` of the one component, with `V` set to `xy` and `W` not set.
  private func option(_ yaml: String) throws -> ConfigNode {
    let text = "sources:\n  s: &s\n    plugin: p\n" + yaml
    let config = ConfigLoader(environment: { $0 == "V" ? "xy" : nil }).load(text: text)
    return try #require(config.description.components.first?.options["o"])
  }

  @Test(arguments: [
    ("    o: price > 5\n", "4:8", "4:14"),
    ("    o: \"price > 5\"\n", "4:8", "4:15"),
    ("    o: 'price > 5'\n", "4:8", "4:15"),
    ("    \"o\":    'é… > 5'   # comment\n", "4:13", "4:20"),
    ("    o: &a price > 5\n", "4:11", "4:17"),
    ("    o: &a 'price > 5'\n", "4:11", "4:18"),
    ("    o: !!str 'price > 5'\n", "4:14", "4:21"),
    ("    x: &a price > 5\n    o: *a\n", "4:11", "4:17"),
    ("    o: {}\n", "4:8", "4:8"),
  ])
  func `a character on one line has its own place`(yaml: String, begin: String, sixth: String) throws {
    let node = try option(yaml)
    #expect(node.mark(ofCharacter: 0).place.hasSuffix(":" + begin) || node.isQuoted)
    #expect(node.mark.place == "plugins.yaml:" + begin)
    #expect(node.mark(ofCharacter: 6).place == "plugins.yaml:" + sixth)
  }

  @Test(arguments: [
    "    o: |\n      price > 5\n", "    o: >-\n      price > 5\n", "    o: price\n      > 5\n", "    o: \"price\n      > 5\"\n",
    "    o: \"price \\u003e 5\"\n", "    o: 'it''s 5 or so'\n", "    o: price > ${V}\n", "    o: price > ${W}\n", "    o: price > $$5\n",
    "    o: !!str price > 5\n",
  ])
  func `escapes, several lines and variables leave only the scalar's place`(yaml: String) throws {
    let node = try option(yaml)
    #expect(!node.isVerbatim)
    #expect(node.mark(ofCharacter: 6) == node.mark)
  }
}
