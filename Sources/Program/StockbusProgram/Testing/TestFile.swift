import LibC
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
  let faults: [TestFault]
  /// When the sources end, if their events have ended before.
  let end: Duration
  let expectations: [Expectation]
  let checks: [RunCheck]
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
    if let name, let node = keys["configuration"], access(configuration, F_OK) != 0 {
      problems.add("'configuration': there is no file \(shown(name)) beside this one", at: node.mark)
    }
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
    let keys = entries(node, "a test", ["name", "start", "until", "input", "faults", "expect"], &problems)
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
    let end = keys["until"].flatMap { TestInput.offset($0, "until", &problems) } ?? .zero
    var faults: [TestFault] = []
    if let list = keys["faults"] {
      if case .list(let items) = list.value {
        faults = items.compactMap { TestFault.read($0, &problems) }
      } else {
        problems.add("'faults' must be a list of faults, got \(list.kind)", at: list.mark)
      }
    }
    var expectations: [Expectation] = []
    var checks: [RunCheck] = []
    for (at, entries) in moments(keys["expect"], node, &problems) {
      for entry in entries {
        if let subject = RunCheck.Subject(rawValue: entry.key) {
          checks.append(RunCheck(subject, entry.value, at: at, &problems))
        } else if let check = RunCheck(shownBy: entry, at: at, &problems) {
          checks.append(check)
        } else if let expectation = Expectation(entry, at: at, &problems) {
          expectations.append(expectation)
        }
      }
    }
    return ConfigurationTest(
      name: name, mark: node.mark, start: start, inputs: inputs, faults: faults, end: end, expectations: expectations, checks: checks)
  }

  /// What is expected, by time since the start; nil is the end. A mapping, or a list of mappings each of which may have a time.
  private static func moments(
    _ node: ConfigNode?, _ test: ConfigNode, _ problems: inout Problems
  ) -> [(at: Duration?, entries: [ConfigNode.Entry])] {
    guard let node, case .list(let items) = node.value, !items.isEmpty else { return [(nil, map(node, "expect", test, &problems))] }
    return items.map { item in
      let at = item["at"].flatMap { TestInput.offset($0, "at", &problems) }
      return (at, map(item, "expect", test, &problems).filter { $0.key != "at" })
    }
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
