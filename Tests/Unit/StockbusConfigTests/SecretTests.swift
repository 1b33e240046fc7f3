import StockbusConfig
import StockbusPlugin
import Testing

/// In all messages, values from variables are replaced by the variable's name, and addresses are cut to scheme and host.
@Suite struct SecretTests {
  private static let secret = "hunter2-b4ttery-staple"
  private static let environment = ["TOKEN": secret, "OTHER": "0therS3cret", "WHERE": "ws://user:\(secret)@host/\(secret)"]

  private func check(_ text: String) -> String {
    do throws(Problems) {
      _ = try Topology.check(load(text, Self.environment), catalogue: smallCatalogue)
      return ""
    } catch { return error.description }
  }

  @Test(arguments: [
    (
      "ticks: { plugin: ticker, symbols: A, interval: \"${TOKEN}\" }",
      "'interval' must be a duration such as 250ms, got the value of ${TOKEN}"
    ),
    (
      "ticks: { plugin: ticker, symbols: A, interval: \"5${TOKEN}\" }",
      "'interval' must be a duration such as 250ms, got a text with the value of ${TOKEN}"
    ),
    (
      "ticks: { plugin: ticker, symbols: A, interval: \"${NONE:-hunter2-b4ttery-staple}\" }",
      "'interval' must be a duration such as 250ms, got the value of ${NONE}"
    ),
    (
      "ticks: { plugin: ticker, symbols: A, interval: \"${TOKEN}${OTHER}\" }",
      "'interval' must be a duration such as 250ms, got a text with the value of ${TOKEN}, ${OTHER}"
    ),
    (
      "ticks: { plugin: ticker, symbols: A, burst: { size: \"${TOKEN}\" } }",
      "'burst.size' must be a whole number, got the value of ${TOKEN}"
    ),
    ("ticks: { plugin: ticker, symbols: A, burst: \"${TOKEN}\" }", "'burst' must be a mapping, got the value of ${TOKEN}"),
    ("ticks: { plugin: \"${TOKEN}\" }", "unknown plugin the value of ${TOKEN}; there are "),
    ("ticks: { plugin: ticker, symbols: A, interval: \"${WHERE}\" }", "got the value of ${WHERE}"),
    (
      "ticks: { plugin: ticker, symbols: A, interval: \"ws://user:hunter2-b4ttery-staple@host:80/hunter2-b4ttery-staple?token=hunter2-b4ttery-staple\" }",
      "got 'ws://host:80/…'"
    ),
    ("ticks: { plugin: ticker, symbols: A, interval: \"${NONE:?ask for ${TOKEN}}\" }", "the variable 'NONE' must be set: ask for ${TOKEN}"),
    (
      "ticks: { plugin: ticker, symbols: A, interval: \"${hunter2-b4ttery-staple }\" }",
      "expected '}', ':-' or ':?' behind the name of the variable"
    ),
    ("ticks: { plugin: ticker, symbols: A, interval: \"${TOKEN\" }", "'${' is never closed"),
    ("ticks: { plugin: ticker, symbols: A, interval: *hunter2-b4ttery-staple }", "unknown anchor; an anchor stands before its aliases"),
    (
      "ticks: { plugin: ticker, symbols: A, interval: !hunter2-b4ttery-staple }",
      "unknown tag; text that begins with '!' stands in quotation marks"
    ),
    ("ticks: { plugin: ticker, symbols: A, interval: @hunter2-b4ttery-staple }", "'@' cannot begin a value"),
    ("ticks: { plugin: ticker, symbols: A, interval: \"\\hunter2-b4ttery-staple\" }", "unknown escape"),
    ("ticks: { plugin: ticker, symbols: A, interval: hunter2-b4ttery-staple", "expected ',' or '}'"),
  ])
  func `an error shows the variable, not its value`(source: String, message: String) {
    let text = check("sources:\n  \(source)\nsinks: { end: { plugin: count, inputs: [ticks] } }")
    #expect(text.contains(message), "\(text)")
    #expect(!text.contains(Self.secret) && !text.contains("0therS3cret"), "\(text)")
  }

  @Test func `inputs and edges`() {
    let text = check(
      """
      sources: { ticks: { plugin: ticker, symbols: A } }
      sinks:
        a: { plugin: count, inputs: ["${TOKEN}", { from: "${OTHER}", capacity: "${TOKEN}" }, "${TOKEN}"] }
        b: { plugin: count, inputs: [ticks], supervision: "${TOKEN}", output: { capacity: "${TOKEN}" } }
      runtime: { seed: "${TOKEN}", drain_deadline: "${OTHER}" }
      """)
    #expect(text.contains("unknown input the value of ${TOKEN}"))
    #expect(text.contains("the input the value of ${TOKEN} is given twice"))
    #expect(text.contains("input the value of ${OTHER}: 'capacity' must be a whole number, got the value of ${TOKEN}"))
    #expect(!text.contains(Self.secret) && !text.contains("0therS3cret"), "\(text)")
  }

  @Test(arguments: [
    ("ws://host", "ws://host"), ("ws://host/", "ws://host"), ("wss://host:443/a/b?c=d#e", "wss://host:443/…"),
    ("ws://u:p@host/x", "ws://host/…"), ("ws://u:p@host", "ws://host/…"), ("ws://u:p/w@host/x", "ws:///…"),
    ("ws://user:pass/x", "ws://user/…"),
    ("ws://[::1]:9/x", "ws://[::1]/…"), ("ws://[::1/x", "ws:///…"), ("ws://ho st/x", "ws:///…"), ("http://host?token=s", "http://host/…"),
    ("host/path?token=s", "host/…"), ("u:p@host", "host/…"), ("?token=s", "/…"), ("", ""), ("ws:/u:p@host", "/…"),
    ("host:123456", "host/…"),
    ("ws://tok\u{e9}n/", "ws:///…"),
  ])
  func `of an address scheme and host are shown`(text: String, shown: String) { #expect(ShownAddress.of(text) == shown) }

  @Test(arguments: [
    (
      "filter: { plugin: either, where: symbol in [A, B] }",
      "1:44: error: inside of '{…}' text that holds '[' stands in quotation marks (the mapping begins at 1:9)"
    ),
    (
      "{a: \"x\" == y}",
      "1:9: error: the text ends at its quotation mark; put all of it in quotation marks, here single ones (the mapping begins at 1:1)"
    ),
    (
      "a: 'x' == y",
      "1:8: error: the text ends at its quotation mark; put all of it in quotation marks, here double ones (the mapping begins at 1:1)"
    ),
    ("[a, b {c}]", "1:7: error: inside of '[…]' text that holds '{' stands in quotation marks (the list begins at 1:1)"),
  ])
  func `text that a bracket cuts wants quotation marks`(text: String, message: String) {
    #expect(yamlProblems(text) == "t.yaml:" + message)
  }

  @Test(arguments: [
    "max(1s, 2, 3) > 5s", "max(1, 2s) > 5s, 3", "1,000", "1s, 2s and 3s, 4",
  ])
  func `text that commas cut is told once, where it begins`(text: String) {
    let told = check(
      "sources: { ticks: { plugin: ticker, symbols: A, interval: \(text) } }\nsinks: { end: { plugin: count, inputs: ticks } }")
    #expect(told.contains("1:59: error: source 'ticks': 'interval' ends at a comma; inside of"), "\(told)")
    #expect(told.split(separator: "\n").count { $0.contains("quotation marks") || $0.contains("unknown option") } == 1, "\(told)")
  }

  @Test func `a word behind a comma is an option's name, and so is told`() {
    let told = check(
      "sources: { ticks: { plugin: ticker, symbols: A, interval: 1s, brst } }\nsinks: { end: { plugin: count, inputs: ticks } }")
    #expect(told.contains("unknown option 'brst'; did you mean 'burst'?"), "\(told)")
  }

  @Test func `text that a comma cuts wants quotation marks`() {
    let text = check(
      "sources: { ticks: { plugin: ticker, symbols: A, interval: max(1s, 2s) > 5s } }\nsinks: { end: { plugin: count, inputs: ticks } }")
    #expect(
      text.contains(
        "1:59: error: source 'ticks': 'interval' ends at a comma; inside '{…}' and '[…]' write text with a comma in quotation marks"
      ),
      "\(text)")
  }
}
