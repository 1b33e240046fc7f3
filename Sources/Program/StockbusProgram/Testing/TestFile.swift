import MarketData
import StockbusConfig
import StockbusPlugin

/// A test of a configuration, as it is written.
struct ConfigurationTest {
  let name: String
  let mark: ConfigNode.Mark
  /// The moment from which `at` and `every` count.
  let start: Timestamp
  let inputs: [(source: String, input: TestInput)]
  let expectations: [Expectation]
}

/// A file of tests: a configuration, and what it makes of inputs.
struct TestFile {
  let path: String
  let configuration: String
  let tests: [ConfigurationTest]

  /// 2026-01-05T00:00:00Z, a Monday.
  private static let usualStart = Timestamp(ns: 1_767_571_200_000_000_000)

  /// Reads a file; throws all problems, at their lines.
  init(_ path: String) throws(Problems) {
    let root = try ConfigLoader().node(in: path)
    var problems = Problems()
    self.path = path
    let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    let keys = Self.entries(root, "a file of tests", ["configuration", "tests"], &problems)
    let name = keys["configuration"].flatMap { Self.text($0, "configuration", &problems) }
    configuration = name.map { $0.hasPrefix("/") || folder.isEmpty ? $0 : "\(folder)/\($0)" } ?? ""
    if keys["configuration"] == nil { problems.add("'configuration' is missing: the file that is tested", at: root.mark) }
    var tests: [ConfigurationTest] = []
    if let list = keys["tests"], case .list(let items) = list.value {
      tests = items.compactMap { Self.test($0, folder, &problems) }
    } else {
      problems.add("'tests' must be a list of tests", at: keys["tests"]?.mark ?? root.mark)
    }
    var seen: Set<String> = []
    for test in tests where !seen.insert(test.name).inserted { problems.add("two tests have the name \(shown(test.name))", at: test.mark) }
    self.tests = tests
    guard problems.isEmpty else { throw problems }
  }

  private static func test(_ node: ConfigNode, _ folder: String, _ problems: inout Problems) -> ConfigurationTest? {
    let keys = entries(node, "a test", ["name", "start", "input", "expect"], &problems)
    guard let name = keys["name"].flatMap({ text($0, "name", &problems) }) else {
      if keys["name"] == nil { problems.add("the test has no 'name'", at: node.mark) }
      return nil
    }
    var start = usualStart
    if let written = keys["start"], let text = text(written, "start", &problems) {
      do throws(OptionTextError) { start = try Timestamp(option: text) } catch {
        problems.add("'start' must be a time such as 2026-03-02T14:30:00Z, got \(written.shownText)", at: written.mark)
      }
    }
    var inputs: [(String, TestInput)] = []
    for entry in map(keys["input"], "input", node, &problems) {
      if let input = TestInput.read(entry.value, of: entry.key, from: start, folder: folder, &problems) {
        inputs.append((entry.key, input))
      }
    }
    let expectations = map(keys["expect"], "expect", node, &problems).compactMap {
      Expectation($0, from: start, &problems)
    }
    return ConfigurationTest(name: name, mark: node.mark, start: start, inputs: inputs, expectations: expectations)
  }

  /// The entries of a mapping by their keys; unknown keys are reported.
  static func entries(_ node: ConfigNode, _ what: String, _ names: [String], _ problems: inout Problems) -> [String: ConfigNode] {
    guard case .map(let entries) = node.value else {
      problems.add("\(what) is a mapping with \(listed(names.map { "'\($0)'" })), got \(node.kind)", at: node.mark)
      return [:]
    }
    for entry in entries where !names.contains(entry.key) {
      problems.add(
        "unknown key \(shown(entry.key))\(didYouMean(entry.key, among: names, otherwise: "; there are \(names.joined(separator: ", "))"))",
        at: entry.mark)
    }
    return Dictionary(entries.map { ($0.key, $0.value) }) { first, _ in first }
  }

  private static func map(_ node: ConfigNode?, _ key: String, _ test: ConfigNode, _ problems: inout Problems) -> [ConfigNode.Entry] {
    if let node, case .map(let entries) = node.value, !entries.isEmpty { return entries }
    let what = key == "input" ? "the sources, each with what it gives" : "components, each with what it gives"
    problems.add("'\(key)' must be a mapping: \(what)", at: (node ?? test).mark)
    return []
  }

  private static func text(_ node: ConfigNode, _ key: String, _ problems: inout Problems) -> String? {
    if case .scalar(let text) = node.value, !text.isEmpty { return text }
    problems.add("'\(key)' must be a text, got \(node.kind)", at: node.mark)
    return nil
  }
}
