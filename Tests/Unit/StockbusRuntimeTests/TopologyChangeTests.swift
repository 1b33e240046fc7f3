import EventBus
import TestSupport
import StockbusPlugin
import StockbusRuntime
import StockbusTestKit
import Testing

/// Runs that are changed as a whole.
@Suite(.timeLimit(.minutes(15))) struct TopologyChangeTests {
  private func text(_ processors: String, _ sinks: String) -> String { changingText(processors, sinks) }

  private func all(_ count: Int64) -> [Int64] { Array(1...count) }

  private func refusal(_ harness: PipelineHarness, _ text: String) async -> String? {
    do {
      try await harness.apply(text)
      return nil
    } catch { return "\(error)" }
  }

  @Test func `a processor is put between source and sink and taken out again, and nothing is lost, doubled or reordered`() async throws {
    try await journalled { journal in
      let direct = text("", "keep: { plugin: keep, inputs: [numbers] }")
      let through = text("pass: { plugin: pass, inputs: [numbers] }", "keep: { plugin: keep, inputs: [pass] }")
      let harness = try pipeline(direct)
      async let report = harness.run()
      for round in 1...20 {
        await journal.wait(until: "keep", has: round * 100)
        try await harness.apply(round % 2 == 1 ? through : direct)
      }
      await journal.wait(until: "keep", has: 3000)
      harness.pipeline.stop()
      let end = await report
      #expect(journal.received(by: "keep") == all(3000))
      #expect(end.exitStatus == 0)
      #expect(journal.count(of: "keep starts") == 1 && journal.count(of: "numbers starts") == 1)
      #expect(journal.count(of: "pass starts") == 10 && journal.count(of: "pass drains") == 10)
      #expect(end.ledger.total.dropped == 0 && end.ledger.isBalanced)
      let passed = end.ledger.edges.filter { $0.to == "pass" }.reduce(0) { $0 + $1.counts.delivered }
      let direct1 = end.ledger.edges.filter { $0.from == "numbers" && $0.to == "keep" }.reduce(0) { $0 + $1.counts.delivered }
      #expect(passed + direct1 == 3000)
    }
  }

  @Test func `sinks come and go, each with the events of its time`() async throws {
    try await journalled { journal in
      let keep = "keep: { plugin: keep, inputs: [numbers] }"
      // More than there is time for, so that the source is at work all the time.
      func text(_ sinks: String) -> String { changingText("", sinks, count: 100_000_000) }
      let harness = try pipeline(text(keep))
      async let report = harness.run()
      await journal.wait(until: "keep", has: 100)
      try await harness.apply(text(keep + ", more: { plugin: keep, inputs: [numbers] }"))
      await journal.wait(until: "more", has: 500)
      let difference = try await harness.apply(text(keep))
      #expect(difference.ids(.removed) == ["more"] && difference.ids(.kept) == ["numbers", "keep"])
      #expect(journal.count(of: "more drains") == 1)
      let seen = journal.received(by: "more")
      harness.pipeline.stop()
      let end = await report
      #expect(journal.received(by: "more") == seen, "nothing comes after the end")
      #expect(seen == Array(seen[0]...seen[0] + Int64(seen.count) - 1) && seen[0] > 100 - 16)
      let kept = journal.received(by: "keep")
      #expect(kept == all(Int64(kept.count)) && kept.count > seen.count)
      #expect(end.fate("more")?.outcome == .completed)
      #expect(end.exitStatus == 0 && end.ledger.total.dropped == 0)
    }
  }

  @Test func `a new source is read from its first event on, and a source that leaves is read to its last one`() async throws {
    try await journalled { journal in
      let both = """
        sources: { numbers: { plugin: numbers, count: 50, hold: true }, dice: { plugin: dice } }
        sinks: { keep: { plugin: keep, inputs: [numbers] }, thrown: { plugin: keep, inputs: [dice] } }
        """
      let one = """
        sources: { numbers: { plugin: numbers, count: 50, hold: true } }
        sinks: { keep: { plugin: keep, inputs: [numbers] } }
        """
      let other = """
        sources: { dice: { plugin: dice } }
        sinks: { keep: { plugin: keep, inputs: [dice] } }
        """
      let harness = try pipeline(one)
      async let report = harness.run()
      await journal.wait(until: "keep", has: 50)
      try await harness.apply(both)
      await journal.wait(until: "thrown", has: 5)
      try await harness.apply(other)
      await journal.wait(until: "keep", has: 50)
      let end = await report
      #expect(end.exitStatus == 0)
      #expect(end.fate("numbers")?.outcome == .completed && journal.count(of: "numbers stops") == 1)
      #expect(end.ledger.total.dropped == 0 && end.ledger.isBalanced)
    }
  }

  @Test func `a component with another ring goes on where the one before it ended`() async throws {
    try await journalled { journal in
      func pass(_ capacity: Int) -> String {
        text("pass: { plugin: pass, inputs: [numbers], output: { capacity: \(capacity) } }", "keep: { plugin: keep, inputs: [pass] }")
      }
      let harness = try pipeline(pass(8))
      async let report = harness.run()
      for (round, capacity) in [64, 2, 1024, 16].enumerated() {
        await journal.wait(until: "keep", has: 200 * (round + 1))
        try await harness.apply(pass(capacity))
      }
      await journal.wait(until: "keep", has: 3000)
      harness.pipeline.stop()
      let end = await report
      #expect(journal.received(by: "keep") == all(3000))
      #expect(end.exitStatus == 0 && end.ledger.total.dropped == 0)
    }
  }

  @Test func `a component whose input gets other columns is replaced in its place, and misses no event`() async throws {
    try await journalled { journal in
      func text(_ factors: String) -> String {
        changingText(
          "more: { plugin: multiples, inputs: [numbers], factors: \(factors) }", "port: { plugin: port, inputs: [more] }",
          count: 100_000_000)
      }
      let harness = try pipeline(text("[2]"))
      async let report = harness.run()
      await journal.wait(until: "port", has: 1000)
      let difference = try await harness.apply(text("[2, 3]"))
      #expect(difference.ids(.replaced) == ["more", "port"] && difference.ids(.kept) == ["numbers"])
      await journal.wait(until: "port", has: journal.received(by: "port").count + 500)
      harness.pipeline.stop()
      let end = await report
      let seen = journal.received(by: "port")
      // Those between the new instance and the cut have no column that it reads last.
      let second = try #require(seen.firstIndex { $0 < 0 || $0 % 2 == 1 })
      #expect(seen.prefix(second) == all(Int64(second)).map { 2 * $0 }[...] && second >= 1000)
      let third = seen[second...].firstIndex { $0 > 0 } ?? seen.count
      #expect(seen[second..<third].map(-) == Array(Int64(second + 1)..<Int64(third + 1)))
      #expect(seen[third...].elementsEqual((Int64(third + 1)...Int64(seen.count)).map { 3 * $0 }) && third < seen.count)
      #expect(journal.count(of: "opened") == 2 && journal.count(of: "closed") == 2)
      #expect(end.exitStatus == 0 && end.ledger.total.dropped == 0 && end.ledger.isBalanced)
    }
  }

  @Test func `what has come with a change can be changed by the next one`() async throws {
    try await journalled { journal in
      let keep = "keep: { plugin: keep, inputs: [numbers] }"
      let harness = try pipeline(text("", keep))
      async let report = harness.run()
      try await harness.apply(text("", keep + ", more: { plugin: keep, inputs: [numbers] }"))
      let difference = try await harness.apply(text("", keep + ", more: { plugin: keep, inputs: [numbers], poison: [-1] }"))
      #expect(difference.ids(.replaced) == ["more"] && difference.ids(.kept) == ["numbers", "keep"])
      await journal.wait(until: "keep", has: 3000)
      harness.pipeline.stop()
      let end = await report
      #expect(journal.count(of: "more starts") == 2 && end.fate("more")?.lives == 2)
      #expect(end.exitStatus == 0 && end.ledger.total.dropped == 0)
    }
  }

  @Test func `what does not start leaves everything as it was`() async throws {
    try await journalled { journal in
      let before = text("", "keep: { plugin: keep, inputs: [numbers] }")
      let harness = try pipeline(before)
      async let report = harness.run()
      await journal.wait(until: "keep", has: 10)
      let broken = text(
        "pass: { plugin: pass, inputs: [numbers] }",
        "keep: { plugin: keep, inputs: [pass] }, more: { plugin: keep, inputs: [pass], failing_starts: 1000 }")
      #expect(await refusal(harness, broken)?.hasSuffix("no start") == true)
      let changed = text("pass: { plugin: pass, inputs: [numbers] }", "keep: { plugin: keep, inputs: [pass], failing_starts: 1000 }")
      #expect(await refusal(harness, changed)?.hasSuffix("no start") == true)
      #expect(await refusal(harness, before + "\nruntime: { seed: 7 }")?.contains("'runtime'") == true)
      #expect(await refusal(harness, before) == nil)
      await journal.wait(until: "keep", has: 3000)
      harness.pipeline.stop()
      let end = await report
      #expect(journal.received(by: "keep") == all(3000))
      #expect(end.fates.filter { $0.id == "more" }.isEmpty, "it was never part of the run")
      #expect(end.exitStatus == 0)
    }
  }

  @Test func `a source that comes with a refused change has started, but has not run`() async throws {
    try await journalled { journal in
      func text(_ more: String) -> String {
        """
        sources: { numbers: { plugin: numbers, hold: true }, tocks: { plugin: tocks } }
        sinks: { keep: { plugin: keep, inputs: [numbers] }, both: { plugin: keep_both, inputs: [tocks] }\(more) }
        """
      }
      let before = "sources: { numbers: { plugin: numbers, hold: true } }\nsinks: { keep: { plugin: keep, inputs: [numbers] } }"
      let harness = try pipeline(before)
      async let report = harness.run()
      await journal.wait(until: "keep", has: 10)
      let refused = await refusal(harness, text(", x: { plugin: keep, inputs: [numbers], slow: true, failing_starts: 1000 }"))
      #expect(refused?.hasSuffix("no start") == true)
      #expect(journal.count(of: "tocks start") == 1 && journal.count(of: "tocks run") == 0)
      try await harness.apply(text(""))
      await journal.wait(until: "tocks", has: 10)
      harness.pipeline.stop()
      #expect(await report.exitStatus == 0)
      #expect(journal.count(of: "tocks start") == 2 && journal.count(of: "tocks run") == 1)
      #expect(journal.received(by: "tocks") == all(10))
    }
  }

  @Test func `a relay that comes with a refused change ends at once`() async throws {
    try await journalled { journal in
      let before = text("", "keep: { plugin: keep, inputs: [numbers] }")
      let harness = try pipeline(before)
      async let report = harness.run()
      await journal.wait(until: "keep", has: 10)
      func relaying(_ more: String) -> String {
        """
        sources:
          numbers: { plugin: numbers, count: 3000, single: true, hold: true, output: { capacity: 16 } }
          back: { plugin: echo, inputs: [numbers] }
        sinks: { keep: { plugin: keep, inputs: [numbers] }, of_back: { plugin: keep, inputs: [back] }\(more) }
        """
      }
      // Nobody advances the clock, so nothing may wait for it.
      let refused = await refusal(harness, relaying(", bad: { plugin: keep, inputs: [numbers], slow: true, failing_starts: 1000 }"))
      #expect(refused?.hasSuffix("no start") == true)
      #expect(journal.count(of: "back starts") == 1 && journal.count(of: "back stops") == 1)
      #expect(harness.pipeline.ledger.edges.allSatisfy { $0.to == "keep" }, "it was never part of the run")
      #expect(await refusal(harness, relaying("")) == nil)
      await journal.wait(until: "keep", has: 3000)
      harness.pipeline.stop()
      let end = await report
      #expect(end.exitStatus == 0 && end.fates.map(\.id).sorted() == ["back", "keep", "numbers", "of_back"])
      #expect(journal.received(by: "keep") == all(3000))
    }
  }

  @Test func `a lossy sink that hangs leaves, and nobody else waits for it`() async throws {
    try await journalled { journal in
      func text(_ more: String) -> String {
        """
        sources: { numbers: { plugin: numbers, count: 3000, single: true, hold: true, output: { capacity: 16 } } }
        processors: { pass: { plugin: pass, inputs: [numbers], output: { capacity: 16 } } }
        sinks: { \(more)keep: { plugin: keep, inputs: [pass] } }
        """
      }
      let lossy = "{ from: pass, overflow: drop_oldest, capacity: 4 }"
      let harness = try pipeline(text("more: { plugin: keep, inputs: [\(lossy)], gated: true }, "))
      async let report = harness.run()
      await journal.wait(for: "entered")
      let (clock, without) = (harness.clock, text(""))
      async let change = refusal(harness, without)
      // Nobody advances the clock until everything has come.
      await journal.wait(until: "keep", has: 3000)
      #expect(journal.received(by: "keep") == all(3000))
      // The change waits for the end of the sink that hangs, and then once more after it has cut it off.
      let hand = Task {
        while !Task.isCancelled {
          if let next = clock.deadlines.first, next - clock.uptime <= .seconds(10) { clock.advance(by: max(.zero, next - clock.uptime)) }
          await Task.yield()
        }
      }
      #expect(await change == nil)
      hand.cancel()
      journal.gate.open()
      harness.pipeline.stop()
      let end = await report
      #expect(end.ledger.isBalanced && end.ledger.total.inFlight == 0)
    }
  }

  @Test func `who does not make room in time goes on`() async throws {
    try await journalled { journal in
      func keep(_ inputs: String) -> String {
        """
        sources: { numbers: { plugin: numbers, count: 3000, single: true, hold: true, output: { capacity: 16 } }, dice: { plugin: dice } }
        sinks: { keep: { plugin: keep, inputs: \(inputs), gated: true }, more: { plugin: keep, inputs: [dice] } }
        """
      }
      let harness = try pipeline(keep("[numbers, dice]"))
      async let report = harness.run()
      await journal.wait(for: "entered")
      async let reason = refusal(harness, keep("[numbers]"))
      await harness.clock.waitForSleeper(until: .seconds(10))
      harness.clock.advance(by: .seconds(10))
      #expect(await reason == "'keep' has not stopped for the change within 10s")
      journal.gate.open()
      await journal.wait(until: "keep", has: 3005)
      harness.pipeline.stop()
      let end = await report
      #expect(end.counts("numbers", "keep") == counts(in: 3000, delivered: 3000))
      #expect(end.counts("dice", "keep") == counts(in: 5, delivered: 5))
      #expect(end.exitStatus == 0)
    }
  }

  /// Random changes of everything but the source: processors and sinks come, go, change their options, their rings and their inputs; some
  /// changes are refused, because a component does not start.
  @Test(arguments: 0..<8) func `random changes lose, double and reorder nothing`(seed: Int) async throws {
    try await journalled { journal in
      var random = SplitMix(seed)
      let changes = rounds(25)
      let count = changes * 100 + 500
      let harness = try pipeline(changingText("", "keep: { plugin: keep, inputs: [numbers] }", count: count))
      async let report = harness.run()
      var refused = 0
      var applied = 0
      for round in 1...changes {
        await journal.wait(until: "keep", has: round * 100)
        let next = randomText(&random, round, count: count)
        if let reason = await refusal(harness, next) {
          #expect(reason.hasSuffix(" does not start: no start") || reason.contains("nothing reads it"), "\(reason)")
          refused += 1
        } else {
          applied += 1
        }
      }
      await journal.wait(until: "keep", has: count)
      harness.pipeline.stop()
      let end = await report
      #expect(journal.received(by: "keep") == all(Int64(count)))
      #expect(journal.count(of: "keep starts") == 1 && journal.count(of: "numbers starts") == 1, "these are the same all the time")
      for sink in ["k0", "k1", "of_p0", "of_p1", "of_p2", "of_p3"] {
        // Each life has the events of its time; the next life begins later.
        let seen = journal.received(by: sink)
        #expect(zip(seen, seen.dropFirst()).allSatisfy { $0 < $1 }, "\(sink) of seed \(seed)")
        if sink == "k1" { continue }
        let gaps = zip(seen, seen.dropFirst()).count { $0 + 1 != $1 }
        #expect(gaps < max(1, end.fate(sink)?.components ?? 0), "\(sink) of seed \(seed)")
      }
      #expect(end.exitStatus == 0, "\(end.fates)")
      #expect(end.ledger.isBalanced && end.ledger.total.inFlight == 0)
      for edge in end.ledger.edges where edge.to != "k1" { #expect(edge.counts.dropped == 0, "\(edge)") }
      #expect(applied > changes / 5 && refused > 0, "\(applied) of \(changes)")
    }
  }

  @Test func `relays, sinks of several types and merged inputs change like all others`() async throws {
    try await journalled { journal in
      func text(_ ticks: String, _ more: String = "") -> String {
        """
        sources:
          numbers: { plugin: numbers, count: 2000, single: true, hold: true, output: { capacity: 16 } }
          echo: { plugin: echo, inputs: [numbers] }
          tocks: { plugin: tocks, count: 2000, output: { capacity: 16 } }
        processors: { pass: { plugin: pass, inputs: [echo] }\(more) }
        sinks:
          both: { plugin: keep_both, inputs: [\(ticks), tocks] }
          keep: { plugin: keep, inputs: [pass] }
        """
      }
      let harness = try pipeline(text("echo"))
      async let report = harness.run()
      for round in 1...12 {
        await journal.wait(until: "keep", has: round * 100)
        let merged = ", merged: { plugin: pass, inputs: [numbers, pass], merge: received }"
        switch round % 3 {
        case 0: try await harness.apply(text("echo"))
        case 1: try await harness.apply(text("pass"))
        default:
          try await harness.apply(text("echo", merged).replacing("sinks:\n", with: "sinks:\n  all: { plugin: keep, inputs: [merged] }\n"))
        }
      }
      await journal.wait(until: "keep", has: 2000)
      await journal.wait(until: "ticks", has: 2000)
      await journal.wait(until: "tocks", has: 2000)
      harness.pipeline.stop()
      let end = await report
      #expect(journal.received(by: "keep") == all(2000))
      #expect(journal.received(by: "tocks") == all(2000))
      #expect(journal.received(by: "ticks").sorted() == all(2000), "through the processor or around it")
      #expect(end.exitStatus == 0 && end.ledger.isBalanced && end.ledger.total.dropped == 0)
    }
  }
}
