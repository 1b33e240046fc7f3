import ArgumentParser
import StockbusPlugin

struct List: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "List the plugins with what they take, emit and do.")

  func run() { StandardOutput.write(Self.text(builtIn)) }

  /// A table, sources first.
  static func text(_ catalogue: Catalogue) -> String {
    var rows = [["PLUGIN", "KIND", "TAKES", "EMITS", "WHAT IT DOES"]]
    for kind in Blueprint.Kind.allCases {
      for plugin in catalogue.plugins where plugin.kind == kind {
        rows.append([
          plugin.name, kind.rawValue, plugin.takesInputs ? plugin.acceptedTypes : "-", plugin.emittedTypes ?? "-", plugin.doc,
        ])
      }
    }
    let widths = rows[0].indices.map { i in rows.map { $0[i].count }.max() ?? 0 }
    return rows.map { row in
      row.indices.map { i in i == row.count - 1 ? row[i] : row[i] + String(repeating: " ", count: widths[i] - row[i].count) }
        .joined(separator: "  ")
    }.joined(separator: "\n")
  }
}

extension Plugin {
  /// What it emits, in words; nil for a sink.
  var emittedTypes: String? {
    if kind == .sink { return nil }
    return emits.isEmpty ? "what it takes" : emits
  }
}
