import Foundation
import MarketData
import StockbusPlugin
import StockbusTestKit
import TestSupport
import Testing

/// A run that goes on where an earlier one was stopped.
@Suite(.enabled(if: ProgramTests.program != nil, "the program was not built"), .timeLimit(.minutes(15)))
struct KeptMemoryTests {
  private let folder = TemporaryFolder()
  private var place: URL { URL(filePath: folder.path) }

  init() throws {
    // Prices of three symbols walk by a quarter, ten a second: 25 bars of a minute, and far more text than a pipe holds.
    var random = SplitMix(7)
    var prices = [Price](repeating: 400, count: 3)
    let start = try Timestamp(iso8601: "2024-01-02T14:30:00Z")
    var text = "time,symbol,price,size\n"
    for row in 0..<15_000 {
      prices[row % 3] = Price(raw: prices[row % 3].raw + [-1, 0, 1][random.upTo(2)] * 250_000_000)
      let time = Timestamp(ns: start.ns + Int64(row) * 100_000_000)
      text += "\(time),\(["AAPL", "MSFT", "XOM"][row % 3]),\(prices[row % 3]),\(row + 1)\n"
    }
    folder.put(text, in: "monday.csv")
  }

  private func desk(_ name: String, memory: String = "") -> String {
    """
    \(memory)
    sources:
      live: { plugin: file_replay, path: monday.csv, output: { capacity: 16 } }
    processors:
      minutes: { plugin: bars, inputs: [live], lengths: [1m] }
      ranked: { plugin: sorting_feed, inputs: [live], by: percent }
      best: { plugin: movers, inputs: [live], period: day, reference: first_price }
      rising: { plugin: filter, inputs: [live], where: "price > sma(price, 50)" }
      follows: { plugin: demo_momentum, inputs: [live], account: fund, window: 5, threshold: 0.1%, quantity: 10 }
      broker: { plugin: paper_broker, inputs: [live, follows], accounts: [{ name: fund }] }
    sinks:
      all: { plugin: file_writer, inputs: [live], path: "-", format: csv }
      bars: { plugin: file_writer, inputs: [minutes], path: \(name)-bars.csv }
      ranks: { plugin: file_writer, inputs: [ranked], path: \(name)-ranks.jsonl }
      moved: { plugin: file_writer, inputs: [best], path: \(name)-movers.jsonl }
      rows: { plugin: file_writer, inputs: [rising], path: \(name)-rising.csv }
      fills: { plugin: file_writer, inputs: [broker.fills], path: \(name)-fills.csv }
      ends: { plugin: null_sink, inputs: [broker] }
      desk:
        plugin: notification_dispatcher
        inputs: [live]
        rules:
          - { name: cross, when: "crosses_above(sma(price, 20), sma(price, 100))", cooldown: 30s }
          - { name: above, above: 401, once: true }
          - { name: lasts, when: "price > vwap(30s)", for: 3s, resolve: true }
        channels: [{ file: { name: log, path: \(name)-alerts.jsonl, format: jsonl } }]

    """
  }

  private static let outputs = ["bars.csv", "movers.jsonl", "rising.csv", "fills.csv", "alerts.jsonl"]

  private func text(_ name: String) -> String { (try? String(contentsOf: place.appending(path: name), encoding: .utf8)) ?? "" }

  /// Runs the configuration, and interrupts it once `lines` lines of its output were read, of which far more is left than pipes and rings
  /// hold; without a number it runs to its end. Returns the exit status and the errors.
  private func run(_ config: String, interruptedAfter lines: Int? = nil, by signal: Int32 = SIGINT) throws -> (
    status: Int32, errors: String
  ) {
    let process = Process()
    process.executableURL = ProgramTests.program
    process.arguments = ["run", "--quiet", config]
    process.currentDirectoryURL = place
    process.environment = [:]
    let (output, errors) = (Pipe(), Pipe())
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    var isInterrupted = lines == nil
    var count = 0
    while true {
      let piece = output.fileHandleForReading.readData(ofLength: 512)
      if piece.isEmpty { break }
      count += piece.count { $0 == 10 }
      if !isInterrupted, count >= lines ?? 0 {
        isInterrupted = true
        kill(process.processIdentifier, signal)
      }
    }
    let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, text)
  }

  @Test(arguments: [[1], [1000], [9000], [500, 900, 10, 5000]])
  func `a run that is stopped and goes on writes what one run writes`(stops: [Int]) throws {
    folder.put(desk("whole"), in: "whole.yaml")
    #expect(try run("whole.yaml").status == 0)
    folder.put(desk("parts", memory: "runtime: { memory: kept/desk.memory }"), in: "parts.yaml")
    for lines in stops {
      let result = try run("parts.yaml", interruptedAfter: lines)
      #expect(result.status == 0, "\(result.errors)")
    }
    #expect(try run("parts.yaml").status == 0)
    for name in Self.outputs {
      #expect(text("whole-\(name)").split(separator: "\n").count > 3, "\(name)")
      #expect(text("parts-\(name)") == text("whole-\(name)"), "\(name)")
    }
    // A ranking tells its list once more in each run, for screens that do not know it: three rows.
    var whole = text("whole-ranks.jsonl").split(separator: "\n")[...]
    var others: [Substring] = []
    for row in text("parts-ranks.jsonl").split(separator: "\n") {
      if row == whole.first { whole.removeFirst() } else { others.append(row) }
    }
    #expect(whole.isEmpty && others.count == 3 * stops.count, "\(others.joined(separator: "\n"))")
  }

  @Test(arguments: [[1], [1000], [500, 9000, 10, 5000]])
  func `a run that is killed and goes on writes what one run writes`(kills: [Int]) throws {
    folder.put(desk("whole"), in: "whole.yaml")
    #expect(try run("whole.yaml").status == 0)
    folder.put(desk("parts", memory: "runtime: { memory: kept/desk.memory }"), in: "parts.yaml")
    for lines in kills { #expect(try run("parts.yaml", interruptedAfter: lines, by: SIGKILL).status == SIGKILL) }
    #expect(try run("parts.yaml").status == 0)
    for name in Self.outputs { #expect(text("parts-\(name)") == text("whole-\(name)"), "\(name)") }
  }

  @Test func `a file that somebody has changed since is left alone`() throws {
    folder.put(desk("parts", memory: "runtime: { memory: desk.memory }"), in: "parts.yaml")
    #expect(try run("parts.yaml", interruptedAfter: 9000).status == 0)
    let changed = text("parts-bars.csv") + "mine\n"
    folder.put(changed, in: "parts-bars.csv")
    let result = try run("parts.yaml")
    #expect(result.errors.contains("parts-bars.csv': it was changed since the run left it"), "\(result.errors)")
    #expect(result.status != 0)
    #expect(text("parts-bars.csv") == changed)
  }

  @Test func `what goes on and what begins anew is said`() throws {
    let memory = "runtime: { memory: desk.memory }"
    folder.put(desk("a", memory: memory), in: "plugins.yaml")
    func ask(_ arguments: String...) throws -> (status: Int32, output: String, errors: String) {
      try ProgramTests.run(arguments, in: place)
    }
    #expect(try ask("validate").output.hasSuffix("\ndesk.memory: there is no memory of an earlier run; everything begins anew\n"))
    #expect(try ask("memory").output == "desk.memory: there is no memory of an earlier run\n")
    #expect(try run("plugins.yaml", interruptedAfter: 100).status == 0)
    let shown = try ask("memory", "show").output
    #expect(shown.hasPrefix("desk.memory: left at 20") && shown.contains("\nlive       file_replay              position "), "\(shown)")
    let values = try ask("memory", "show", "live").output
    #expect(values.contains("\n" + #"{"name":"position","version":1,"value":{"events":"#), "\(values)")
    // The bars have other options, and the writer of the ranks another name.
    let other = desk("a", memory: memory).replacing("[1m]", with: "[5m]").replacing("  ranks:", with: "  places:")
    folder.put(other, in: "plugins.yaml")
    let valid = try ask("validate").output
    #expect(valid.contains("these go on: live (expected symbols, position)"), "\(valid)")
    #expect(valid.contains("desk.memory: 'minutes' has other options: dropped: bars\n"), "\(valid)")
    #expect(valid.contains("desk.memory: 'ranks' is not in the configuration: dropped: end, opened"), "\(valid)")
    // Forgetting.
    #expect(try ask("memory", "forget", "dusk").errors.contains("desk.memory has nothing of 'dusk'; did you mean 'desk'?"))
    #expect(try ask("memory", "forget", "desk", "live").output == "desk.memory: forgotten: live, desk\n")
    #expect(try ask("memory", "show", "desk").status != 0)
    #expect(try !ask("validate").output.contains("position"))
    #expect(try ask("memory", "forget").output == "desk.memory: forgotten: everything\n")
    #expect(try ask("validate").output.hasSuffix("there is no memory of an earlier run; everything begins anew\n"))
  }

  @Test func `a damaged memory is an error with its place, and nothing starts`() throws {
    folder.put(desk("a", memory: "runtime: { memory: desk.memory }"), in: "plugins.yaml")
    #expect(try run("plugins.yaml", interruptedAfter: 100).status == 0)
    let bytes = text("desk.memory").replacing(#""position""#, with: #""positiom""#)
    folder.put(bytes, in: "desk.memory")
    for command in ["run", "validate"] {
      let result = try ProgramTests.run([command], in: place)
      #expect(result.status == 78 && result.output == "")
      #expect(
        result.errors.hasPrefix("plugins.yaml:1:20: error: runtime: 'memory': desk.memory:5: the value on this line is damaged\n"),
        "\(result.errors)")
    }
    #expect(text("desk.memory") == bytes)
  }
}
