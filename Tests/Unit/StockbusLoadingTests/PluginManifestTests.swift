import StockbusConfig
import StockbusLoading
import StockbusPlugin
import TestSupport
import Testing

@Suite struct PluginManifestTests {
  @Test(arguments: [
    ("kind: sink", "plugin.yaml:1:1: error: 'name'"),
    ("name: in\nkind: sink\nhome: process\ndoc: Is.\ntakes: [trade]\nrun: [x]", "plugin.yaml:1:1: error: 'in' is a word"),
    ("name: a\nkind: sink\nhome: process\ndoc: Is\ntakes: [trade]\nrun: [x]", "plugin.yaml:4:1: error: 'doc' is a sentence"),
    ("name: a\nkind: sink\nhome: process\ndoc: Is.\nrun: [x]", "'takes' is missing"),
    ("name: a\nkind: source\nhome: process\ndoc: Is.\nemits: trade\nrun: []", "plugin.yaml:6:1: error: 'run' is missing"),
    ("name: a\nkind: source\nhome: process\ndoc: Is.\nemits: trade\nrun: [x]\noptions: { a: { doc: No } }", "option 'a': 'doc'"),
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
}
