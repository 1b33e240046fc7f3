import EventBus
import Foundation
import StockbusConfig
import StockbusPlugin
import Testing

private struct ReaderSettings: Options {
  @Setting("The files.") var path: [String]
  init() {}
  var files: [FileUse] { path.enumerated().map { .reading($1, at: "path", item: $0) } }
}

private actor Reader: Source {
  init(_: ReaderSettings, _: Context) {}
  func run(into _: inout Outlet<Trade>) {}
}

private struct WriterSettings: Options {
  @Setting("The file.") var path: String
  @Setting("Full files that are kept.", in: 0...10) var keep = 0
  @Setting("Others.") var more: [InnerSettings] = []
  init() {}
  var files: [FileUse] {
    [.writing(path, at: "path", keeping: keep)] + more.enumerated().flatMap { i, one in one.files.map { $0.inside("more", item: i) } }
  }
}

private struct InnerSettings: Options {
  @Setting("The file.") var path: String
  init() {}
  var files: [FileUse] { [.writing(path, at: "path")] }
}

private actor Writer: Sink {
  init(_: WriterSettings, _: Context) {}
  func receive(_: Span<Trade>) {}
}

private actor Ender: Sink {
  init(_: NoOptions, _: Context) {}
  func receive(_: Span<Trade>) {}
}

private struct CertifiedSettings: Options {
  @Setting("A file of certificates.") var ca: String
  init() {}
  var files: [FileUse] { [.reading(ca, at: "ca", takesStream: false)] }
}

private actor Certified: Source {
  init(_: CertifiedSettings, _: Context) {}
  func run(into _: inout Outlet<Trade>) {}
}

/// Conflicts between the files of components are reported at their lines before anything starts.
@Suite final class FileClashTests {
  private let folder: URL

  init() throws {
    // The path is short, because messages cut long paths.
    folder = URL(filePath: "/tmp/sb\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private func put(_ name: String) throws { try Data("1\n".utf8).write(to: folder.appending(path: name)) }

  /// The problems with these sinks and a source that reads `in`; `@` stands for the folder.
  private func problems(_ sinks: String, reads: String = "@/in") throws -> String {
    try put("in")
    let text = "sources:\n  prices: { plugin: reader, path: \(reads) }\nsinks:\n" + sinks
    let catalogue = Catalogue([
      Plugin("reader", "Reads.", .source(Reader.self)), Plugin("writer", "Writes.", .sink(Writer.self)),
    ])
    do throws(Problems) {
      _ = try Topology.check(ConfigLoader().load(text: text.replacing("@", with: folder.path)), catalogue: catalogue)
    } catch { return error.description.replacing(folder.path, with: "@") }
    return ""
  }

  @Test func `an output that is an input is told at its place, with the input's`() throws {
    #expect(
      try problems("  out: { plugin: writer, inputs: [prices], path: @/./in }")
        .hasPrefix("plugins.yaml:4:50: error: sink 'out': 'path': '@/./in' cannot be written: source 'prices' reads it, at plugins.yaml:2:")
    )
  }

  @Test func `links are no other files`() throws {
    try put("in")
    try FileManager.default.linkItem(at: folder.appending(path: "in"), to: folder.appending(path: "hard"))
    try FileManager.default.createSymbolicLink(at: folder.appending(path: "soft"), withDestinationURL: folder.appending(path: "in"))
    try FileManager.default.createSymbolicLink(at: folder.appending(path: "new"), withDestinationURL: folder.appending(path: "later"))
    let text = """
        a: { plugin: writer, inputs: [prices], path: @/hard }
        b: { plugin: writer, inputs: [prices], path: @/soft }
        c: { plugin: writer, inputs: [prices], path: @/new }
        d: { plugin: writer, inputs: [prices], path: @/later }
      """
    try Data("1\n".utf8).write(to: folder.appending(path: "in.2"))
    let found = try problems(text)
    let lines = found.split(separator: "\n")
    #expect(lines.count == 3)
    #expect(lines.map { $0.prefix(15) } == ["plugins.yaml:4:", "plugins.yaml:5:", "plugins.yaml:7:"])
    #expect(lines.last?.contains("'@/later' cannot be written: sink 'c' writes it, at plugins.yaml:6:") == true)
  }

  @Test func `two outputs on one file, there or not, and inside of options, are told`() throws {
    let text = """
        a: { plugin: writer, inputs: [prices], path: @/x/y/../out }
        b: { plugin: writer, inputs: [prices], path: @/b, more: [{ path: @/c }, { path: @/x/out }] }
      """
    let found = try problems(text)
    #expect(found.hasPrefix("plugins.yaml:5:"))
    #expect(found.hasSuffix("sink 'b': 'more[1].path': '@/x/out' cannot be written: sink 'a' writes it, at plugins.yaml:4:48"))
  }

  @Test func `each of many outputs on one file is told, with an input where there is one`() throws {
    let sinks = (0..<500).map { "  w\($0): { plugin: writer, inputs: [prices], path: @/one }\n" }.joined()
    let lines = try problems(sinks).split(separator: "\n")
    #expect(lines.count == 499)
    #expect(lines.allSatisfy { $0.contains("cannot be written: sink 'w0' writes it, at plugins.yaml:4:") })
    let readers = try problems(sinks, reads: "[@/in, @/in]").split(separator: "\n")
    #expect(readers.count == 499)
    let inputs = try problems(sinks.replacing("@/one", with: "@/in"), reads: "[@/in, @/in]").split(separator: "\n")
    #expect(inputs.count == 500)
    #expect(inputs.allSatisfy { $0.contains("cannot be written: source 'prices' reads it, at plugins.yaml:2:") })
  }

  @Test func `what is put aside counts`() throws {
    #expect(
      try problems("  a: { plugin: writer, inputs: [prices], path: @/in, keep: 3 }", reads: "[@/in.3]").contains("no such file"))
    try put("log.2")
    #expect(
      try problems("  a: { plugin: writer, inputs: [prices], path: @/log, keep: 3 }", reads: "[@/in, @/log.2]")
        .contains("'path': a full file cannot be rotated to '@/log.2': source 'prices' reads it, at plugins.yaml:2:"))
  }

  @Test func `an output that cannot be made is told at its place`() throws {
    try put("in")
    #expect(
      try problems("  out: { plugin: writer, inputs: [prices], path: @/in/x/out }")
        .hasSuffix("sink 'out': 'path': '@/in/x/out' cannot be written: one of its folders is a file"))
    #expect(try problems("  out: { plugin: writer, inputs: [prices], path: @/new/x/out }") == "")
  }

  @Test func `a home folder is none to us, and what to write is told`() throws {
    let end = ": '~' means the home folder only in a shell; write ${HOME} instead"
    #expect(try problems("  out: { plugin: writer, inputs: [prices], path: ~/out.csv }").hasSuffix("sink 'out': 'path': '~/out.csv'" + end))
    #expect(try problems("  out: { plugin: writer, inputs: [prices], path: ~joe/out.csv }").hasSuffix("'~joe/out.csv'" + end))
    #expect(try problems("  out: { plugin: writer, inputs: [prices], path: @/~/out.csv }") == "")
  }

  @Test(.enabled(if: geteuid() != 0, "root may write everywhere"))
  func `an output in a folder or file that may not be written is told at its place`() throws {
    try put("in")
    try put("kept")
    let shut = folder.appending(path: "shut")
    try FileManager.default.createDirectory(at: shut, withIntermediateDirectories: true)
    try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: shut.path)
    try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: folder.appending(path: "kept").path)
    defer { try? FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: shut.path) }
    for path in ["out", "deep/out"] {
      #expect(
        try problems("  out: { plugin: writer, inputs: [prices], path: @/shut/\(path) }")
          .hasSuffix("'path': '@/shut/\(path)' cannot be written: '@/shut': Permission denied"))
    }
    #expect(
      try problems("  out: { plugin: writer, inputs: [prices], path: @/kept }").hasSuffix("'@/kept' cannot be written: Permission denied"))
  }

  @Test func `streams may be shared`() throws {
    let text = """
        a: { plugin: writer, inputs: [prices], path: "-" }
        b: { plugin: writer, inputs: [prices], path: "-" }
        c: { plugin: writer, inputs: [prices], path: /dev/null }
        d: { plugin: writer, inputs: [prices], path: /dev/null }
      """
    #expect(try problems(text) == "")
  }

  /// The messages about sources that read these paths, in a run that also reads `outer`; each begins with its line and column.
  private func told(_ paths: [String], outer: [String] = [], files: [String] = ["plugins.yaml"]) throws -> [String] {
    let sources = paths.enumerated().map { "  s\($0): { plugin: reader, path: \"\($1)\" }\n" }
    let names = paths.indices.map { "s\($0)" }.joined(separator: ", ")
    let text = "sources:\n\(sources.joined())sinks:\n  all: { plugin: ender, inputs: [\(names)] }\n"
    let catalogue = Catalogue([
      Plugin("reader", "Reads.", .source(Reader.self)), Plugin("ender", "Takes.", .sink(Ender.self)),
    ])
    var config = ConfigLoader().load(text: text.replacing("@", with: folder.path))
    config.files = files
    let readers = outer.map { RunFiles.Reader(path: $0.replacing("@", with: folder.path), words: "commands are read from it") }
    do throws(Problems) { _ = try Topology.check(config, catalogue: catalogue, outerFiles: readers) } catch {
      return error.sorted.map { $0.description.replacing(folder.path, with: "@") }
    }
    return []
  }

  @Test func `standard input has one reader, by whatever name`() throws {
    #expect(try told(["-"]) == [])
    #expect(
      try told(["-", "-"]) == [
        "plugins.yaml:3:31: error: source 's1': 'path[0]': standard input cannot be read twice: source 's0' reads it, at plugins.yaml:2:31"
      ])
    for name in ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"] {
      #expect(try told([name, "-"]).first?.contains("standard input cannot be read twice: source 's0' reads it") == true)
    }
    #expect(
      try told(["-"], outer: ["-"]) == [
        "plugins.yaml:2:31: error: source 's0': 'path[0]': standard input cannot be read twice: commands are read from it"
      ])
    #expect(
      try told(["-"], files: ["/dev/stdin"]) == [
        "plugins.yaml:2:31: error: source 's0': 'path[0]': standard input cannot be read twice: it is a file of the configuration"
      ])
    #expect(
      try told([], outer: ["-"], files: ["/dev/stdin"]).filter { $0.contains("twice") } == [
        "-:1:1: error: standard input cannot be read twice: it is a file of the configuration, and commands are read from it"
      ])
  }

  @Test func `a named pipe has one reader, a device has many`() throws {
    #expect(mkfifo(folder.appending(path: "pipe").path, 0o600) == 0)
    try FileManager.default.createSymbolicLink(at: folder.appending(path: "link"), withDestinationURL: folder.appending(path: "pipe"))
    #expect(try told(["@/pipe"]) == [])
    #expect(
      try told(["@/pipe", "@/link"]) == [
        "plugins.yaml:3:31: error: source 's1': 'path[0]': '@/link' cannot be read twice: source 's0' reads it, at plugins.yaml:2:31"
      ])
    #expect(
      try told(["@/link"], outer: ["@/pipe"]) == [
        "plugins.yaml:2:31: error: source 's0': 'path[0]': '@/link' cannot be read twice: commands are read from it"
      ])
    #expect(try told(["/dev/null", "/dev/null"]) == [])
  }

  @Test func `a pipe that has no name but its number is an input`() throws {
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    #expect(try told(["/dev/fd/\(ends[0])"]) == [])
    #expect(try told(["/dev/fd/\(ends[0])", "/proc/self/fd/\(ends[0])"]).count == 1)
  }

  @Test func `a minus is a file's name where standard input is not taken`() throws {
    let catalogue = Catalogue([
      Plugin("certified", "Reads certificates.", .source(Certified.self)), Plugin("ender", "Takes.", .sink(Ender.self)),
    ])
    let text = "sources:\n  s: { plugin: certified, ca: \"-\" }\nsinks:\n  all: { plugin: ender, inputs: [s] }\n"
    do throws(Problems) {
      _ = try Topology.check(ConfigLoader().load(text: text), catalogue: catalogue)
      Issue.record("it was taken")
    } catch { #expect(error.description.hasPrefix("plugins.yaml:2:31: error: source 's': 'ca': no such file '-'")) }
  }

  @Test func `an input that is not there is told once, at its place`() throws {
    try put("trades.csv")
    let found = try problems("  a: { plugin: writer, inputs: [prices], path: @/out }", reads: "[@/in, @/trade.csv]")
    #expect(found.contains("plugins.yaml:2:"))
    #expect(found.hasSuffix("source 'prices': 'path[1]': no such file '@/trade.csv'; did you mean '@/trades.csv'?"))
    #expect(
      try problems("  a: { plugin: writer, inputs: [prices], path: @/out }", reads: "@").hasSuffix("'path[0]': '@' is a folder"))
  }
}

private struct RunnerSettings: Options {
  @Setting("The program and its arguments.") var run: [String]
  @Setting("A program that may be missing.") var tool = "/bin/sh"
  init() {}
  var files: [FileUse] { [.running(run[0], at: "run", item: 0), .running(tool, at: "tool", needed: false)] }
}

private actor Runner: Source {
  init(_: RunnerSettings, _: Context) {}
  func run(into _: inout Outlet<Trade>) {}
}

@Suite struct ProgramFileTests {
  private let catalogue = Catalogue([
    Plugin("runner", "Runs.", .source(Runner.self)), Plugin("ender", "Takes.", .sink(Ender.self)),
  ])

  /// The problems of a source that runs `run`, or its warnings.
  private func told(_ run: String, _ more: String = "") -> [String] {
    let text = "sources:\n  s: { plugin: runner, run: [\(run)]\(more) }\nsinks:\n  all: { plugin: ender, inputs: [s] }\n"
    do throws(Problems) { return try Topology.check(ConfigLoader().load(text: text), catalogue: catalogue).warnings } catch {
      return error.sorted.map(\.description)
    }
  }

  @Test func `a program that cannot be run is told at its place`() throws {
    // The path is short, because messages cut long paths.
    let folder = "/tmp/sb\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try Data("print(1)\n".utf8).write(to: URL(filePath: folder + "/x.py"))
    func source(_ what: String) -> [String] { ["plugins.yaml:2:30: error: source 's': 'run[0]': \(what)"] }
    #expect(told("sh, -c, exit") == [] && told("/bin/sh") == [])
    #expect(told("no-such-program-anywhere") == source("there is no program 'no-such-program-anywhere'"))
    #expect(told(folder + "/y.py") == source("there is no program '\(folder)/y.py'; did you mean '\(folder)/x.py'?"))
    #expect(
      told(folder + "/x.py")
        == source("'\(folder)/x.py' is not executable; 'chmod +x' makes it so, or write the program that reads it first, such as python3"))
    #expect(told(folder) == source("'\(folder)' is a folder"))
  }

  @Test func `a program that is not needed may come later, with a warning at its place`() {
    #expect(
      told("sh", ", tool: /no/such/tool") == [
        "plugins.yaml:2:41: warning: source 's': 'tool': there is no program '/no/such/tool'"
      ])
  }
}
