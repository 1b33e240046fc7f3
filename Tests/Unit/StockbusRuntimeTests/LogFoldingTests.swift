import Logging
import StockbusTestKit
import Testing

@testable import StockbusRuntime

/// A number without digits, so that lines with it are not alike.
func words(_ number: Int) -> String { String(String(number).unicodeScalars.map { Character(Unicode.Scalar($0.value + 49)!) }) }

/// Lines of the log that come again and again.
@Suite(.timeLimit(.minutes(15))) struct LogFoldingTests {
  private typealias Line = LineFolder<Int>.Line

  /// An object, as expectations cannot change values.
  private final class Folder {
    private var folder = LineFolder<Int>()
    func take(_ line: Line, at time: Duration, from sender: Int) -> Bool { folder.take(line, at: time, from: sender) }
    func settle(at time: Duration, all: Bool = false) -> [LineFolder<Int>.Sum] { folder.settle(at: time, all: all) }
    var due: Duration? { folder.due }
  }

  private func line(_ message: String, _ component: String? = "a", _ level: Logger.Level = .warning) -> Line {
    Line(level: level, component: component, message: message)
  }

  @Test func `the first line is shown, and the others are told when its ten seconds are over`() {
    let folder = Folder()
    #expect(folder.take(line("no"), at: .seconds(3), from: 7))
    #expect(folder.due == nil)
    #expect(!folder.take(line("no"), at: .seconds(4), from: 8))
    #expect(!folder.take(line("no"), at: .seconds(6), from: 9))
    #expect(folder.due == .seconds(13))
    #expect(folder.settle(at: .milliseconds(12_999)).isEmpty)
    let sums = folder.settle(at: .seconds(13))
    #expect(sums.map(\.text) == ["2 more times in 3s: no"] && sums.map(\.sender) == [7])
    // It begins anew.
    #expect(folder.due == nil && folder.take(line("no"), at: .seconds(13), from: 7))
    #expect(folder.settle(at: .seconds(100)).isEmpty)
  }

  @Test func `lines of other components, levels and words are other lines`() {
    let folder = Folder()
    for other in [line("no"), line("no", "b"), line("no", nil), line("no", "a", .error), line("yes")] {
      #expect(folder.take(other, at: .zero, from: 0))
      #expect(!folder.take(other, at: .seconds(1), from: 0))
    }
    let sums = folder.settle(at: .seconds(10))
    #expect(sums.map(\.text).sorted() == ["no", "no", "no", "no", "yes"].map { "1 more time in 1s: \($0)" })
  }

  @Test func `of lines that differ only in their numbers the first five are shown, and the last is told with the number of the others`() {
    let folder = Folder()
    for number in 1...9 {
      #expect(folder.take(line("line \(number * 111): bad"), at: .seconds(number), from: 0) == (number <= 5))
      #expect(!folder.take(line("line 111: bad"), at: .seconds(number), from: 0))
    }
    #expect(folder.take(line("line x: bad"), at: .seconds(10), from: 0))
    #expect(folder.settle(at: .seconds(11)).map(\.text) == ["13 more like this in 8s: line 111: bad"])
    // One of them alone came again: it is named as it is.
    for message in ["at 1", "at 2", "at 2"] { _ = folder.take(line(message), at: .seconds(20), from: 0) }
    #expect(folder.settle(at: .seconds(30)).map(\.text) == ["1 more time: at 2"])
  }

  @Test func `a failure that comes again after it was over is shown, a few times, and the sums end with what came last`() {
    let folder = Folder()
    let (fails, works) = (line("disk full"), line("works again", "a", .notice))
    var shown: [Bool] = []
    for time in 0..<7 {
      shown.append(folder.take(fails, at: .milliseconds(2 * time), from: 0))
      #expect(!folder.take(fails, at: .milliseconds(2 * time), from: 0))
      shown.append(folder.take(works, at: .milliseconds(2 * time + 1), from: 0))
    }
    #expect(shown == (0..<14).map { $0 < 10 })
    // Another component's words are no answer.
    #expect(!folder.take(fails, at: .seconds(1), from: 0) && folder.take(line("works", "b", .notice), at: .seconds(1), from: 0))
    #expect(!folder.take(fails, at: .seconds(1), from: 0))
    #expect(folder.settle(at: .seconds(11), all: true).map(\.text) == ["2 more times: works again", "11 more times in 1s: disk full"])
  }

  @Test func `what is critical is always shown`() {
    let folder = Folder()
    for _ in 0..<3 { #expect(folder.take(line("down", "a", .critical), at: .zero, from: 0)) }
    #expect(folder.settle(at: .seconds(10), all: true).isEmpty)
  }

  @Test func `all is told at the end, in the order in which the lines came`() {
    let folder = Folder()
    for (time, message) in ["one", "two", "one", "two", "two", "three"].enumerated() {
      _ = folder.take(line(message), at: .seconds(time), from: 0)
    }
    #expect(folder.settle(at: .seconds(6), all: true).map(\.text) == ["1 more time in 2s: one", "2 more times in 3s: two"])
    #expect(folder.settle(at: .seconds(60), all: true).isEmpty)
  }

  @Test func `what is remembered is limited, and nothing is lost for it`() {
    let folder = Folder()
    for i in 0..<LineFolder<Int>.limit { #expect(folder.take(line(words(i)), at: .zero, from: 0)) }
    for _ in 0..<2 { #expect(folder.take(line("more"), at: .zero, from: 0)) }
    #expect(!folder.take(line(words(0)), at: .zero, from: 0))
    #expect(folder.settle(at: .seconds(10)).map(\.line.message) == [words(0)])
    #expect(folder.take(line("more"), at: .seconds(10), from: 0) && !folder.take(line("more"), at: .seconds(10), from: 0))
  }

  @Test func `a run tells how often a line has come again although nothing else is logged, and what is left at its end`() async throws {
    try await journalled { _ in
      let harness = try pipeline("sources: { ticks: { plugin: numbers, hold: true } }\nsinks: { end: { plugin: keep, inputs: [ticks] } }")
      async let report = harness.run()
      await harness.pipeline.waitForStart()
      var logger = harness.pipeline.logger
      logger[metadataKey: "component"] = "end"
      for _ in 0..<4 { logger.warning("the door is locked") }
      await harness.clock.waitForSleeper(until: .seconds(10))
      harness.clock.advance(by: .seconds(10))
      await harness.log.wait(for: "3 more times: the door is locked")
      for _ in 0..<3 { logger.warning("the door is locked") }
      harness.pipeline.stop()
      _ = await report
      #expect(
        harness.log.texts(.warning).map { $0.replacing("warning end: ", with: "") } == [
          "the door is locked", "3 more times: the door is locked", "the door is locked", "2 more times: the door is locked",
        ])
      #expect(harness.pipeline.log(after: 0).filter { $0.component == "end" }.count == 4)
      // After the run nobody would tell the sum.
      for _ in 0..<2 { logger.warning("the door is locked") }
      #expect(harness.log.texts(.warning).count == 6)
    }
  }
}
