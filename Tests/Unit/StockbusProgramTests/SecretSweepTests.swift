import StockbusConfig
import TestSupport
import StockbusPlugin
import Testing

@testable import Stockbus
@testable import StockbusProgram

/// Every option of every plugin gets a variable with a secret, in every form that a value can have: no message about the configuration
/// contains the secret.
@Suite struct SecretSweepTests {
  private static let secret = "hunter2-b4ttery-staple"

  /// The forms in which an option can be written, with the secret as its value.
  private static func forms(_ info: OptionInfo, _ value: String) -> [String] {
    let isList = info.typeName.hasPrefix("list")
    var forms = [value]
    if isList { forms.append("[\(value)]") }
    if info.typeName.contains("mapping") { forms.append(isList ? "[{ some: \(value) }]" : "{ some: \(value) }") }
    for inner in info.nested {
      for form in Self.forms(inner, value) { forms.append(isList ? "[{ \(inner.name): \(form) }]" : "{ \(inner.name): \(form) }") }
    }
    return forms
  }

  /// The required options from a plugin's example, without one of them.
  private static func required(by plugin: Plugin, without name: String) -> String {
    var text = ""
    var isLeftOut = false
    for line in plugin.options.example(indent: 4).split(separator: "\n") {
      let isTop = line.dropFirst(4).first.map { $0 != " " && $0 != "#" } ?? false
      if isTop { isLeftOut = line.dropFirst(4).hasPrefix("\(name):") }
      if line.drop(while: { $0 == " " }).first != "#", !isLeftOut { text += line + "\n" }
    }
    return text
  }

  private static func configuration(_ plugin: Plugin, _ name: String, _ form: String) -> String {
    let section = plugin.kind.rawValue + "s"
    let inputs = plugin.takesInputs ? "    inputs: [given]\n" : ""
    let feed = "  given: { plugin: generator }\n"
    let sources = section == "sources" ? (plugin.takesInputs ? feed : "") : "sources:\n\(feed)"
    return (section == "sources" ? "sources:\n" + sources : sources + section + ":\n")
      + "  probed:\n    plugin: \(plugin.name)\n\(inputs)\(required(by: plugin, without: name))    \(name): \(form)\n"
      + (section == "sinks" ? "" : "sinks: { end: { plugin: null_sink, inputs: [probed] } }\n")
  }

  /// All output about a configuration without running it.
  private static func said(_ text: String, _ value: String) -> String {
    let config = ConfigLoader(environment: { ["TOKEN": value, "WEBHOOK_URL": "https://example.com"][$0] }).load(text: text)
    do throws(Problems) {
      let topology = try Topology.check(config, catalogue: Catalogue(.builtIn))
      let drawing = Drawing([Drawing.Part(title: "", topology: topology)])
      return Validate.text(topology) + drawing.asText(width: 100) + drawing.asMermaid + drawing.asDOT
    } catch { return error.description }
  }

  @Test(arguments: Catalogue(.builtIn).plugins.map(\.name))
  func `no option shows what a variable holds`(name: String) throws {
    let plugin = try #require(Catalogue(.builtIn)[name])
    // A plain value, one that is nearly an address, one that is nearly an expression, one with characters that need escaping.
    let values = [
      Self.secret, "ws://user:\(Self.secret)@host/\(Self.secret)?token=\(Self.secret)", "\(Self.secret) > 5 and",
      "a,\"\\\u{7}{\(Self.secret)}",
    ]
    var count = 0
    // The forms of an option use the values in turn; with more rounds, each form uses all of them.
    let perForm = min(values.count, rounds(2, cost: 1000))
    for (turn, info) in plugin.options.describe().enumerated() {
      for (number, form) in Self.forms(info, "\"${TOKEN}\"").enumerated() {
        for i in 0..<perForm {
          let value = values[(turn + number + i) % values.count]
          let said = Self.said(Self.configuration(plugin, info.name, form), value)
          count += 1
          if said.contains(Self.secret) || said.contains("b4ttery") { Issue.record("\(info.name): \(form): \(said)") }
        }
      }
    }
    #expect(count >= plugin.options.describe().count * perForm)
  }

  @Test(arguments: Catalogue(.builtIn).plugins.map(\.name))
  func `no option shows more of an address than scheme and host`(name: String) throws {
    let plugin = try #require(Catalogue(.builtIn)[name])
    for info in plugin.options.describe() {
      for address in [
        "ws://user:SECRET@host/SECRET", "http://host?token=SECRET", "wss://host/a?token=SECRET#x", "https://user:SECRET@host",
      ] {
        for form in Self.forms(info, "\"\(address)\"") where info.name == "url" || form.contains("url:") || form.contains("server:") {
          let said = Self.said(Self.configuration(plugin, info.name, form), "")
          if said.contains("SECRET") { Issue.record("\(info.name): \(form): \(said)") }
        }
      }
    }
  }
}
