import StockbusConfig
import StockbusLoading
import StockbusPlugin
import TestSupport
import Testing

@Suite struct PluginManifestTests {
  @Test(arguments: [
    ("kind: sink", "plugin.yaml:1:1: error: 'name'"),
    ("name: in\nkind: sink\nhome: process\ndoc: Is.\ntakes: [trade]\nrun: [x]", "plugin.yaml:1:1: error: 'in' is a keyword"),
    ("name: a\nkind: sink\nhome: process\ndoc: Is\ntakes: [trade]\nrun: [x]", "plugin.yaml:4:1: error: 'doc' must be a sentence"),
    ("name: a\nkind: sink\nhome: process\ndoc: Is.\nrun: [x]", "'takes' is missing"),
    ("name: a\nkind: source\nhome: process\ndoc: Is.\nemits: trade\nrun: []", "plugin.yaml:6:1: error: 'run' is missing"),
    ("name: a\nkind: source\nhome: process\ndoc: Is.\nemits: trade\nrun: [x]\noptions: { a: { doc: No } }", "option 'a': 'doc'"),
    (
      "name: a\nkind: sink\nhome: process\ndoc: Is.\ntakes: [trade]\nrun: [x]\nextra_columns: { a: number }",
      "plugin.yaml:7:1: error: 'extra_columns' is for sources and processors"
    ),
    (
      "name: a\nkind: source\nhome: process\ndoc: Is.\nemits: trade\nrun: [x]\nextra_columns: { a: price }",
      "plugin.yaml:7:21: error: 'extra_columns.a' must be one of number,"
    ),
    ("{", "plugin.yaml:"),
  ])
  func `a manifest's problems have their places`(text: String, problem: String) {
    let folder = Workshop()
    folder.put(text, in: PluginManifest.file)
    do throws(Problems) {
      _ = try PluginManifest.read(folder.path)
      Issue.record("it is read")
    } catch { #expect(error.description.contains(problem), "\(error)") }
  }

  @Test(arguments: [
    (
      "process", "run: [python3, plugin.py]",
      ": write plugin: program_sink, run: [python3, DIR/mine/plugin.py], or install it: 'plugin install DIR/mine'"
    ),
    ("loaded", "", ": 'plugin build DIR/mine' builds it, and the line plugin_path: DIR/mine/build at the top level loads it"),
    ("program", "run: [swift, run]", ", which is a program of its own: run the configuration with that program"),
  ])
  func `an unknown plugin whose folder stands beside the configuration is told with the way to load it`(
    _ plugin: (home: String, run: String, way: String)
  ) {
    let folder = Workshop()
    folder.put("name: mine\nkind: sink\nhome: \(plugin.home)\ndoc: Is.\ntakes: [trade]\n\(plugin.run)\n", in: "mine/plugin.yaml")
    folder.put("", in: "mine/plugin.py")
    let config = ConfigLoader().load(
      text: "sinks:\n  end: { plugin: mine, inputs: [links] }\n  other: { plugin: yours, inputs: [links] }\n", file: folder.file("p.yaml"))
    do throws(Problems) {
      _ = try Catalogue([]).adding(PluginFolders([]), for: config)
      Issue.record("it is loaded")
    } catch {
      let text = error.description.replacing(folder.path, with: "DIR")
      #expect(text == "DIR/p.yaml:2:18: error: sink 'end': unknown plugin 'mine'; it is in the folder 'DIR/mine'\(plugin.way)")
    }
  }
}
