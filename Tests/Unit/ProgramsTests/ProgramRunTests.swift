import Programs
import StockbusPlugin
import StockbusRuntime
import StockbusTestKit
import Synchronization
import Testing

/// Counts from 1, and keeps what comes.
private actor Numbers: Source {
  struct Settings: Options {
    @Setting("How many.") var count = 300
    @Setting("The bad one.") var bad: Int?
    init() {}
  }
  private let settings: Settings
  init(_ settings: Settings, _: Context) { self.settings = settings }

  func run(into output: inout Outlet<Trade>) async throws {
    for trade in trades(settings.count, bad: settings.bad) { try await output.publish(trade) }
  }
}

private actor Kept: Sink {
  @TaskLocal static var current = Mutexed()
  final class Mutexed: Sendable {
    let sizes = Mutex<[Int]>([])
  }
  private let kept = current
  init(_: NoOptions, _: Context) {}
  func receive(_ events: Span<Trade>) {
    kept.sizes.withLock { sizes in for i in events.indices { sizes.append(Int(events[i].size.raw / 1_000_000_000)) } }
  }
}

private actor Letters: Sink {
  @TaskLocal static var current = Mutexed()
  final class Mutexed: Sendable {
    let reasons = Mutex<[String]>([])
  }
  private let kept = current
  init(_: NoOptions, _: Context) {}
  func receive(_ events: Span<DeadLetter>) {
    kept.reasons.withLock { reasons in for i in events.indices { reasons.append(events[i].reason) } }
  }
}

/// Programs in a run: restarts, dead letters, state, and the ledger.
@Suite(.timeLimit(.minutes(15))) struct ProgramRunTests {
  private let scripts = Scripts()
  private let plugins: [Plugin] = [
    .programProcessor, .programSource, .programSink, Plugin("numbers", "Counts.", .source(Numbers.self)),
    Plugin("kept", "Keeps.", .sink(Kept.self)), Plugin("letters", "Keeps.", .sink(Letters.self)),
  ]

  private func run(_ text: String) async throws -> (sizes: [Int], reasons: [String], harness: PipelineHarness, status: Int32) {
    let (kept, letters) = (Kept.Mutexed(), Letters.Mutexed())
    return try await Kept.$current.withValue(kept) {
      try await Letters.$current.withValue(letters) {
        let harness = try PipelineHarness(text, plugins: plugins)
        let report = await runThroughPauses(harness)
        return (kept.sizes.withLock { $0 }, letters.reasons.withLock { $0 }, harness, report.exitStatus)
      }
    }
  }

  /// Time advances only where a component waits for its next attempt, which is at most a millisecond: programs work in real time.
  private func runThroughPauses(_ harness: PipelineHarness) async -> RunReport {
    let clock = harness.clock
    let hand = Task {
      while !Task.isCancelled {
        if let next = clock.deadlines.first, next - clock.uptime <= .milliseconds(1) { clock.advance(by: max(.zero, next - clock.uptime)) }
        await Task.yield()
      }
    }
    defer { hand.cancel() }
    return await harness.run()
  }

  private func indented(_ options: String) -> String { options.split(separator: "\n").map { "    \($0)" }.joined(separator: "\n") }

  @Test func `an event that kills the program is a dead letter, and all others come once and in order`() async throws {
    let script = scripts.program(events: #"case $line in *BAD*) echo 'cannot do that' >&2; exit 9 ;; esac; \#(Scripts.passing)"#)
    let (sizes, reasons, harness, status) = try await run(
      """
      sources: { ticks: { plugin: numbers, bad: 77 } }
      processors:
        worker:
          plugin: program_processor
          inputs: [ticks]
          supervision: { backoff: 1ms, max_backoff: 1ms }
      \(indented(scripts.options(script)))
      sinks: { out: { plugin: kept, inputs: [worker] }, dead: { plugin: letters, inputs: [dead_letters] } }
      """)
    #expect(sizes == Array(1...300).filter { $0 != 77 })
    #expect(reasons == ["the program ended with status 9: cannot do that"])
    #expect(status == 0, "\(harness.log.lines.suffix(5))")
  }

  @Test func `a program continues with the state that belongs to what was published`() async throws {
    // It counts events, and dies at its third message in each life; the count is in its state.
    let script = scripts.program(
      ready: #"c=0; case $line in *'"state":'*) c=${line##*\"state\":}; c=${c%\}} ;; esac; m=0; b=$c; say '{"ready":true}'"#,
      events: #"m=$((m+1)); if [ $m -gt 2 ]; then exit 1; fi; c=$((b+n)); say "${line%,\"last\"*}}"; say "{\"done\":$n,\"state\":$c}""#,
      drain: #"echo "counted $c" >&2; say '{"drained":true}'"#)
    let (sizes, reasons, harness, status) = try await run(
      """
      sources: { ticks: { plugin: numbers, count: 128 } }
      processors:
        worker:
          plugin: program_processor
          inputs: [ticks]
          supervision: { restarts: 500, backoff: 1ms, max_backoff: 1ms }
      \(indented(scripts.options(script)))
      sinks: { out: { plugin: kept, inputs: [worker] }, dead: { plugin: letters, inputs: [dead_letters] } }
      """)
    // Events that come one at a time after a failure may fail alone: their program dies too.
    #expect(sizes.count + reasons.count == 128)
    #expect(Set(sizes).count == sizes.count && sizes == sizes.sorted())
    #expect(harness.log.lines.contains { $0.message == "counted \(sizes.count)" }, "\(sizes.count) \(harness.log.lines.suffix(5))")
    #expect(status == 0)
  }

  @Test func `a source that commits publishes each event once, however often it dies`() async throws {
    // Sends four numbers from its state on, commits two of them, and dies; until 21.
    let script = scripts.program(
      hello: #"say '{"hello":1,"commits":true}'"#,
      ready: #"""
        s=1; case $line in *'"state":'*) s=${line##*\"state\":}; s=${s%\}} ;; esac; say '{"ready":true}'
        if [ $s -gt 20 ]; then say '{"ended":true}'; continue; fi
        for i in $s $((s+1)); do say "{\"events\":[$(sed "s/\"size\":[0-9.]*/\"size\":$i/" "$0.json")]}"; done
        say "{\"commit\":true,\"state\":$((s+2))}"
        for i in $((s+2)) $((s+3)); do say "{\"events\":[$(sed "s/\"size\":[0-9.]*/\"size\":$i/" "$0.json")]}"; done
        exit 1
        """#)
    scripts.folder.put(Trade.schema.json(trades(1)[0]), in: "program.sh.json")
    let (sizes, _, harness, status) = try await run(
      """
      sources:
        ticks:
          plugin: program_source
          supervision: { restarts: 5, backoff: 1ms, max_backoff: 1ms }
      \(indented(scripts.options(script)))
      sinks: { out: { plugin: kept, inputs: [ticks] } }
      """)
    #expect(sizes == Array(1...20), "\(harness.log.lines.suffix(5))")
    #expect(status == 0)
  }

  @Test func `a stop ends a source's program, and everything is accounted for`() async throws {
    let script = scripts.program(
      ready: #"say '{"ready":true}'; say "{\"events\":[$(cat "$0.json")]}""#, cases: #"'{"stop"'*) say '{"ended":true}' ;;"#)
    scripts.folder.put(Trade.schema.json(trades(1)[0]), in: "program.sh.json")
    let kept = Kept.Mutexed()
    try await Kept.$current.withValue(kept) {
      let harness = try PipelineHarness(
        """
        sources:
          ticks:
            plugin: program_source
        \(indented(scripts.options(script)))
        sinks: { out: { plugin: kept, inputs: [ticks] } }
        """, plugins: plugins)
      async let report = harness.run()
      while kept.sizes.withLock({ $0.isEmpty }) { await Task.yield() }
      harness.pipeline.stop()
      let end = await report
      #expect(end.exitStatus == 0 && end.events == 1)
    }
  }
}
