import Programs
import StockbusTestKit
import Testing

/// Trades of A with the sizes 1 to `count`; `bad` has another symbol.
func trades(_ count: Int, bad: Int? = nil) -> [Trade] {
  (1...count).map { number in
    var trade = Trade.schema.example
    trade.symbol = number == bad ? "BAD" : "A"
    trade.size = Quantity(raw: Int64(number) * 1_000_000_000)
    trade.sizeDecimals = 0
    return trade
  }
}

/// Components that are programs: what they are given, what comes back, and how they end.
@Suite(.timeLimit(.minutes(15))) struct ProgramTests {
  private let scripts = Scripts()
  private let harness = PluginHarness()

  private func output(_ script: String, _ more: String = "", of events: [Trade]) async throws -> [Trade] {
    try await harness.output(of: Plugin.programProcessor, options: scripts.options(script, more), inputs: [events])
  }

  /// The error that a program causes.
  private func failure(_ script: String, _ more: String = "", of events: [Trade] = trades(3)) async -> String {
    do {
      _ = try await output(script, more, of: events)
      return "none"
    } catch { return "\(error)" }
  }

  @Test func `events go through a program unchanged and in order`() async throws {
    let events = trades(2500)
    #expect(try await output(scripts.program(), of: events) == events)
  }

  @Test func `a program gets its options as they are written, its seed, and hello with its part`() async throws {
    let script = scripts.program(hello: #"say "$line" >&2; say '{"hello":1}'"#, ready: #"say "$line" >&2; say '{"ready":true}'"#)
    let options = """
      options: { below: 100.50, name: "7", list: [a, true, null, -1e3], deep: { x: 010 } }
      """
    _ = try await output(script, options, of: trades(1))
    let lines = harness.log.texts(.notice)
    #expect(lines.count == 2)
    #expect(
      lines.first
        == #"notice plugin: {"hello":1,"component":"plugin","kind":"processor","takes":"trade","emits":"trade","framings":["lines","binary"]}"#
    )
    let start = #"notice plugin: {"start":{"below":100.50,"name":"7","list":["a",true,null,-1e3],"deep":{"x":"010"}},"seed":"#
    #expect(lines.last?.hasPrefix(start) == true, "\(lines)")
  }

  @Test func `a program says how many events it has left out`() async throws {
    let script = scripts.program(events: #"say '{"events":[]}'; say "{\"done\":$n,\"filtered\":$n}""#)
    let running: RunningPlugin<Trade> = try harness.start(
      Plugin.programProcessor, options: scripts.options(script), taking: Trade.self, emitting: Trade.self)
    try await running.send(trades(40))
    await running.delivered()
    #expect(running.counts.map(\.filtered) == [40])
    try await running.stop()
    #expect(running.output.isEmpty)
  }

  @Test func `what a program holds back comes when it drains`() async throws {
    let script = scripts.program(
      events: #"held=${line%,\"last\"*}; say "{\"done\":$n,\"filtered\":$n}""#, drain: #"say "$held}"; say '{"drained":true}'"#)
    #expect(try await output(script, of: trades(3)) == trades(3))
  }

  @Test(arguments: [
    ("exit 3", "the program ended with status 3"),
    ("echo 'no money' >&2; exit 1", "the program ended with status 1: no money"),
    ("kill -9 $$", "the program ended by signal 9"),
    (#"say '{"failed":"no model"}'"#, "the program has failed: no model"),
    ("say nonsense", "the program sends an invalid message: byte 1: a value is expected, in 'nonsense'"),
    ("say '[1]'", "the program sends an invalid message: '[1]'"),
    (#"say '{"dnoe":1}'"#, "the program sends an unknown message: 'dnoe'"),
    (#"say '{"done":4}'"#, "the program reports event 4 as done; 3 events were sent to it, and 0 were done before"),
    (#"say '{"done":2}'; say '{"done":1}'"#, "the program reports event 1 as done; 3 events were sent to it, and 2 were done before"),
    (#"say '{"done":-1}'"#, "the program reports event -1 as done; 3 events were sent to it, and 0 were done before"),
    (#"say '{"done":3,"filtered":4}'"#, "the program reports 4 of 3 events as filtered"),
    (#"say '{"ready":true}'"#, "the program sends 'ready', which was not requested"),
    (#"say '{"lost":4,"reason":"x"}'"#, "the program reports 4 events as lost; 3 were sent to it"),
    (
      #"say '{"lost":2,"reason":"x"}'; say '{"lost":2,"reason":"x"}'"#,
      "the program reports 2 events as lost and 2 before; 3 were sent to it"
    ),
    (
      #"say '{"events":[{"symbol":"A","price":1e3'"#,
      "the program sends a bad trade: 'price': a number with an exponent; write all its digits"
    ),
    (#"say '{"events":[{"symbol":"A"}]}'"#, "the program sends a bad trade: 'price': missing at byte 25, in "),
    (
      #"say '{"events":[{"symbol":"A","prise":1}]}'"#,
      "the program sends a bad trade: 'prise': no such field at byte 26; a trade has symbol, price, size, side, time, received, condition, in "
    ),
    (#"say '{"events":[{}'"#, "the program sends a bad trade"),
    (#"say "{\"done\":$n,\"state\":\"$(head -c 70000 /dev/zero | tr '\0' x)\"}""#, "the program sends a state of more than 64 KiB"),
    (#"head -c 1100000 /dev/zero | tr '\0' x; sleep 1000"#, "the program sends a message of more than 1 MiB"),
  ])
  func `a program that breaks off, or breaks the rules, is ended with the reason`(_ what: (does: String, error: String)) async {
    let error = await failure(scripts.program(events: what.does))
    #expect(error.hasPrefix(what.error) || error == what.error, "\(error)")
  }

  @Test(arguments: [
    ("hello: say '{\"hello\":2}'", "the program needs version 2 of the protocol; this stockbus supports 1"),
    ("hello: say '{\"hello\":true}'", "the program sends hello without the version of the protocol"),
    ("hello: say '{\"hello\":1,\"takes\":[\"quote\"]}'", "the program takes 'quote', and its input is trade"),
    ("hello: say '{\"hello\":1,\"emits\":\"bar\"}'", "the program emits 'bar', and its output is trade; write 'emits: bar'"),
    ("hello: say '{\"ready\":true}'", "the program does not begin with hello"),
    ("hello: say '{\"events\":[]}'", "the program sends events where none are expected"),
    ("ready: say '{\"failed\":\"no such model\"}'", "the program has failed: no such model"),
    ("ready: exit 0", "the program ended with status 0"),
  ])
  func `a program that does not fit, or does not start, says why`(_ what: (does: String, error: String)) async {
    let words = what.does.split(separator: ": ", maxSplits: 1).map(String.init)
    let script = words[0] == "hello" ? scripts.program(hello: words[1]) : scripts.program(ready: words[1])
    #expect(await failure(script) == what.error)
  }

  @Test func `the program is named as a file, so that a configuration is checked for it`() {
    let file = [FileUse.running("awk", at: "run", item: 0)]
    var sink = ProgramSettings()
    sink.run = ["awk", "{ print }"]
    var (processor, source) = (ProgramProcessorSettings(), ProgramSourceSettings())
    (processor.program, source.program) = (sink, sink)
    #expect(sink.files == file && processor.files == file && source.files == file)
  }

  @Test(arguments: ["no_such_program", "/etc/passwd", "/"])
  func `what is no program is a permanent failure`(_ name: String) async {
    do {
      let _: [Trade] = try await harness.output(of: Plugin.programProcessor, options: "run: \(name)", inputs: [trades(1)])
      Issue.record("\(name) runs")
    } catch {
      #expect("\(error)" == "there is no program '\(name)'")
      #expect((error as? any EnvironmentError)?.isPermanent == true)
    }
  }

  @Test func `a program that does not answer is killed when its time is over`() async throws {
    let script = scripts.program(events: "echo begun >&2; sleep 1000")
    async let error = failure(script, "timeout: 30s")
    await harness.log.wait(for: "begun")
    harness.clock.advance(by: .seconds(30))
    #expect(await error == "the program has not answered for 30s")
  }

  /// Runs `body`, and lets the time of the program pass once it has written the file `closed`.
  private func late<Result: Sendable>(_ body: () async throws -> Result) async rethrows -> Result {
    let (clock, folder) = (harness.clock, scripts.folder)
    let hand = Task {
      while folder.content("closed") != "yes\n" { await Task.yield() }
      clock.advance(by: .seconds(30))
    }
    defer { hand.cancel() }
    return try await body()
  }

  /// Goes on when its input has ended.
  private func staying(_ script: String) -> String { script + "\necho yes > \(scripts.folder.file("closed")); exec sleep 1000" }

  private static let stays = "the program has not ended within 30s since its input ended, and was killed"

  @Test func `a processor's program that stays when its input has ended is killed, and that is a failure`() async throws {
    let running: RunningPlugin<Trade> = try harness.start(
      Plugin.programProcessor, options: scripts.options(staying(scripts.program()), "timeout: 30s"), taking: Trade.self,
      emitting: Trade.self)
    try await running.send(trades(3))
    await #expect { try await late { try await running.stop() } } throws: { "\($0)" == Self.stays }
    // What it has sent is published all the same.
    #expect(running.output == trades(3))
  }

  @Test func `a sink's program that stays when its input has ended is killed, and that is a failure`() async throws {
    let script = staying(scripts.program(events: Scripts.taking))
    await #expect {
      try await late {
        try await harness.consume([trades(3)], by: Plugin.programSink, options: scripts.options(script, "timeout: 30s"))
      }
    } throws: { "\($0)" == Self.stays }
  }

  @Test func `a source's program that stays when it has ended is killed, and not started again`() async throws {
    let script = staying(scripts.program(ready: #"say '{"ready":true}'; say '{"ended":true}'"#))
    do {
      let _: [Trade] = try await late {
        try await harness.first(10, of: Plugin.programSource, options: scripts.options(script, "timeout: 30s"))
      }
      Issue.record("nothing is wrong")
    } catch {
      #expect("\(error)" == Self.stays)
      #expect((error as? any EnvironmentError)?.isPermanent == true)
    }
  }

  @Test func `lines of standard error are no answer, and its end is none either`() async throws {
    let script = scripts.program(events: "echo begun >&2; while :; do echo more >&2; done")
    async let error = failure(script, "timeout: 30s")
    await harness.log.wait(for: "begun")
    harness.clock.advance(by: .seconds(30))
    #expect(await error == "the program has not answered for 30s")
    #expect(try await output(scripts.program(before: "exec 2>&-"), of: trades(100)) == trades(100))
  }

  @Test func `a program gets few variables and no open files`() async throws {
    let script = scripts.program(ready: #"env | sort >&2; ls /proc/self/fd >&2; say '{"ready":true}'"#)
    _ = try await output(script, "environment: { TOKEN: secret }", of: trades(1))
    let names = harness.log.texts(.notice).compactMap { line in
      line.split(separator: "=", maxSplits: 1).first.map { String($0.dropFirst("notice plugin: ".count)) }
    }
    #expect(names.contains("TOKEN") && names.contains("PATH"))
    let allowed: Set = ["PATH", "HOME", "LANG", "LC_ALL", "TZ", "TOKEN", "STOCKBUS_PROGRAM", "PWD", "OLDPWD", "SHLVL", "_"]
    #expect(names.filter { !allowed.contains($0) && Int($0) == nil }.isEmpty)
    #if os(Linux)
    // The fourth is the folder that `ls` reads.
    #expect(names.filter { Int($0) != nil } == ["0", "1", "2", "3"])
    #endif
  }

  @Test func `the system limits what a program may use`() async throws {
    let script = scripts.program(ready: #"say "$(ulimit -n) $(ulimit -t) $(ulimit -v)" >&2; say '{"ready":true}'"#)
    _ = try await output(script, "limits: { files: 32, cpu: 90s, memory: 512MiB }", of: trades(1))
    #expect(harness.log.texts(.notice) == ["notice plugin: 32 90 524288"])
  }

  @Test func `lines of a program are logged, a flood of them in part`() async throws {
    let script = scripts.program(
      ready: #"""
        say '{"log":"said","level":"warning"}'; say '{"log":"low"}'
        i=0; while [ $i -lt 5000 ]; do echo "line $i" >&2; i=$((i+1)); done
        say '{"ready":true}'
        """#)
    _ = try await output(script, of: trades(1))
    let lines = harness.log.lines.map(\.message)
    #expect(lines.contains("said") && lines.contains("low") && lines.contains("line 10"))
    #expect(harness.log.texts(.warning) == ["warning plugin: said"])
    #expect(lines.contains { $0.hasSuffix("more lines of the program omitted") }, "\(lines.suffix(3))")
    #expect(lines.count < 150)
  }

  @Test func `trouble and what it sets aside are a component's`() async throws {
    let script = scripts.program(ready: #"say '{"reject":"x,y","origin":"file:3","reason":"no price"}'; say '{"ready":true}'"#)
    _ = try await output(script, of: trades(1))
    #expect(harness.deadLetters.map(\.reason) == ["no price"])
    #expect(harness.deadLetters.map(\.origin) == ["file:3"])
    #expect(harness.deadLetters.map(\.payload) == ["x,y"])
  }

  @Test func `commands are passed on, and answered`() async throws {
    let script = scripts.program(
      cases: #"*'"raise A 1"'*) say '{"reply":"A is up"}' ;; '{"command"'*) say '{"refused":"no such word"}' ;;"#)
    let running: RunningPlugin<Trade> = try harness.start(
      Plugin.programProcessor, options: scripts.options(script), taking: Trade.self, emitting: Trade.self)
    #expect(try await running.perform("send raise A 1") == "A is up")
    await #expect { try await running.perform("send jump") } throws: { "\($0)" == "no such word" }
    await #expect { try await running.perform("send") } throws: { "\($0)" == "send needs a command for the program" }
    try await running.send(trades(3))
    #expect(await running.output(count: 3) == trades(3))
    try await running.stop()
  }

  @Test func `a sink's program gets everything`() async throws {
    let script = scripts.program(events: #"say "$line" >> "\#(scripts.folder.file("got"))"; say "{\"done\":$n}""#)
    try await harness.consume([trades(3)], by: Plugin.programSink, options: scripts.options(script))
    let events = trades(3).map { Trade.schema.json($0) }.joined(separator: ",")
    #expect(scripts.folder.content("got") == #"{"events":[\#(events)],"last":3}"# + "\n")
  }

  @Test func `a processor's output may be of another type`() async throws {
    let quote = Quote.schema.json(Quote.schema.example)
    let script = scripts.program(events: #"say '{"events":[\#(quote)]}'; say "{\"done\":$n}""#)
    let quotes: [Quote] = try await harness.output(
      of: Plugin.programProcessor, options: scripts.options(script, "emits: quote"), inputs: [trades(1)])
    #expect(quotes == [Quote.schema.example])
  }
}
