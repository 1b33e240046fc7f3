import Glibc
import MarketData
import TestSupport
import StockbusPlugin
import StockbusTestKit
import Synchronization
import Testing

@testable import StockbusFiles

/// The result of one write to a disk.
private enum Answer: Int, CaseIterable, Sendable, CustomStringConvertible {
  var description: String { "\(rawValue)" }
  case takesAll, takesOne, takesSome, isInterrupted, isBusy, isFull, isBroken

  func write(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
    func fail(_ code: Int32) -> Int {
      errno = code
      return -1
    }
    return switch self {
    case .takesAll: Descriptor.system(descriptor, bytes, count)
    case .takesOne: Descriptor.system(descriptor, bytes, 1)
    case .takesSome: Descriptor.system(descriptor, bytes, min(count, 11))
    case .isInterrupted: fail(EINTR)
    case .isBusy: fail(EAGAIN)
    case .isFull: fail(ENOSPC)
    case .isBroken: fail(EIO)
    }
  }
}

/// A disk that returns results by a script, and then always the same one.
private final class ScriptedDisk: Sendable {
  private let script: Mutex<ArraySlice<Answer>>
  private let then: Answer
  private let closing: Int32

  init(_ script: [Answer], then: Answer, closing: Int32 = 0) {
    self.script = Mutex(script[...])
    self.then = then
    self.closing = closing
  }

  var calls: SystemCalls {
    var calls = SystemCalls()
    calls.write = { descriptor, bytes, count in
      (self.script.withLock { $0.popFirst() } ?? self.then).write(descriptor, bytes, count)
    }
    calls.close = { descriptor in
      let code = Descriptor.shut(descriptor)
      return code == 0 ? self.closing : code
    }
    return calls
  }
}

/// A sink of lines.
private actor Lines {
  let file: RetryingFile
  private var out = RecordText()

  init(_ path: String, _ settings: RetryingFileSettings, _ context: Context, _ calls: SystemCalls, buffer: Int) {
    file = RetryingFile(path: path, settings, context)
    file.calls = calls
    file.bufferSize = buffer
  }

  func open(header: String) throws(EnvironmentFailure) { try file.open(header: .of(header)) }

  /// Writes the records of a batch, `piece` at a time.
  func take(_ lines: [String], piece: Int) async throws(EnvironmentFailure) {
    file.beginBatch()
    var next = 0
    while next < lines.count {
      out.clear()
      let end = file.chunk == 0 ? next + 1 : min(lines.count, next + piece)
      for line in lines[next..<end] {
        out.bytes.append(line)
        out.endRecord()
      }
      try await file.write(out, of: end - next)
      next = end
    }
  }

  func flush() async throws(EnvironmentFailure) { try await file.flush() }
  func finish() async throws(EnvironmentFailure) { try await file.finish() }
  func close() { file.close() }
}

/// One combination of settings and results.
private struct Trial: Sendable {
  var script: [Answer] = []
  var then = Answer.takesAll
  var closing: Int32 = 0
  var runs: [Int] = [2, 3, 1]
  var piece = 2
  var buffer = 20
  var header = ""
  var rotate: Int?
  var flushesAfter: Set<Int> = []
  var lives = 3

  /// Returns the records that count as delivered in the runtime, and the number that the harness has counted as lost.
  func run(path: String) async -> (delivered: [String], lost: Int) {
    let harness = PluginHarness()
    var settings = RetryingFileSettings()
    settings.patience = .milliseconds(250)
    settings.rotation.append = false
    settings.rotation.keep = 10_000
    settings.rotation.rotate = rotate.map { ByteSize(bytes: $0) }
    let disk = ScriptedDisk(script, then: then, closing: closing)
    // One context for all lives, because they share its memory.
    let context = harness.context
    let delivered = await harness.clock.running { [settings] in
      var delivered: [String] = []
      var number = 0
      var pending: [[String]] = runs.map { count in
        (0..<count).map { _ in
          number += 1
          return Self.record(number)
        }
      }
      for _ in 1...lives {
        let sink = Lines(path, settings, context, disk.calls, buffer: buffer)
        var isInRun = false
        do throws(EnvironmentFailure) {
          try await sink.open(header: header)
          while let run = pending.first {
            isInRun = true
            try await sink.take(run, piece: piece)
            isInRun = false
            delivered += run
            pending.removeFirst()
            if flushesAfter.contains(pending.count) { try await sink.flush() }
          }
          try await sink.finish()
          pending = []
          await sink.close()
          break
        } catch {
          if isInRun, let first = pending.first {
            delivered += first.prefix(error.taken)
            pending[0].removeFirst(error.taken)
          }
          await sink.close()
          // After a failed end there is no further life.
          if pending.isEmpty { break }
        }
      }
      return delivered
    }
    return (delivered, harness.lost)
  }

  /// All of one length, so that no part of one looks like another.
  static func record(_ number: Int) -> String { "record \(100_000 + number)\n" }
}

@Suite(.timeLimit(.minutes(15))) struct DiskModelTests {
  let folder = TemporaryFolder()
  private let step = max(1, 6 - rounds(1, cost: 400))

  /// The contents of the file and the rotated ones, the oldest first.
  private func contents(header: String) -> [String] {
    let numbers = folder.names.map { Int($0.split(separator: ".").dropFirst().first ?? "0") ?? 0 }.sorted(by: >)
    return numbers.map { number in
      let text = folder.content(number == 0 ? "log" : "log.\(number)")
      return text.hasPrefix(header) ? String(text.dropFirst(header.count)) : text
    }
  }

  private func clear() { for name in folder.names { unlink(folder.file(name)) } }

  /// The file contains exactly the delivered records, in order, except for as many as were lost.
  private func check(_ trial: Trial) async {
    clear()
    let (delivered, lost) = await trial.run(path: folder.file("log"))
    let parts = contents(header: trial.header)
    let lines = parts.joined().split(separator: "\n").map { String($0) + "\n" }
    let isWhole = parts.allSatisfy { $0.isEmpty || $0.hasSuffix("\n") } && Set(lines).isSubset(of: delivered) && lines == lines.sorted()
    if lines.count + lost != delivered.count || !isWhole || Set(lines).count != lines.count {
      Issue.record("\(delivered.count) delivered, \(lost) lost, \(lines.count) in the file:\n\(parts)\n\(trial)")
    }
  }

  /// All sequences of four results.
  @Test(arguments: 0..<7) func `written and lost are delivered, whatever the disk says`(first: Int) async {
    let answers = Answer.allCases
    for number in 0..<(7 * 7 * 7) {
      let script = [first, number / 49, number / 7 % 7, number % 7].map { answers[$0] }
      await check(Trial(script: script, then: number % 2 == 0 ? .takesAll : .isFull))
    }
  }

  /// The same with rotation, a header, and a failure when closing; every fifth of the sequences of four, or all of them with more rounds.
  @Test(arguments: 0..<7) func `so they are where it rotates, begins with a header, and closing fails`(first: Int) async {
    let answers = Answer.allCases
    for number in stride(from: first % step, to: 7 * 7 * 7, by: step) {
      let script = [first, number / 49, number / 7 % 7, number % 7].map { answers[$0] }
      await check(Trial(script: script, then: .isFull, header: "the names\n"))
      await check(Trial(script: script, then: .isBroken, buffer: 100, header: "the names\n", rotate: 50))
      await check(Trial(script: script, closing: EIO, buffer: 1, rotate: 40, flushesAfter: [1]))
    }
  }

  @Test(arguments: 0..<100) func `so they are in long runs of whatever happens`(seed: UInt64) async {
    var random = SplitMix(seed)
    for _ in 0..<5 {
      let good = Int.random(in: 0...20, using: &random)
      let script: [Answer] = (0..<Int.random(in: 0...300, using: &random)).map { _ in
        let isGood = Int.random(in: 0...good, using: &random) > 0
        return isGood ? Answer.takesAll : Answer.allCases[Int.random(in: 0..<7, using: &random)]
      }
      var trial = Trial(script: script, then: Answer.allCases[Int.random(in: 0..<7, using: &random)])
      // With endless interruptions or busy results the test would never finish.
      if trial.then == .isInterrupted || trial.then == .isBusy { trial.then = .isFull }
      trial.closing = Int.random(in: 0..<8, using: &random) == 0 ? EIO : 0
      trial.runs = (0..<Int.random(in: 1...40, using: &random)).map { _ in Int.random(in: 1...30, using: &random) }
      trial.piece = Int.random(in: 1...10, using: &random)
      trial.buffer = Int.random(in: 1...2000, using: &random)
      trial.header = Bool.random(using: &random) ? "the names\n" : ""
      trial.rotate = Bool.random(using: &random) ? Int.random(in: 30...3000, using: &random) : nil
      trial.flushesAfter = Set((0..<5).map { _ in Int.random(in: 0..<40, using: &random) })
      trial.lives = Int.random(in: 1...5, using: &random)
      await check(trial)
    }
  }

  /// What is in a pipe cannot be removed: a fragment becomes a line of its own, and its record is lost. Every fifth sequence, as above.
  @Test(arguments: 0..<7) func `what a pipe has and what is lost are delivered`(first: Int) async {
    let answers = Answer.allCases
    for number in stride(from: first % step, to: 7 * 7 * 7, by: step) {
      let script = [first, number / 49, number / 7 % 7, number % 7].map { answers[$0] }
      for then in [Answer.takesAll, .isFull, .isBroken] {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        let trial = Trial(script: script, then: then)
        let (delivered, lost) = await trial.run(path: "/dev/fd/\(ends[1])")
        close(ends[1])
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(ends[0], &bytes, bytes.count)
        close(ends[0])
        let lines = String(decoding: bytes[..<max(0, count)], as: UTF8.self).split(separator: "\n").map { String($0) + "\n" }
        let whole = lines.filter { Set(delivered).contains($0) }
        if whole.count + lost != delivered.count || Set(whole).count != whole.count || lines.contains(where: { $0.count > 14 }) {
          Issue.record("\(delivered.count) delivered, \(lost) lost, in the pipe: \(lines)\n\(trial)")
        }
      }
    }
  }
}
