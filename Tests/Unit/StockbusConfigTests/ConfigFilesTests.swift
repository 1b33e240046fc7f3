import Foundation
import StockbusConfig
import StockbusPlugin
import Testing

/// Reading from files and folders; each test has a folder of its own, which is removed afterwards.
@Suite final class ConfigFilesTests {
  private let folder: String

  init() throws {
    folder = FileManager.default.temporaryDirectory.path + "/stockbus-config-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private func write(_ text: String, to name: String) throws {
    let path = folder + "/" + name
    try FileManager.default.createDirectory(
      atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
  }

  private func load(_ paths: String...) -> LoadedConfig {
    ConfigLoader(environment: { _ in nil }).load(paths: paths.map { folder + $0 })
  }

  /// Without the folder's own path, which differs from run to run.
  private func problems(_ config: LoadedConfig) -> String {
    config.problems.description.replacingOccurrences(of: folder, with: "DIR")
  }

  private func source(_ id: String) -> String { "sources: { \(id): { plugin: p } }" }

  @Test func `reads a file and names it in its marks`() throws {
    try write(source("a"), to: "a.yaml")
    let description = try load("/a.yaml").checked()
    #expect(description.components.map(\.idMark) == [.init(file: folder + "/a.yaml", line: 1, column: 12)])
  }

  @Test func `reads the YAML files of a folder by name`() throws {
    for name in ["b.yml", "a.yaml", "c.yaml", "z.txt", ".hidden.yaml", "sub/d.yaml", "e.yaml/f.yaml"] {
      let id = name.filter { $0.isLetter }
      try write(source(id), to: name)
    }
    let config = load("")
    #expect(try config.checked().components.map(\.id) == ["ayaml", "byml", "cyaml"])
    #expect(config.files == ["/a.yaml", "/b.yml", "/c.yaml"].map { folder + $0 })
    #expect(load("/").files == config.files)
  }

  @Test func `reads a file that is reached twice once`() throws {
    try write(source("a"), to: "a.yaml")
    try FileManager.default.createSymbolicLink(atPath: folder + "/b.yaml", withDestinationPath: "a.yaml")
    let config = load("", "/a.yaml", "/./a.yaml")
    #expect(try config.checked().components.map(\.id) == ["a"])
    #expect(config.files == [folder + "/a.yaml"])
  }

  @Test func `a doubled id names both files`() throws {
    try write(source("a"), to: "one.yaml")
    try write(source("a"), to: "two.yaml")
    #expect(problems(load("")) == "DIR/two.yaml:1:12: error: source 'a': the id is given twice, first at DIR/one.yaml:1:12")
  }

  @Test func `reports every file that cannot be read and goes on with the others`() throws {
    try write(source("a"), to: "plugins.yaml")
    try write("", to: "empty/readme.txt")
    try FileManager.default.createSymbolicLink(atPath: folder + "/dangling.yaml", withDestinationPath: "nowhere")
    let config = load("/plugin.yaml", "/zzzzzz", "/empty", "/plugins.yaml/x", "/dangling.yaml", "/none/x.yaml", "/plugins.yaml")
    #expect(
      problems(config) == """
        DIR/dangling.yaml: error: a link to a file that does not exist
        DIR/empty: error: the folder holds no .yaml or .yml file
        DIR/none/x.yaml: error: no such file or folder
        DIR/plugin.yaml: error: no such file or folder; did you mean 'plugins.yaml'?
        DIR/plugins.yaml/x: error: cannot be read: Not a directory
        DIR/zzzzzz: error: no such file or folder
        """)
    #expect(config.description.components.map(\.id) == ["a"])
    #expect(config.isIncomplete)
  }

  @Test func `a dangling link in a folder is a problem, not passed over`() throws {
    try write(source("a"), to: "a.yaml")
    try FileManager.default.createSymbolicLink(atPath: folder + "/b.yaml", withDestinationPath: "nowhere")
    #expect(problems(load("")) == "DIR/b.yaml: error: a link to a file that does not exist")
  }

  @Test func `a pipe in a folder is a problem, and nothing waits for it`() throws {
    try write(source("a"), to: "a.yaml")
    #expect(mkfifo(folder + "/b.yaml", 0o600) == 0)
    #expect(problems(load("")) == "DIR/b.yaml: error: is not a regular file")
  }

  @Test func `stops reading at the limit, even of an endless file`() {
    let config = ConfigLoader(environment: { _ in nil }).load(paths: ["/dev/zero"])
    #expect(config.problems.description == "/dev/zero:1:1: error: the file is larger than 4 MiB, the limit")
  }

  @Test func `limits the files of a folder`() throws {
    for name in ["a", "b", "c"] { try write(source(name), to: name + ".yaml") }
    var limits = ConfigLimits()
    limits.filesPerFolder = 2
    let config = ConfigLoader(limits: limits, environment: { _ in nil }).load(paths: [folder])
    #expect(problems(config) == "DIR: error: the folder holds more than 2 YAML files, the limit")
  }

  @Test func `takes variables from the process`() throws {
    try write("runtime: { p: \"${PATH}\", d: \"${STOCKBUS_TEST_NEVER_SET:-d}\" }", to: "a.yaml")
    let runtime = try #require(ConfigLoader().load(paths: [folder]).checked().runtime)
    #expect(written(runtime, marks: false) == "{p: '\(ProcessInfo.processInfo.environment["PATH"] ?? "")', d: 'd'}")
  }
}
