import StockbusLoading
import StockbusPlugin

/// The properties of a new plugin.
struct PluginDraft: Sendable {
  typealias Kind = PluginManifest.Kind
  typealias Home = PluginManifest.Home

  enum Language: String, Sendable, CaseIterable {
    case swift, python
  }

  let name: PluginName
  let kind: Kind
  let home: Home
  /// The sources of stockbus, for a program: an absolute path or an address.
  var stockbus = ""
  /// The program that writes the draft, for the commands in its README.
  var program = Version.stockbus

  /// The files in its folder.
  var files: [DraftFile] {
    switch home {
    case .process: pythonFiles
    case .program: packageFiles
    case .loaded: libraryFiles
    }
  }

  /// What the example does, in one sentence.
  var doc: String {
    switch kind {
    case .source: "Makes trades of one symbol whose price rises by one each time."
    case .processor: "Passes trades of at least a size."
    case .sink: "Counts the trades of each symbol, and logs the counts at the end."
    }
  }

  var takes: String? { kind == .source ? nil : "trade" }
  var emits: String? { kind == .sink ? nil : "trade" }

  /// The one option of the example.
  var option: (name: String, value: String, doc: String)? {
    switch kind {
    case .source: ("count", "10", "How many trades it makes.")
    case .processor: ("least", "100", "The least size that passes.")
    case .sink: nil
    }
  }

  /// The configuration that runs the plugin; `component` is its own entry in braces.
  func configuration(_ component: String) -> String {
    let ticks = "{ plugin: generator, symbols: 5, count: 20, seed: 42 }"
    let lines: [String] =
      switch kind {
      case .source: ["sources: { mine: \(component) }", #"sinks: { out: { plugin: file_writer, inputs: [mine], path: "-" } }"#]
      case .processor:
        [
          "sources: { ticks: \(ticks) }", "processors: { mine: \(component) }",
          #"sinks: { out: { plugin: file_writer, inputs: [mine], path: "-" } }"#,
        ]
      case .sink: ["sources: { ticks: \(ticks) }", "sinks: { mine: \(component) }"]
      }
    return "# Runs \(name.snake): \(program) run\n" + lines.joined(separator: "\n") + "\n"
  }

  /// A test of that configuration.
  func configurationTest(_ command: String) -> DraftFile {
    let (source, test) =
      switch kind {
      case .source:
        ("mine", "all trades are written\n    input: { mine: { AAPL: \"100 +1x2\", every: 1s } }\n    expect: { out: { count: 3 } }")
      case .processor:
        (
          "ticks",
          """
          only large trades pass
              input: { ticks: [{ at: 0s, symbol: AAPL, price: 100, size: 10 }, { at: 1s, symbol: AAPL, price: 101, size: 9999 }] }
              expect: { mine: [{ at: 1s, symbol: AAPL, size: 9999 }] }
          """
        )
      case .sink:
        ("ticks", "it gets all trades\n    input: { ticks: { AAPL: \"100 +1x2\", every: 1s } }\n    expect: { mine: { count: 3 } }")
      }
    return DraftFile(
      path: "plugins.test.yaml",
      text: """
        # What plugins.yaml makes of trades that \(source) gives: \(command) test
        configuration: plugins.yaml
        tests:
          - name: \(test)

        """)
  }

  /// The description of the plugin for the commands `plugin …`.
  func manifest(run: String?, build: String?, test: String) -> String {
    var lines = [
      "# What '\(program) plugin check', 'test', 'build' and 'install' know about this folder.", "name: \(name.snake)",
      "kind: \(kind.rawValue)", "home: \(home.rawValue)", "doc: \(doc)",
    ]
    if let takes { lines.append("takes: [\(takes)]") }
    if let emits { lines.append("emits: \(emits)") }
    if let run { lines.append("run: \(run)") }
    if let build { lines.append("build: \(build)") }
    lines.append("test: \(test)")
    if let option, home == .process {
      let type = kind == .source ? "whole_number" : "number"
      lines += ["options:", "  \(option.name): { type: \(type), min: 0, default: \(option.value), doc: \(option.doc) }"]
    }
    return lines.joined(separator: "\n") + "\n"
  }
}

/// A file of a new plugin.
struct DraftFile: Sendable, Hashable {
  /// Below the plugin's folder.
  let path: String
  let text: String
}
