import EventBus
import Programs
import TestSupport
import StockbusTestKit
import Testing

@testable import struct Programs.SentEvents

/// Programs that know nothing of stockbus: an event is a line, and nothing is acknowledged.
@Suite(.timeLimit(.minutes(15))) struct PlainLinesTests {
  private let scripts = Scripts()
  private let harness = PluginHarness()

  private func options(_ script: String, _ more: String = "") -> String { scripts.options(script, "protocol: lines\n" + more) }

  private func output(_ script: String, _ more: String = "", of events: [Trade]) async throws -> [Trade] {
    try await harness.output(of: Plugin.programProcessor, options: options(script, more), inputs: [events])
  }

  @Test(arguments: ["json", "csv"])
  func `events go through a program unchanged and in order`(_ format: String) async throws {
    let events = trades(20_000)
    #expect(try await output("exec cat", "format: \(format)", of: events) == events)
  }

  @Test func `a filter passes some lines, and its output may come when it ends`() async throws {
    // awk holds its output back until its input ends.
    #expect(try await output("exec awk -F, '$3 < 3'", "format: csv", of: trades(9)) == trades(2))
    #expect(try await output("exec grep BAD", of: trades(500, bad: 7)) == [trades(7, bad: 7)[6]])
    #expect(harness.lost == 0)
  }

  @Test func `what is no event is a dead letter with the line, and the others are published`() async throws {
    #expect(try await output("exec sed 's/^A,189.25,2,.*/what?/'", "format: csv", of: trades(3)) == [trades(3)[0], trades(3)[2]])
    #expect(harness.deadLetters.map(\.payload) == ["what?"])
    #expect(harness.deadLetters.map(\.origin) == ["the program's line 2"])
    let more = #"{"symbol":"A","price":1,"size":2,"side":"buy","time":1,"received":2,"fee":3}"#
    #expect(try await output("cat > /dev/null; echo '\(more)'", of: trades(1)) == [])
    #expect(
      harness.deadLetters.last?.reason
        == "bad trade: 'fee': no such field at byte 69; a trade has symbol, price, size, side, time, received, condition")
  }

  @Test func `a program that dies is an error, and what it was given and has not sent is counted as lost`() async throws {
    let running: RunningPlugin<Trade> = try harness.start(
      Plugin.programProcessor, options: options("head -n 5; kill -9 $$"), taking: Trade.self, emitting: Trade.self)
    try await running.send(trades(9))
    #expect(await running.output(count: 5) == trades(5))
    await #expect { try await running.stop() } throws: { "\($0)" == "the program ended by signal 9" }
    #expect(harness.log.texts(.error) == ["error plugin: 4 events lost: at most; the program was given 9 and sent 5 lines"])
  }

  @Test func `a program that ends before its input is an error`() async {
    do {
      _ = try await output("exec head -n 2", of: trades(50_000))
      Issue.record("nothing is wrong")
    } catch { #expect("\(error)".hasPrefix("the program ended "), "\(error)") }
    let lost = harness.log.lines.map(\.message).filter { $0.contains("events lost") }
    #expect(lost.count == 1 && lost[0].contains("events lost: at most; the program was given"), "\(lost)")
  }

  @Test func `a program that reads nothing is killed when its time is over`() async throws {
    async let failure: String = {
      do {
        _ = try await output("echo begun >&2; exec sleep 1000", "timeout: 30s", of: trades(100_000))
        return "none"
      } catch { return "\(error)" }
    }()
    await harness.log.wait(for: "begun")
    let clock = harness.clock
    let hand = Task {
      while !Task.isCancelled {
        if let next = clock.deadlines.first { clock.advance(by: max(.zero, next - clock.uptime)) }
        await Task.yield()
      }
    }
    #expect(await failure == "the program has read nothing for 30s")
    hand.cancel()
  }

  @Test func `a source's lines are events until it ends`() async throws {
    let lines = trades(3).map { Trade.schema.json($0) }.joined(separator: "\n")
    scripts.folder.put(lines, in: "lines")
    let events: [Trade] = try await harness.first(
      10, of: Plugin.programSource, options: options("cat \(scripts.folder.file("lines"))"))
    #expect(events == trades(3))
    await #expect {
      let _: [Trade] = try await harness.first(10, of: Plugin.programSource, options: options("echo 'no line' >&2; exit 4"))
    } throws: { "\($0)" == "the program ended with status 4: no line" }
  }

  @Test(arguments: [
    ("exec <&-", "the program has closed its input or output without ending, and was killed"),
    ("exit 4", "the program ended with status 4"),
  ])
  func `a program that takes no more is an error, whether it has ended or not`(_ what: (does: String, error: String)) async {
    await #expect {
      try await harness.consume([trades(50_000)], by: Plugin.programSink, options: options("\(what.does); exec sleep 1000"))
    } throws: { "\($0)" == what.error }
  }

  @Test func `a program has ended when it has, though what it has started holds its output`() async throws {
    try await harness.consume([trades(300)], by: Plugin.programSink, options: options("sleep 1000 & exec cat >/dev/null"))
    #expect(harness.lost == 0)
  }

  @Test func `what a program has started may finish its work`() async throws {
    let file = scripts.folder.file("got")
    let script = "(sleep 0.1; echo done > \(file)) <&- >/dev/null & exec cat >/dev/null"
    try await harness.consume([trades(3)], by: Plugin.programSink, options: options(script))
    #if os(Linux)
    #expect(scripts.folder.content("got") == "done\n")
    #endif
  }

  @Test func `a source that stays when its output has ended is killed, and not started again`() async throws {
    let (clock, folder) = (harness.clock, scripts.folder)
    let hand = Task {
      while folder.content("closed") != "yes\n" { await Task.yield() }
      while !Task.isCancelled {
        clock.advance(by: .seconds(30))
        await Task.yield()
      }
    }
    defer { hand.cancel() }
    do {
      let _: [Trade] = try await harness.first(
        10, of: Plugin.programSource, options: options("exec >&-; echo yes > \(folder.file("closed")); exec sleep 1000", "timeout: 30s"))
      Issue.record("nothing is wrong")
    } catch {
      #expect("\(error)" == "the program has not ended within 30s since its output ended, and was killed")
      #expect((error as? any EnvironmentError)?.isPermanent == true)
    }
  }

  @Test func `a source that does not end by itself is ended by a stop`() async throws {
    scripts.folder.put(Trade.schema.json(trades(1)[0]) + "\n", in: "lines")
    let running: RunningPlugin<Trade> = try harness.start(
      Plugin.programSource, options: options("cat \(scripts.folder.file("lines")); exec sleep 1000"), emitting: Trade.self)
    #expect(await running.output(count: 1) == trades(1))
    await #expect { try await running.perform("send x") } throws: { "\($0)" == "a program of plain lines takes no commands" }
    try await running.stop()
  }

  @Test func `a sink's program gets everything, and what it prints is logged`() async throws {
    let script = "cat > \(scripts.folder.file("got")); echo all there"
    try await harness.consume([trades(300)], by: Plugin.programSink, options: options(script, "format: csv"))
    var expected = ByteWriter()
    for trade in trades(300) {
      Trade.schema.encodeCSV(trade, to: &expected)
      expected.append("\n")
    }
    #expect(scripts.folder.content("got") == expected.string)
    #expect(harness.log.lines.contains { $0.message == "all there" })
  }

  @Test func `a sink's program may close its output, and is still told from one that has ended`() async throws {
    let script = "exec cat > \(scripts.folder.file("got"))"
    try await harness.consume([trades(20_000)], by: Plugin.programSink, options: options(script, "format: csv"))
    #expect(scripts.folder.content("got").split(separator: "\n").count == 20_000)
    #expect(harness.lost == 0)
    await #expect {
      try await harness.consume([trades(50_000)], by: Plugin.programSink, options: options("exec >/dev/null; read line; exit 3"))
    } throws: { "\($0)" == "the program ended with status 3" }
  }

  #if os(Linux)
  @Test(
    arguments: [
      (true, "read -r line; echo \"$line\"", "19 events lost: at most; the program was given 20 and sent 1 lines"),
      (false, "read -r line", "19 events lost: not read by the program"), (false, ":", "20 events lost: not read by the program"),
      (false, "cat > /dev/null", nil),
    ] as [(Bool, String, String?)])
  func `what a program leaves unread when it ends by itself after the end of its input is lost`(
    _ what: (isProcessor: Bool, does: String, lost: String?)
  ) async throws {
    let go = scripts.folder.file("go")
    let script = "\(what.does); until [ -e \(go) ]; do sleep 0.01; done; exit 3"
    let options = options(script, "timeout: 30s")
    func end<E: Event>(_ running: RunningPlugin<E>) async throws {
      try await running.send(trades(20))
      async let end: Void = running.stop()
      // Its input has ended, and its end is waited for.
      await harness.clock.waitForSleeper(until: .seconds(30))
      scripts.folder.put("", in: "go")
      try await end
    }
    if what.isProcessor {
      let running: RunningPlugin<Trade> = try harness.start(
        Plugin.programProcessor, options: options, taking: Trade.self, emitting: Trade.self)
      try await end(running)
    } else {
      try await end(harness.start(Plugin.programSink, options: options, taking: [Trade.self]))
    }
    #expect(harness.log.texts(.error) == (what.lost.map { ["error plugin: \($0)"] } ?? []))
    let finished = what.lost == nil ? ", although it had finished its work" : ""
    #expect(harness.log.texts(.warning) == ["warning plugin: the program ended with status 3\(finished)"])
  }
  #endif

  @Test func `what a sink's program has not read when it is killed after the end of its input is lost`() async {
    let clock = harness.clock
    let hand = Task {
      while !Task.isCancelled {
        clock.advance(by: .seconds(30))
        await Task.yield()
      }
    }
    defer { hand.cancel() }
    await #expect {
      try await harness.consume([trades(100)], by: Plugin.programSink, options: options("exec sleep 1000", "timeout: 30s"))
    } throws: { "\($0)" == "the program has not ended within 30s since its input ended" }
    #expect(harness.lost == 100)
  }

  @Test func `options that do not fit plain lines are told`() async {
    for (options, message) in [
      ("protocol: lines\noptions: { a: 1 }", "'options' need 'protocol: messages'"),
      ("format: csv", "'format' is for 'protocol: lines'"),
    ] {
      do {
        let _: [Trade] = try await harness.output(
          of: Plugin.programProcessor, options: "run: cat\n\(options)", inputs: [trades(1)])
        Issue.record("\(options) is taken")
      } catch { #expect("\(error)".contains(message), "\(error)") }
    }
  }

  @Test func `events beyond a byte are counted as a list of their ends counts them`() {
    var random = SplitMix(4)
    for _ in 0..<50 {
      var (events, ends, at) = (SentEvents(), [Int](), 0)
      for _ in 0..<random.upTo(200) {
        at += 1 + random.upTo(50)
        events.append(endingAt: at)
        ends.append(at)
      }
      let place = random.upTo(at + 10)
      #expect(events.count(beyond: place) == ends.count { $0 > place })
    }
  }
}
