import EventBus
import StockbusPlugin
import StockbusTestKit
import Testing

@testable import StockbusRuntime

/// A door of these tests: the sum of what has come.
protocol Adding: Sendable {
  func sum() async throws(CommandError) -> Int64
  func settings() async -> Int
  func refuse() async throws(CommandError)
}

/// A second door, of another type.
struct Shift: Sendable {
  let times: Int
}

struct AdderSettings: Options {
  @Setting("Tells two instances apart.") var mark = 1

  init() {}
}

/// Passes ticks on and offers their sum.
actor Adder: EventProcessor, OfferingComponent, Adding {
  static var doors: [ComponentDoor<Adder>] {
    [ComponentDoor((any Adding).self) { $0 }, ComponentDoor(Shift.self) { Shift(times: $0.mark) }]
  }

  private let mark: Int
  private var total: Int64 = 0

  init(_ settings: AdderSettings, _: Context) { mark = settings.mark }

  func process(_ tick: Tick, into output: inout Outlet<Tick>) {
    total += tick.number
    output.send(tick)
  }

  func sum() -> Int64 { total }
  func settings() -> Int { mark }
  func refuse() throws(CommandError) { throw CommandError("no") }
}

/// Asks a door of another component when its events have ended, which is long after that one has begun.
actor Curious: Sink {
  private let context: Context
  private let journal = Journal.current

  init(_: NoOptions, _ context: Context) { self.context = context }

  func receive(_ ticks: Span<Tick>) {}

  func drain() async {
    for board in context.run.components(offering: (any Adding).self) {
      do throws(CommandError) {
        journal.note("\(board.id): \(try await context.run.door((any Adding).self, of: board.id).sum())")
      } catch { journal.note("\(error)") }
    }
  }
}

@Suite(.timeLimit(.minutes(15))) struct DoorTests {
  private let plugins: [Plugin] = [
    .numbers, .keep, Plugin("adder", "Adds.", .processor(Adder.self)), Plugin("curious", "Asks.", .sink(Curious.self)),
  ]

  private func text(mark: Int = 1) -> String {
    """
    sources: { ticks: { plugin: numbers, count: 4, hold: true } }
    processors: { one: { plugin: adder, inputs: [ticks], mark: \(mark) }, two: { plugin: adder, inputs: [one] } }
    sinks: { end: { plugin: keep, inputs: [two] }, asker: { plugin: curious, inputs: [one] } }
    """
  }

  private func refusal(_ harness: PipelineHarness, _ id: String) -> CommandError? {
    do throws(CommandError) {
      _ = try harness.door((any Adding).self, of: id)
      return nil
    } catch { return error }
  }

  @Test func `a component is found and asked by the type of its door`() async throws {
    try await journalled { journal in
      let harness = try PipelineHarness(text(), plugins: plugins)
      #expect(refusal(harness, "one") == .notRunning("one"))
      async let report = harness.run()
      await journal.wait(until: "end", has: 4)
      #expect(harness.pipeline.components(offering: (any Adding).self).map(\.id) == ["one", "two"])
      #expect(harness.pipeline.components(offering: Shift.self).map(\.id) == ["one", "two"])
      #expect(harness.pipeline.components(offering: (any Sendable).self) == [])
      // 1 + 2 + 3 + 4.
      #expect(try await harness.door((any Adding).self, of: "one").sum() == 10)
      #expect(try harness.door(Shift.self, of: "one").times == 1)
      await #expect(throws: CommandError.refused("no")) { try await harness.door((any Adding).self, of: "one").refuse() }
      #expect(refusal(harness, "ticks") == .offersNo("ticks", door: "Adding"))
      #expect(refusal(harness, "ticks")?.description == "'ticks' offers no Adding")
      #expect(refusal(harness, "on") == .unknownComponent("on", among: ["ticks", "one", "two", "end", "asker"]))
      harness.stop()
      #expect(await report.exitStatus == 0)
      #expect(refusal(harness, "one") == .notRunning("one"))
      // A component asked both: one of them may have ended by then.
      #expect(journal.lines.filter { $0.hasPrefix("one: ") || $0 == "'one' is not running" }.count == 1)
      #expect(journal.lines.filter { $0.hasPrefix("two: ") || $0 == "'two' is not running" }.count == 1)
    }
  }

  @Test func `after a change the door is that of the new instance`() async throws {
    try await journalled { journal in
      let harness = try PipelineHarness(text(), plugins: plugins)
      async let report = harness.run()
      await journal.wait(until: "end", has: 4)
      #expect(try await harness.door((any Adding).self, of: "one").settings() == 1)
      try await harness.change(to: text(mark: 2))
      #expect(try await harness.door((any Adding).self, of: "one").settings() == 2)
      harness.stop()
      #expect(await report.exitStatus == 0)
    }
  }

  @Test func `a run that is over has no doors, and neither has a component that stands alone`() {
    #expect(throws: CommandError.runIsOver) { try ComponentRunView().door(Shift.self, of: "one") }
    #expect(throws: CommandError.unknownComponent("one")) { try NoRun().door(Shift.self, of: "one") }
  }

  @Test func `a component with doors has no process of its own`() {
    #expect(Blueprint.processor(Adder.self).obstacleToIsolation == "offers doors, which do not work across processes")
  }
}
