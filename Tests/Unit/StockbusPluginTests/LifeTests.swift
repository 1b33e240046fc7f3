import TestSupport
import StockbusPlugin
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(15))) struct LifeTests {
  /// Runs lives with one event; returns the recorded steps and the error.
  private func live(failingIn step: String = "nothing", lives: Int = 1) async throws -> (lines: [String], error: String?, slot: Slot) {
    let mark = ConfigNode.Mark(line: 1, column: 1)
    let options = ConfigNode(
      .map([.init(key: "fails_in", mark: mark, value: ConfigNode(.scalar(step), at: mark))]), at: mark)
    let diary = Diary()
    return try await Diary.$current.withValue(diary) {
      let topic = Topic<Trade>("ticks")
      let assembly = try Blueprint.sink(Witness.self).assembly(options, at: mark)
      let slot = Slot(.sink, context(), inputs: [Edge(topic)], output: nil)
      slot.whenStarted { diary.note("has started") }
      var outlet = Outlet(topic)
      outlet.send(Trade.schema.example)
      outlet.commit()
      topic.close()
      var thrown: String?
      for _ in 0..<lives {
        do { _ = try await slot.run(assembly) } catch { thrown = "\(error)" }
      }
      return (diary.lines, thrown, slot)
    }
  }

  @Test func `init, start, work, drain, stop`() async throws {
    let (lines, error, slot) = try await live()
    #expect(lines.filter { $0 != "background ends" } == ["init", "start", "has started", "receive", "drain", "stop"])
    // The end of the background task is awaited before `stop`.
    #expect(lines.suffix(2) == ["background ends", "stop"])
    #expect(error == nil)
    #expect(slot.ports[0].counts.delivered == 1)
  }

  @Test(arguments: [
    ("init", ["init"]), ("start", ["init", "start", "stop"]),
    ("receive", ["init", "start", "has started", "receive", "stop"]),
    ("drain", ["init", "start", "has started", "receive", "drain", "stop"]),
  ])
  func `a throw ends the life, with a stop for every start`(step: String, expected: [String]) async throws {
    let (lines, error, _) = try await live(failingIn: step)
    #expect(lines.filter { $0 != "background ends" } == expected)
    #expect(error == "in \(step)")
  }

  @Test func `a drain's error is told from all others`() async throws {
    let mark = ConfigNode.Mark(line: 1, column: 1)
    let options = ConfigNode(.map([.init(key: "fails_in", mark: mark, value: ConfigNode(.scalar("drain"), at: mark))]), at: mark)
    let topic = Topic<Trade>("ticks")
    let assembly = try Blueprint.sink(Witness.self).assembly(options, at: mark)
    let slot = Slot(.sink, context(), inputs: [Edge(topic)], output: nil)
    topic.close()
    await #expect(throws: DrainError.self) { _ = try await slot.run(assembly) }
  }

  @Test func `tasks of a component with a thread of its own are resumed there`() async throws {
    let diary = Diary()
    try await Diary.$current.withValue(diary) {
      let topic = Topic<Trade>("ticks")
      let slot = Slot(.sink, context(), inputs: [Edge(topic)], output: nil)
      var outlet = Outlet(topic)
      outlet.send(Trade.schema.example)
      outlet.commit()
      topic.close()
      _ = try await slot.run(Blueprint.sink(Resident.self).assembly(nil, at: ConfigNode.Mark(line: 1, column: 1)))
    }
    #expect(diary.lines.filter { $0 != "background here" } == ["start here", "counted", "receive here", "drain here", "stop here"])
    #expect(diary.lines.count == 6)
  }

  @Test func `the next life goes on behind what the last one has finished`() async throws {
    let (lines, _, slot) = try await live(lives: 2)
    #expect(lines.count { $0 == "receive" } == 1)
    #expect(lines.count { $0 == "start" } == 2)
    #expect(lines.count { $0 == "stop" } == 2)
    #expect(lines.count { $0 == "has started" } == 1)
    #expect(slot.ports[0].counts.published == 1)
  }

  @Test func `a run that threw waits for the next life`() async throws {
    let (_, _, slot) = try await live(failingIn: "receive")
    #expect(slot.ports[0].counts.inFlight == 1)
    slot.retire()
    #expect(slot.ports[0].counts.inFlight == 0)
    #expect(slot.ports[0].counts.dropped == 1)
    slot.retire()
    #expect(slot.ports[0].counts.residue == 0)
  }

  @Test(arguments: 0..<60)
  func `a life that is asked to hand over ends between two runs, and the next one goes on at the very next event`(seed: Int) async throws {
    var random = SplitMix(seed)
    let count = 3000
    let input = Topic<Trade>("in", capacity: 64)
    let blueprint = Blueprint.processor(Passer.self)
    let output = blueprint.makeTopic(.init(name: "out", capacity: 32))
    let assembly = try blueprint.assembly(nil, at: ConfigNode.Mark(line: 1, column: 1))
    let slot = Slot(.processor, context(), inputs: [Edge(input)], output: output)
    let collected = Mutex<[Int64]>([])
    let subscription = try #require(output as? Topic<Trade>).subscribe { trade in collected.withLock { $0.append(trade.size.raw) } }
    let producer = Task {
      var outlet = Outlet(input)
      var trade = Trade.schema.example
      for number in 1...count {
        trade.size = Quantity(raw: Int64(number))
        try await outlet.publish(trade)
      }
      input.close()
    }
    var lives = 0
    while !slot.ports[0].inlet.isFinished {
      lives += 1
      // The first instance is asked to leave before it begins, so that there is always a second one.
      if lives == 1 { slot.quiesce() }
      let life = Task { try await slot.run(assembly) }
      for _ in 0..<random.upTo(60) { await Task.yield() }
      slot.quiesce()
      _ = try await life.value
      slot.resume()
    }
    // The last one ends because its input has ended.
    try await slot.run(assembly)
    try await producer.value
    slot.retire()
    await subscription.finished()
    #expect(collected.withLock { $0 } == (1...count).map { Int64($0) })
    #expect(slot.ports[0].counts.delivered == count && slot.ports[0].counts.residue == 0)
    #expect(lives > 1)
  }

  @Test func `a life that is asked to hand over and then to go on goes on`() async throws {
    let input = Topic<Trade>("in")
    let assembly = try Blueprint.sink(Witness.self).assembly(nil, at: ConfigNode.Mark(line: 1, column: 1))
    let slot = Slot(.sink, context(), inputs: [Edge(input)], output: nil)
    slot.quiesce()
    slot.resume()
    var outlet = Outlet(input)
    outlet.send(Trade.schema.example)
    outlet.commit()
    input.close()
    try await slot.run(assembly)
    #expect(slot.ports[0].counts.delivered == 1)
  }

  @Test func `commands reach the living component only`() async throws {
    let mark = ConfigNode.Mark(line: 1, column: 1)
    let topic = Topic<Trade>("ticks")
    let assembly = try Blueprint.sink(Witness.self).assembly(nil, at: mark)
    let slot = Slot(.sink, context("me"), inputs: [Edge(topic)], output: nil)
    func refusal(_ line: String) async -> String {
      do throws(CommandError) { return try await slot.perform(Command(line: line) ?? Command(verb: "", arguments: [])) } catch {
        return "refused: \(error)"
      }
    }
    #expect(await refusal("say hello") == "refused: 'me' is not running")
    let (started, tell) = AsyncStream<Void>.makeStream()
    slot.whenStarted { tell.finish() }
    let life = Task { try await slot.run(assembly) }
    for await _ in started {}
    #expect(await refusal("say hello") == "says hello")
    #expect(await refusal("say") == "refused: 'say' needs a word")
    #expect(await refusal("sy x") == "refused: unknown command 'sy'; did you mean 'say'?")
    topic.close()
    _ = try await life.value
    #expect(await refusal("say hello") == "refused: 'me' is not running")
  }
}

/// Sends every event unchanged, batch by batch.
private actor Passer: Processor {
  init(_: NoOptions, _: Context) {}

  func process(_ trades: Span<Trade>, into output: inout Outlet<Trade>) { output.send(contentsOf: trades) }
}
