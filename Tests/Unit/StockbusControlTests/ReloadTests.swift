import Foundation
import StockbusConfig
import StockbusTestKit
import Testing

@testable import StockbusControl
@testable import StockbusRuntime

/// Configurations that are read again.
@Suite struct ReloadTests {
  private func topology(_ processors: String, _ sinks: String, seed: Int = 1) throws -> Topology {
    try StockbusControlTests.topology(
      """
      sources: { ticks: { plugin: generator, symbols: 3, seed: \(seed) } }
      processors: { ranked: { plugin: sorting_feed, inputs: [ticks] }\(processors) }
      sinks: { end: { plugin: null_sink, inputs: [ranked] }\(sinks) }
      """)
  }

  @Test func `what was done is said in one line`() throws {
    let before = try topology("", ", old: { plugin: null_sink, inputs: [ticks] }")
    let after = try topology(
      ", mine: { plugin: watchlist_filter, inputs: [ranked], symbols: [AAPL] }",
      ", two: { plugin: null_sink, inputs: [mine] }", seed: 2)
    #expect(before.difference(to: before).summary == "nothing has changed")
    #expect(before.difference(to: after).summary == "added mine, two; removed old; replaced ticks; 2 as before")
  }

  @Test func `every change of a file is seen, and every file that comes into a folder`() throws {
    let folder = TemporaryFolder()
    let (base, desk) = (folder.file("base.yaml"), folder.file("desk"))
    try FileManager.default.createDirectory(atPath: desk, withIntermediateDirectories: true)
    func write(_ text: String, _ path: String) throws { try Data(text.utf8).write(to: URL(filePath: path)) }
    try write("a", base)
    try write("b", desk + "/one.yaml")
    let watch = ConfigWatch { [base, desk] }
    var states = [watch.look()]
    func expectNews(_ what: Comment) {
      let now = watch.look()
      #expect(now != states.last, what)
      #expect(watch.look() == now)
      states.append(now)
    }
    #expect(watch.look() == states[0] && states[0].count == 2)
    try write("longer", base)
    expectNews("another length")
    try write("replaced", base + ".new")
    #expect(rename(base + ".new", base) == 0)
    expectNews("another file in its place")
    try write("c", desk + "/two.yml")
    expectNews("one more")
    try write("d", desk + "/notes.txt")
    #expect(watch.look() == states.last, "no configuration")
    try FileManager.default.removeItem(atPath: base)
    expectNews("one less")
  }

  @Test func `a change counts once it has lasted`() async throws {
    let folder = TemporaryFolder()
    let path = folder.file("base.yaml")
    func write(_ text: String) throws { try Data(text.utf8).write(to: URL(filePath: path)) }
    try write("a")
    let clock = ManualTimekeeper()
    let changes = Watched(0)
    let watching = Task { await ConfigWatch { [path] }.run(clock) { changes.update { $0 += 1 } } }
    func tick(_ number: Int) async {
      await clock.waitForSleeper(until: .milliseconds(500 * number))
      clock.advance(by: .milliseconds(500))
    }
    await tick(1)
    await clock.waitForSleeper(until: .milliseconds(1000))
    try write("ab")
    await tick(2)
    await clock.waitForSleeper(until: .milliseconds(1500))
    #expect(changes.value == 0, "it may still be written")
    await tick(3)
    await changes.wait { $0 == 1 }
    for number in 4...6 { await tick(number) }
    await clock.waitForSleeper(until: .milliseconds(3500))
    #expect(changes.value == 1)
    watching.cancel()
    await watching.value
  }
}
