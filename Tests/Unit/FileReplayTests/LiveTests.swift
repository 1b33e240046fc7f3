import CZlib
import Glibc
import MarketData
import StockbusDecoding
import StockbusFiles
import StockbusPlugin
import StockbusTestKit
import Testing

@testable import FileReplay

/// A named pipe, open for writing until it is closed.
private final class Pipe {
  let folder = TemporaryFolder()
  let path: String
  private var descriptor: Int32

  init() {
    path = folder.file("pipe")
    mkfifo(path, 0o600)
    // Also for reading, so that opening does not wait for a reader.
    descriptor = open(path, O_RDWR | O_CLOEXEC)
  }

  deinit { close() }

  func send(_ bytes: [UInt8]) { _ = write(descriptor, bytes, bytes.count) }
  func send(_ text: String) { send(Array(text.utf8)) }

  func close() {
    if descriptor >= 0 { _ = Glibc.close(descriptor) }
    descriptor = -1
  }
}

/// The next events of a replay without waiting; nil if it would have to wait.
private func take<E: ReplayEvent>(_ replay: inout Replay<E>, _ limit: Int = 100) throws -> [E]? {
  if replay.mustWait { return nil }
  var events: [E] = []
  _ = try replay.next(limit: limit) {
    events.append($0)
  } noted: { _ in
    .skip
  }
  return events
}

/// Pipes in this process only: writing is finished before reading begins, so that nothing depends on timing.
@Suite(.timeLimit(.minutes(15))) struct LiveTests {
  private func names(_ trades: [Trade]?) -> [String]? { trades?.map { "\($0.symbol)\($0.price)" } }

  @Test func `lines that have come are handed out before others are waited for`() throws {
    let pipe = Pipe()
    pipe.send("symbol,price,time\nA,1,1\nB,2,2\nC,3")
    var replay = try Replay<Trade>([ReplayInput(path: pipe.path)], options { $0.time.format = .seconds })
    #expect(names(try take(&replay)) == ["A1", "B2"])
    #expect(names(try take(&replay)) == nil)
    pipe.send(",")
    #expect(names(try take(&replay)) == nil)
    pipe.send("3\nD,4,4\nE,x,5\nF,6,6\n")
    #expect(names(try take(&replay, 1)) == ["C3"])
    #expect(names(try take(&replay)) == ["D4", "F6"])
    #expect(names(try take(&replay)) == nil)
    pipe.send("\n\nG,7,7\n\"")
    #expect(names(try take(&replay)) == ["G7"])
    pipe.send("H\",8,8")
    pipe.close()
    // The last line ends with the pipe.
    #expect(names(try take(&replay)) == ["H8"])
    #expect(names(try take(&replay)) == [])
    #expect(replay.counts == ReplayCounts(events: 7, outside: 0, malformed: 1))
  }

  @Test func `JSON lines and raw captures are handed out as they come`() throws {
    let pipe = Pipe()
    pipe.send("{\"symbol\":\"A\",\"price\":1,\"time\":1}\n{\"price\":2,\"symbol\":\"B\",\"time\":1}\n{\"sym")
    var rows = try Replay<Trade>([ReplayInput(path: pipe.path)], options { $0.time.format = .seconds })
    #expect(names(try take(&rows)) == ["A1", "B2"])
    #expect(names(try take(&rows)) == nil)
    pipe.send("bol\":\"C\",\"price\":3,\"time\":1}\n")
    #expect(names(try take(&rows)) == ["C3"])

    let other = Pipe()
    other.send("1 {}\n")
    var raw = try Replay<RawMessage>([ReplayInput(path: other.path)], options { $0.format = .raw })
    #expect(try take(&raw)?.map(\.text) == ["{}"])
    #expect(try take(&raw) == nil)
    other.send("2 []\n3")
    #expect(try take(&raw)?.map(\.text) == ["[]"])
    other.close()
    #expect(try take(&raw)?.map(\.text) == [])
    #expect(raw.counts.malformed == 1)
  }

  @Test func `a record of several lines is waited for to its end, and what comes before it is not`() throws {
    let pipe = Pipe()
    pipe.send("symbol,price,time,note\nA,1,1,\nB,2,2,\"two\n")
    var replay = try Replay<Trade>([ReplayInput(path: pipe.path)], options { $0.time.format = .seconds })
    #expect(names(try take(&replay)) == ["A1"])
    pipe.send("lines\"\nC,3,3,\n")
    var events: [Trade] = []
    #expect(try replay.next(limit: 9, into: { events.append($0) }, noted: { _ in .skip }) == 2)
    #expect(names(events) == ["B2", "C3"])
    #expect(try take(&replay) == nil)
  }

  @Test func `a line above the limit does not keep what comes before it`() throws {
    let pipe = Pipe()
    pipe.send("symbol,price,time\nA,1,1\n" + String(repeating: "x", count: 300))
    var replay = try Replay<Trade>([ReplayInput(path: pipe.path)], options { $0.lineLimit = 100 })
    #expect(names(try take(&replay)) == ["A1"])
    pipe.send("\nB,2,2\n")
    var events: [Trade] = []
    #expect(try replay.next(limit: 9, into: { events.append($0) }, noted: { _ in .skip }) == 1)
    #expect(names(events) == ["B2"] && replay.counts.malformed == 1)
  }

  @Test func `of gzip whatever has been flushed is handed out`() throws {
    let pipe = Pipe()
    let stream = GzipStream()
    func pack(_ text: String, _ flush: Int32) -> [UInt8] { stream.pack(Array(text.utf8), flush) }
    pipe.send(pack("symbol,price,time\nA,1,1\nB,2", Z_SYNC_FLUSH))
    var replay = try Replay<Trade>([ReplayInput(path: pipe.path)], options { $0.time.format = .seconds })
    #expect(names(try take(&replay)) == ["A1"])
    let rest = pack(",2\nC,3,3\n", Z_SYNC_FLUSH)
    for byte in rest.dropLast() { pipe.send([byte]) }
    // The last byte of the flushed data is the end of an empty block.
    #expect(names(try take(&replay)) == ["B2", "C3"])
    #expect(try take(&replay) == nil)
    pipe.send([rest[rest.count - 1]] + pack("D,4,4\n", Z_FINISH) + gzip(Array("E,5,5\n".utf8)))
    #expect(names(try take(&replay)) == ["D4", "E5"])
    #expect(try take(&replay) == nil)
    pipe.close()
    #expect(names(try take(&replay)) == [])
  }

  @Test func `pipes merge with files by time, handing out what can be told`() throws {
    let pipe = Pipe()
    pipe.send("symbol,price,time\nP,1,1\nP,5,5\n")
    let file = ReplayInput(name: "f", contents: .bytes(Array("symbol,price,time\nF,0,0\nF,4,4\nF,6,6\nF,9,9\n".utf8)))
    var replay = try Replay<Trade>([file, ReplayInput(path: pipe.path)], options { $0.time.format = .seconds })
    // The file's event at 6 may have to wait for an event of the pipe.
    #expect(names(try take(&replay)) == ["F0", "P1", "F4", "P5"])
    #expect(try take(&replay) == nil)
    pipe.send("P,7,7\n")
    #expect(names(try take(&replay)) == ["F6", "P7"])
    #expect(try take(&replay) == nil)
    pipe.close()
    #expect(names(try take(&replay)) == ["F9"])
    #expect(names(try take(&replay)) == [])
  }

  @Test func `any way of cutting what is sent gives the same events`() throws {
    let text = "symbol,price,time,note\n" + (0..<60).map { "S\($0 % 5),\($0),\($0),\($0 % 7 == 0 ? "\"a\n\"\"b\"" : "n")\n" }.joined()
    let whole = run(text).events
    for size in [1, 2, 3, 5, 17, 64] {
      let pipe = Pipe()
      var rest = Array(text.utf8)[...]
      func send() {
        pipe.send(Array(rest.prefix(size)))
        rest = rest.dropFirst(size)
      }
      // The header and the first record, with no event before it.
      pipe.send(Array(rest.prefix(40)))
      rest = rest.dropFirst(40)
      var replay = try Replay<Trade>([ReplayInput(path: pipe.path)], options { $0.blockSize = 16 })
      var events: [Trade] = []
      while true {
        if replay.mustWait {
          if rest.isEmpty { pipe.close() } else { send() }
          continue
        }
        // A record of several lines that is not complete is waited for if there is no event before it, so the rest must have been sent.
        if !rest.isEmpty, replay.counts.events % 7 == 0 { for _ in 0..<20 { send() } }
        guard let run = try take(&replay, 1), !run.isEmpty else { break }
        events += run
      }
      #expect(events == whole, "\(size)")
    }
  }

  @Test func `waiting for a line ends when it is halted, also before the first`() throws {
    for sent in ["", "symbol,price,time\nA,1,1\nB,"] {
      let pipe = Pipe()
      pipe.send(sent)
      let halt = Halt()
      if sent.isEmpty { halt.halt() }
      #expect {
        var replay = try Replay<Trade>([ReplayInput(path: pipe.path, until: halt)], options { $0.time.format = .seconds })
        #expect(names(try take(&replay)) == ["A1"])
        halt.halt()
        _ = try take(&replay)
      } throws: { ($0 as? ReplayError)?.code == .halted }
    }
  }

  @Test func `one pipe has one reader`() throws {
    let pipe = Pipe()
    let first = try InputDescriptor(pipe.path, halt: Halt())
    #expect(first.isLive && first.size == nil)
    #expect(throws: InputDescriptor.Failure.taken) { try InputDescriptor(pipe.path, halt: Halt()) }
    let outcome: Outcome<Trade> = run([ReplayInput(path: pipe.path)])
    #expect(
      outcome.error?.description
        == "\(pipe.path): cannot be opened: it has a reader already, and two readers would each get only a part")
    // Two readers of /dev/null are allowed.
    let nothing = try (InputDescriptor("/dev/null", halt: Halt()), InputDescriptor("/dev/null", halt: Halt()))
    #expect(nothing.0.isLive && nothing.1.isReady)
  }

  @Test func `a stop ends a run that waits for the writer of a pipe`() async throws {
    let folder = TemporaryFolder()
    mkfifo(folder.file("pipe"), 0o600)
    let running = try PluginHarness().start(Plugin.fileReplay, options: "path: \(folder.file("pipe"))", emitting: Trade.self)
    try await running.stop()
    #expect(running.output.isEmpty)
  }

  @Test func `a stop ends a run that waits for the next line of a pipe`() async throws {
    for speed in ["max", "1x"] {
      let pipe = Pipe()
      pipe.send("symbol,price,time\nA,1,1\nB,2")
      let running = try PluginHarness().start(
        Plugin.fileReplay, options: "{ path: \(pipe.path), speed: \(speed), time: s }", emitting: Trade.self)
      #expect(names(await running.output(count: 1)) == ["A1"])
      try await running.stop()
      #expect(names(running.output) == ["A1"])
    }
  }

  @Test func `what can be read once is not asked for twice`() async throws {
    func problems(_ options: String) -> [String] {
      do {
        _ = try PipelineHarness(
          """
          sources: { live: { plugin: file_replay, \(options) } }
          sinks: { end: { plugin: probe, inputs: [live] } }
          """, plugins: [.fileReplay, .probe])
        return []
      } catch { return error.sorted.map { "\($0.mark.column) \($0.message)" } }
    }
    #expect(problems("path: '-'") == [])
    #expect(problems("path: ['-', a, '-']") == ["56 source 'live': 'path': standard input ('-') can be read only once"])
    #expect(problems("path: '-', loops: 2") == ["52 source 'live': 'loops': standard input ('-') can be read only once"])
    let pipe = Pipe()
    let harness = try PipelineHarness(
      """
      sources: { live: { plugin: file_replay, path: \(pipe.path), loops: endless } }
      sinks: { end: { plugin: probe, inputs: [live] } }
      """, plugins: [.fileReplay, .probe])
    let report = await harness.run()
    #expect(report.exitStatus == 1)
    #expect(
      harness.log.texts(.error).contains { $0.contains("\(pipe.path): is not a regular file and can be read once: leave out 'loops'") })
  }
}
