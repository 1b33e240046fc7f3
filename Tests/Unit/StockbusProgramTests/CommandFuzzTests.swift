import Foundation
import TestSupport
import StockbusPlugin
import StockbusRuntime
import StockbusTestKit
import Testing

@testable import Stockbus
@testable import StockbusProgram

/// Random lines of `--commands`, sent to a run.
@Suite(.timeLimit(.minutes(60))) struct CommandFuzzTests {
  /// Lines for a run of a generator, a filter and a dispatcher: their commands, right, half right and wrong.
  private struct WildLines {
    var random: SplitMix

    private static let words = [
      "ticks", "dear", "bells", "end", "tick", "raise", "lower", "set", "randomise", "where", "list", "rules", "enable", "disable", "mute",
      "test",
      "add", "remove", "help", "AAPL", "NVDA", "TSLA", "aapl", "*", "A*,N*", "above", "below", "rises_by", "falls_by", "window", "cooldown",
      "rearm",
      "once", "name", "message", "exactly", "urgent", "log", "first", "rule", "channel", "10", "-10", "0", "0.000000001", "99999999999",
      "1e9",
      "9223372036.854775807", "2%", "-5%", "1m", "10s", "9999999d", "price", ">", "100", "and", "size", "symbol", "in", "[AAPL]", "(price)",
      "\"",
      "\u{a0}", "\u{2028}", "\t", "\u{301}", "\u{1b}[2J", "\u{202e}", "é", "\u{0}", "-n", "--file=/etc/passwd", "{price}", "{", ",", "'",
      String(repeating: "x", count: 500),
    ]
    private static let right = [
      "ticks raise AAPL", "ticks raise NVDA 3", "ticks lower AAPL 0.5", "ticks set TSLA 250", "ticks randomise NVDA",
      "dear where price > 100",
      "dear where symbol in [AAPL, NVDA] and price < 1000", "bells list", "bells rules", "bells mute 10m", "bells mute 1m log",
      "bells enable",
      "bells disable first", "bells enable first", "bells test log", "bells add AAPL above 200 rearm 0.5% cooldown 1m once",
      "bells add TSLA,N* falls_by 2% window 1m name dip", "bells remove dip", "help", "help bells", "stop now",
    ]

    private mutating func pick(_ list: [String]) -> String { list[random.upTo(list.count - 1)] }

    mutating func line() -> String {
      if random.oneIn(4) { return pick(Self.right) }
      var words = random.oneIn(2) ? pick(Self.right).split(separator: " ").map(String.init) : [pick(Self.words)]
      for _ in 0...random.upTo(random.oneIn(20) ? 60 : 4) {
        let at = words.isEmpty ? 0 : random.upTo(words.count - 1)
        switch words.isEmpty ? 1 : random.upTo(3) {
        case 0: words.remove(at: at)
        case 1: words.insert(pick(Self.words), at: at)
        case 2: words[at] = pick(Self.words)
        default: words.append(pick(Self.words))
        }
      }
      return words.joined(separator: random.oneIn(9) ? "  " : " ")
    }
  }

  @Test func `whatever a line says, it is carried out or refused in a sentence, and the run ends balanced`() async throws {
    let folder = TemporaryFolder()
    let harness = try PipelineHarness(
      """
      sources: { ticks: { plugin: generator, symbols: [AAPL, NVDA, TSLA], interval: 24h, seed: 5 } }
      processors: { dear: { plugin: filter, inputs: [ticks], where: price > 1 } }
      sinks:
        bells:
          plugin: notification_dispatcher
          inputs: [dear]
          rules: [{ name: first, symbol: AAPL, crosses_above: 150 }, { name: second, rises_by: 1%, window: 1m }]
          channels: [{ file: { name: log, path: \(folder.file("alerts.jsonl")), format: jsonl } }]
        end: { plugin: null_sink, inputs: [bells] }
      """, catalogue: Catalogue(.builtIn))
    let run = Task { await harness.run() }
    // A component takes commands only some time after it was started.
    for id in ["ticks", "dear", "bells"] {
      var isRunning = false
      while !isRunning {
        await Task.yield()
        do throws(CommandError) {
          _ = try await harness.pipeline.perform(Command(verb: "nothing", arguments: []), on: id)
          isRunning = true
        } catch { isRunning = error != .notRunning(id) }
      }
    }
    let router = CommandRouter(harness.pipeline.commands, components: harness.pipeline.components.map(\.id))
    var lines = WildLines(random: SplitMix(23))
    var costs = Costs("commands")
    var (done, refused) = (0, 0)
    for round in 0..<rounds(1500) {
      let line = lines.line()
      guard let command = Command(line: line) else {
        if line.unicodeScalars.contains(where: { !$0.properties.isWhitespace }) { Issue.record("no command: \(line.debugDescription)") }
        continue
      }
      var answer = ""
      switch router.request(command) {
      case .help(let lines): answer = lines.joined(separator: "\n")
      case .stop:
        // The only line that may stop the run.
        if command != Command(verb: "stop", arguments: []) { Issue.record("\(line.debugDescription) would stop the run") }
        continue
      case .mistake(let text):
        answer = text
        refused += 1
      case .command(let id, let command):
        let begin = Costs.processTime
        do throws(CommandError) {
          answer = try await harness.pipeline.perform(command, on: id)
          done += 1
        } catch {
          answer = error.description
          refused += 1
        }
        costs.note(Costs.processTime - begin, size: line.utf8.count, line)
      }
      // Rules take memory and time, so they are removed from time to time.
      if round % 500 == 499 {
        for rule in (try? await harness.perform("bells rules"))?.split(separator: "\n") ?? [] {
          _ = try? await harness.perform("bells remove \(rule.prefix { $0 != "\t" })")
        }
      }
      if answer.isEmpty, command.arguments.first != "rules" { Issue.record("\(line.debugDescription) has no answer") }
    }
    #expect(done > 100 && refused > 100)
    harness.pipeline.stop()
    // The clock does not move, so no deadline passes.
    let report = await run.value
    #expect(report.ledger.isBalanced, "\(report.ledger)")
    #expect(report.fates.allSatisfy { $0.outcome == .completed && $0.lives == 1 }, "\(report.fates)")
    for line in costs.lines { print(line) }
  }

  @Test func `a line of commands is read as it stands, whatever is in it, and one that is too long takes no other with it`() throws {
    func lines(_ bytes: [UInt8]) throws -> [CommandReader.Line] {
      let file = try #require(tmpfile())
      defer { fclose(file) }
      fwrite(bytes, 1, bytes.count, file)
      rewind(file)
      var lines: [CommandReader.Line] = []
      while let line = CommandReader.next(in: file) { lines.append(line) }
      return lines
    }
    let longest = CommandReader.longestLine
    #expect(try lines([]) == [])
    #expect(try lines(Array("a b\r\n\nc".utf8)) == [.text("a b\r"), .text(""), .text("c")])
    // A zero byte does not end a line.
    #expect(try lines(Array("a \u{0} b\nstop\n".utf8)) == [.text("a \u{0} b"), .text("stop")])
    for length in (longest - 3)...(longest + 3) {
      for end in ["\n", "\r\n"] {
        let line = String(repeating: "x", count: length - end.utf8.count)
        let first: CommandReader.Line = length - 1 <= longest ? .text(end == "\n" ? line : line + "\r") : .tooLong
        #expect(try lines(Array((line + end + "stop\n").utf8)) == [first, .text("stop")], "\(length)")
      }
    }
    #expect(try lines(Array(repeating: 0, count: 3 * longest) + Array("\nstop".utf8)) == [.tooLong, .text("stop")])
  }
}
