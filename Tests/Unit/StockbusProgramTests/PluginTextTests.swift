import Bars
import Generator
import Stockbus
import StockbusConfig
import StockbusPlugin
import Testing

@testable import StockbusProgram

/// What `list` and `describe` write about the plugins of the program, at the widths of terminals.
@Suite struct PluginTextTests {
  private static let catalogue = Catalogue(.builtIn)
  private static let widths = [60, 80, 140]

  @Test(arguments: widths)
  func `list at the width of a terminal`(width: Int) throws {
    try expect(List.text(Self.catalogue, width: width), is: "list-\(width).txt")
  }

  @Test(arguments: widths)
  func `describe of every plugin at the width of a terminal`(width: Int) throws {
    let texts = Self.catalogue.plugins.map { Describe.text($0, in: Self.catalogue, width: width) }
    try expect(texts.joined(separator: "\n"), is: "describe-all-\(width).txt")
  }

  @Test(arguments: widths)
  func `no line is wider than the terminal, and no sentence stands in a column of less than 20 letters`(width: Int) {
    let texts =
      [Describe.overview(Self.catalogue, width: width)]
      + Self.catalogue.plugins.map {
        Describe.text($0, in: Self.catalogue, width: width)
      }
    for line in texts.flatMap({ $0.split(separator: "\n") }) {
      #expect(line.count <= width, "\(line)")
      #expect(line.prefix { $0 == " " }.count <= width - 20, "\(line)")
    }
  }

  @Test func `each example is a configuration that is valid`() throws {
    for plugin in Self.catalogue.plugins {
      let example = PluginExample(plugin, in: Self.catalogue)
      #expect(example.isWhole)
      let text = example.lines.joined(separator: "\n")
      let config = ConfigLoader(environment: { _ in nil }).load(text: text)
      do throws(Problems) { _ = try Topology.check(config, catalogue: Self.catalogue, looksAtFiles: false) } catch {
        Issue.record("\(text)\n\(error)")
      }
    }
  }

  @Test func `an example without the plugins for its inputs names none`() throws {
    let example = PluginExample(.probe, in: Catalogue([.probe]))
    #expect(!example.isWhole)
    #expect(
      example.lines == ["sinks:", "  my_probe:", "    plugin: probe", "    inputs: [something]", "    path: text"])
  }

  @Test func `the input of an example may come from a processor`() {
    let example = PluginExample(.ofBars, in: Catalogue([.generator, .bars, .ofBars]))
    #expect(
      example.lines == [
        "sources:", "  ticks: { plugin: generator }", "processors:", "  made: { plugin: bars, inputs: [ticks] }", "sinks:", "  my_of_bars:",
        "    plugin: of_bars", "    inputs: [made]",
      ])
  }
}

extension Plugin {
  fileprivate static let ofBars = Plugin("of_bars", "Takes bars only.", .sink(OfBars.self))
}

private actor OfBars: Sink {
  init(_: NoOptions, _: Context) {}
  func receive(_: Span<Bar>) {}
}
