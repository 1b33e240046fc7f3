import StockbusConfig
import StockbusPlugin
import Testing

@Suite struct InterpolationTests {
  private static let environment = [
    "A": "one", "B_2": "two", "EMPTY": "", "_u": "under", "YAML": "{x: [1], y: \"2\"}", "REF": "${A} $$ $A", "LINES": "a: 1\nb: 2",
  ]

  /// The text that the option `o` gets.
  private func expanded(_ yaml: String, _ environment: [String: String] = Self.environment) -> String {
    let config = load("runtime:\n  o: \(yaml)", environment)
    guard config.problems.isEmpty else { return config.problems.description }
    return config.description.runtime?["o"].map { written($0, marks: false) } ?? ""
  }

  @Test(arguments: [
    ("${A}", "one"), ("x${A}y", "xoney"), ("'${A}${B_2}'", "'onetwo'"), ("\"${_u}\"", "'under'"), ("${EMPTY}", ""), ("'${EMPTY}'", "''"),
    ("'${A:-d}'", "'one'"), ("'${EMPTY:-d}'", "'d'"), ("'${NONE:-d}'", "'d'"), ("'${NONE:-}'", "''"), ("${NONE:-}", ""),
    ("'${A:?m}'", "'one'"), ("'${NONE:-a b: c}'", "'a b: c'"), ("'${NONE:-{}'", "'{'"), ("'${NONE:-d}}'", "'d}'"),
    ("'$$'", "'$'"), ("'$${A}'", "'${A}'"), ("'$$$${A}'", "'$${A}'"), ("'$$${A}'", "'$one'"), ("'$'", "'$'"), ("'5 $ 6'", "'5 $ 6'"),
    ("'$A'", "'$A'"), ("'$ {A}'", "'$ {A}'"), ("'a$'", "'a$'"), ("'$$$'", "'$$'"),
    ("'${NONE:-${A}}'", "'one'"), ("'${NONE:-<${EMPTY:-${B_2}}>}'", "'<two>'"), ("'${NONE:-$$}'", "'$'"), ("'${NONE:-$x}'", "'$x'"),
    ("'${NONE:-:-}'", "':-'"), ("'${NONE:-é𝄞}'", "'é𝄞'"),
  ])
  func `replaces every form`(text: String, result: String) {
    #expect(expanded(text) == result)
  }

  @Test func `a value stays text whatever it holds`() {
    #expect(expanded("${YAML}") == "{x: [1], y: \"2\"}")
    #expect(expanded("'${LINES}'") == "'a: 1\nb: 2'")
    #expect(expanded("['${A}', x]") == "['one', x]")
  }

  @Test func `a value is not searched for variables again`() {
    #expect(expanded("'${REF}'") == "'${A} $$ $A'")
    #expect(expanded("'${NONE:-${REF}}'") == "'${A} $$ $A'")
  }

  @Test func `a default that is not used is not expanded`() {
    #expect(expanded("'${A:-${NONE}}'") == "'one'")
    #expect(expanded("'${A:?${NONE}}'") == "'one'")
    #expect(expanded("'${A:-${NONE:-${NONE}}}'") == "'one'")
  }

  @Test func `a plain scalar that becomes empty means nothing, one in quotation marks the empty text`() throws {
    let runtime = try #require(load("runtime:\n  a: ${NONE:-}\n  b: \"${NONE:-}\"").description.runtime)
    #expect(runtime["a"]?.isNull == true)
    #expect(runtime["b"]?.isNull == false)
  }

  @Test func `leaves keys, anchors and unused anchors alone`() {
    let config = load("x-unused: ${NONE}\nx-a: &a { v: '${A}' }\nruntime: { '${A}': 1, <<: *a }", Self.environment)
    #expect(config.problems.isEmpty)
    #expect(config.description.runtime.map { written($0, marks: false) } == "{${A}: 1, v: 'one'}")
  }

  @Test func `works in every part of a component`() throws {
    let text = "sinks: { s: { plugin: '${P}', inputs: ['${I}', { from: '${J}', capacity: '${C}' }], o: { l: ['${O}'] } } }"
    let config = load(text, ["P": "p", "I": "i", "J": "j", "C": "9", "O": "o"])
    let sink = try #require(try config.checked().components.first)
    #expect(sink.plugin == "p")
    #expect(sink.inputs.map(\.from) == ["i", "j"])
    #expect(sink.inputs[1].edge.map { written($0, marks: false) } == "{capacity: '9'}")
    #expect(written(sink.options, marks: false) == "{o: {l: ['o']}}")
  }

  @Test(arguments: [
    ("${NONE}", "6: error: the variable 'NONE' is not set; set it or give a default: '${NONE:-…}'"),
    ("'x ${NONE}'", "9: error: the variable 'NONE' is not set; set it or give a default: '${NONE:-…}'"),
    ("'é𝄞 ${NONE}'", "10: error: the variable 'NONE' is not set; set it or give a default: '${NONE:-…}'"),
    ("&a x${NONE}", "10: error: the variable 'NONE' is not set; set it or give a default: '${NONE:-…}'"),
    ("'${NONE:-x${MORE}}'", "16: error: the variable 'MORE' is not set; set it or give a default: '${MORE:-…}'"),
    ("'${NONE:?say where ${A} is}'", "7: error: the variable 'NONE' must be set: say where ${A} is"),
    ("'${EMPTY:?}'", "7: error: the variable 'EMPTY' must be set"),
    ("'a${'", "8: error: '${' is never closed; write '$${' for the text itself"),
    ("'${A'", "7: error: '${' is never closed; write '$${' for the text itself"),
    ("'${A:-'", "7: error: '${' is never closed; write '$${' for the text itself"),
    ("'${A:-${B_2'", "12: error: '${' is never closed; write '$${' for the text itself"),
    ("'${A:-${B_2}'", "7: error: '${' is never closed; write '$${' for the text itself"),
    ("'${}'", "7: error: '${' must be followed by the name of a variable: letters, digits and '_'"),
    ("'${ A}'", "7: error: '${' must be followed by the name of a variable: letters, digits and '_'"),
    ("'${é}'", "7: error: '${' must be followed by the name of a variable: letters, digits and '_'"),
    ("'${1A}'", "7: error: the name of a variable cannot begin with a digit; write '$${' for the text itself"),
    ("'${A-d}'", "7: error: expected '}', ':-' or ':?' behind the name of the variable; write '$${' for the text itself"),
    ("'${A:+d}'", "7: error: expected '}', ':-' or ':?' behind the name of the variable; write '$${' for the text itself"),
    ("'${A:}'", "7: error: expected '}', ':-' or ':?' behind the name of the variable; write '$${' for the text itself"),
    ("'${A:'", "7: error: expected '}', ':-' or ':?' behind the name of the variable; write '$${' for the text itself"),
    ("'${A:-${B!}}'", "12: error: expected '}', ':-' or ':?' behind the name of the variable; write '$${' for the text itself"),
    // If the text is not literal, the location is that of the scalar.
    (#""\x41${NONE}""#, "6: error: the variable 'NONE' is not set; set it or give a default: '${NONE:-…}'"),
    ("'it''s ${NONE}'", "6: error: the variable 'NONE' is not set; set it or give a default: '${NONE:-…}'"),
    (#""${NONE}\t""#, "7: error: the variable 'NONE' is not set; set it or give a default: '${NONE:-…}'"),
  ])
  func `says which variable is wrong and where`(text: String, message: String) {
    #expect(expanded(text) == "plugins.yaml:2:\(message)")
  }

  @Test func `shows a long message whole, on one line`() {
    let message = "get a key at https://example.com/keys/new, which takes a minute, and export it before the start"
    #expect(
      problems("runtime:\n  o: |-\n    ${KEY:?\(message)\n    now}")
        == "plugins.yaml:2:6: error: the variable 'KEY' must be set: \(message)\\nnow")
  }

  @Test func `reports every variable of a text`() {
    #expect(
      expanded("'${X} ${Y:?no y} ${1} $${Z} ${Z'") == """
        plugins.yaml:2:7: error: the variable 'X' is not set; set it or give a default: '${X:-…}'
        plugins.yaml:2:12: error: the variable 'Y' must be set: no y
        plugins.yaml:2:23: error: the name of a variable cannot begin with a digit; write '$${' for the text itself
        plugins.yaml:2:34: error: '${' is never closed; write '$${' for the text itself
        """)
  }

  @Test func `places problems of text on several lines at its beginning`() {
    #expect(
      problems("runtime:\n  a: |\n    x\n    ${X}\n  b: one\n    ${Y}\n") == """
        plugins.yaml:2:6: error: the variable 'X' is not set; set it or give a default: '${X:-…}'
        plugins.yaml:5:6: error: the variable 'Y' is not set; set it or give a default: '${Y:-…}'
        """)
  }

  @Test func `reports an aliased variable once`() {
    #expect(
      problems("x-a: &a ${X}\nruntime: { a: *a, b: [*a, *a] }")
        == "plugins.yaml:1:9: error: the variable 'X' is not set; set it or give a default: '${X:-…}'")
  }

  @Test func `says nothing more about a text with a problem`() {
    #expect(
      problems("sinks: { s: { plugin: '${P}', inputs: ['${I}', '${I}'] } }") == """
        plugins.yaml:1:24: error: the variable 'P' is not set; set it or give a default: '${P:-…}'
        plugins.yaml:1:41: error: the variable 'I' is not set; set it or give a default: '${I:-…}'
        plugins.yaml:1:49: error: the variable 'I' is not set; set it or give a default: '${I:-…}'
        """)
  }

  @Test func `limits the levels of defaults`() {
    let deep = { (levels: Int) in String(repeating: "${N:-", count: levels) + "x" + String(repeating: "}", count: levels) }
    #expect(expanded("'\(deep(16))'") == "'x'")
    #expect(expanded("'\(deep(17))'") == "plugins.yaml:2:87: error: '${…}' more than 16 levels deep, the limit")
    #expect(expanded("'\(deep(10_000))'") == "plugins.yaml:2:87: error: '${…}' more than 16 levels deep, the limit")
  }
}
