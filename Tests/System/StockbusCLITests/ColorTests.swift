import Foundation
import StockbusTestKit
import Testing

/// `--color`, from the arguments to the output of a plugin.
@Suite(.timeLimit(.minutes(15))) struct ColorTests {
  @Test(
    .enabled(if: ProgramTests.program != nil, "the program was not built"),
    arguments: [("auto", false), ("never", false), ("always", true), ("256", true)])
  func `a pipe gets colours where they were asked for`(choice: String, isColoured: Bool) throws {
    let folder = TemporaryFolder()
    folder.put(
      """
      sources: { ticks: { plugin: generator, symbols: [AAPL], count: 20, rate: max, seed: 42 } }
      sinks: { flashes: { plugin: flash_logger, inputs: [ticks] } }
      """, in: "plugins.yaml")
    let result = try ProgramTests.run(["run", "--quiet", "--color", choice], in: URL(filePath: folder.path))
    #expect(result.status == 0 && result.errors == "")
    let lines = result.output.split(separator: "\n")
    #expect(!lines.isEmpty)
    // Dim, in green or red; without colours nothing at all.
    for line in lines { #expect(isColoured ? line.contains(/^\u{1b}\[2;3[12]m.* AAPL .*\u{1b}\[0m$/) : !line.contains("\u{1b}")) }
  }
}
