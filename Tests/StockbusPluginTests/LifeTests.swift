import StockbusPlugin
import Testing

@Suite(.timeLimit(.minutes(15))) struct LifeTests {
  /// One life with one event, and what came of it.
  private func live(failingIn step: String = "nothing", lives: Int = 1) async throws -> (lines: [String], error: String?, node: Node) {
    let mark = ConfigNode.Mark(line: 1, column: 1)
    let options = ConfigNode(
      .map([.init(key: "fails_in", mark: mark, value: ConfigNode(.scalar(step), at: mark))]), at: mark)
    let diary = Diary()
    return try await Diary.$current.withValue(diary) {
      let topic = Topic<Trade>("ticks")
      let node = try Blueprint.sink(Witness.self).assembly(options, at: mark).node(context(), inputs: [Edge(topic)], output: nil)
      node.whenStarted { diary.note("has started") }
      var outlet = Outlet(topic)
      outlet.send(Trade.schema.example)
      outlet.commit()
      topic.close()
      var thrown: String?
      for _ in 0..<lives {
        do { try await node.life() } catch { thrown = "\(error)" }
      }
      return (diary.lines, thrown, node)
    }
  }

  @Test func `init, start, work, drain, stop`() async throws {
    let (lines, error, node) = try await live()
    #expect(lines.filter { $0 != "background ends" } == ["init", "start", "has started", "receive", "drain", "stop"])
    // The background's end is waited for before stop.
    #expect(lines.suffix(2) == ["background ends", "stop"])
    #expect(error == nil)
    #expect(node.inlets[0].counts.delivered == 1)
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
    let node = try Blueprint.sink(Witness.self).assembly(options, at: mark).node(context(), inputs: [Edge(topic)], output: nil)
    topic.close()
    await #expect(throws: DrainError.self) { try await node.life() }
  }

  @Test func `the next life goes on behind what the last one has finished`() async throws {
    let (lines, _, node) = try await live(lives: 2)
    #expect(lines.count { $0 == "receive" } == 1)
    #expect(lines.count { $0 == "start" } == 2)
    #expect(lines.count { $0 == "stop" } == 2)
    #expect(lines.count { $0 == "has started" } == 1)
    #expect(node.inlets[0].counts.published == 1)
  }

  @Test func `a run that threw waits for the next life`() async throws {
    let (_, _, node) = try await live(failingIn: "receive")
    #expect(node.inlets[0].counts.inFlight == 1)
    node.retire()
    #expect(node.inlets[0].counts.inFlight == 0)
    #expect(node.inlets[0].counts.dropped == 1)
    node.retire()
    #expect(node.inlets[0].counts.residue == 0)
  }

  @Test func `commands reach the living component only`() async throws {
    let mark = ConfigNode.Mark(line: 1, column: 1)
    let topic = Topic<Trade>("ticks")
    let node = try Blueprint.sink(Witness.self).assembly(nil, at: mark).node(context("me"), inputs: [Edge(topic)], output: nil)
    func refusal(_ line: String) async -> String {
      do throws(CommandError) { return try await node.perform(Command(line: line) ?? Command(verb: "", arguments: [])) } catch {
        return "refused: \(error)"
      }
    }
    #expect(await refusal("say hello") == "refused: 'me' is not running")
    let (started, tell) = AsyncStream<Void>.makeStream()
    node.whenStarted { tell.finish() }
    let life = Task { try await node.life() }
    for await _ in started {}
    #expect(await refusal("say hello") == "says hello")
    #expect(await refusal("say") == "refused: 'say' needs a word")
    #expect(await refusal("sy x") == "refused: unknown command 'sy'; did you mean 'say'?; known are say, sing")
    topic.close()
    try await life.value
    #expect(await refusal("say hello") == "refused: 'me' is not running")
  }
}
