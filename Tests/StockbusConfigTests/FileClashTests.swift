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

/// A file for each component: what does not go together is told at its line before anything starts.
@Suite struct FileClashTests {
  private let folder: URL

  init() throws {
    // Short, as messages cut long paths.
    folder = URL(filePath: "/tmp/sb\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private func put(_ name: String) throws { try Data("1\n".utf8).write(to: folder.appending(path: name)) }

  /// The problems with these sinks beside a source that reads `in`; `@` stands for the folder.
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

  @Test func `what is put aside counts`() throws {
    #expect(
      try problems("  a: { plugin: writer, inputs: [prices], path: @/in, keep: 3 }", reads: "[@/in.3]").contains("no such file"))
    try put("log.2")
    #expect(
      try problems("  a: { plugin: writer, inputs: [prices], path: @/log, keep: 3 }", reads: "[@/in, @/log.2]")
        .contains("'path': a full file cannot be put aside as '@/log.2': source 'prices' reads it, at plugins.yaml:2:"))
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

  @Test func `an input that is not there is told once, at its place`() throws {
    try put("trades.csv")
    let found = try problems("  a: { plugin: writer, inputs: [prices], path: @/out }", reads: "[@/in, @/trade.csv]")
    #expect(found.contains("plugins.yaml:2:"))
    #expect(found.hasSuffix("source 'prices': 'path[1]': no such file '@/trade.csv'; did you mean '@/trades.csv'?"))
    #expect(
      try problems("  a: { plugin: writer, inputs: [prices], path: @/out }", reads: "@").hasSuffix("'path[0]': '@' is a folder"))
  }
}
