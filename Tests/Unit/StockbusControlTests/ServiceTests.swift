import Foundation
import Logging
import StockbusConfig
import StockbusPlugin
@testable import StockbusRuntime
import StockbusTestKit
import Testing

@testable import StockbusControl

/// What the service manager hears of a run.
@Suite(.timeLimit(.minutes(15))) struct ServiceTests {
  private static let text = """
    sources: { ticks: { plugin: generator, symbols: 3, interval: 1h, seed: 1 } }
    sinks: { end: { plugin: null_sink, inputs: [ticks] } }
    """

  /// One of its sinks does not start.
  private static let withDoor = """
    sources: { ticks: { plugin: generator, symbols: 3, interval: 1h, seed: 1 } }
    sinks: { end: { plugin: null_sink, inputs: [ticks] }, door: { plugin: stubborn, inputs: [ticks] } }
    """

  /// A run whose news are kept as lines: `ready: 2 components, ready`.
  private struct Served {
    let heard = Watched<[String]>([])
    let clock = ManualTimekeeper()
    let pipeline: Pipeline
    let notices: ServiceNotices

    init(_ text: String) throws {
      pipeline = Pipeline(try topology(text), clock: clock, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
      let heard = heard
      notices = ServiceNotices(pipeline) { news, status in
        let line = [news.map { "\($0)" }, status].compactMap(\.self).joined(separator: ": ")
        heard.update { $0.append(line) }
      }
    }

    func waitForNews(_ count: Int) async { await heard.wait { $0.count >= count } }
  }

  @Test func `a start, a change, a refused change and a stop are told in this order`() async throws {
    let served = try Served(Self.text)
    let (pipeline, notices) = (served.pipeline, served.notices)
    let next = try topology(Self.text.replacing("sinks: {", with: "sinks: { two: { plugin: null_sink, inputs: [ticks] },"))
    let reload = ConfigReload(pipeline, paths: ["desk.yaml"], notices: notices) { (_) throws(Problems) in next }
    let running = Task { await pipeline.run() }
    let telling = Task { await notices.run() }
    await served.waitForNews(1)
    #expect(await reload.apply(nil).outcome == .done)
    #expect(await ConfigReload(pipeline, paths: nil, notices: notices) { (_) throws(Problems) in next }.apply(nil).outcome == .refused)
    pipeline.stop()
    await telling.value
    #expect(await running.value.exitStatus == 0)
    #expect(await reload.apply(nil).outcome == .refused)
    #expect(
      served.heard.value == [
        "ready: 2 components, ready", "reloading", "ready: 3 components, ready", "reloading", "ready: 3 components, ready",
        "stopping: 3 components, the run is stopping",
      ])
  }

  @Test func `a reload makes files anew that others have moved, also where nothing else has changed`() async throws {
    let present = try topology(Self.text.replacing("sinks: {", with: "sinks: { kept: { plugin: papers, inputs: [ticks] },"))
    let pipeline = Pipeline(present, clock: ManualTimekeeper(), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    let running = Task { await pipeline.run() }
    await pipeline.waitForStart()
    let report = await ConfigReload(pipeline, paths: ["desk.yaml"]) { (_) throws(Problems) in present }.apply(nil)
    #expect(report.lines == ["reloaded: nothing has changed; recreated files: 'a.csv'"])
    pipeline.stop()
    #expect(await running.value.exitStatus == 0)
  }

  @Test func `a configuration that was not reloaded is a problem of the run until one is`() async throws {
    let text = Guarded(Self.text)
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let pipeline = Pipeline(try topology(Self.text), clock: ManualTimekeeper(), logger: logger)
    let reload = ConfigReload(pipeline, paths: ["desk.yaml"]) { (_) throws(Problems) in try topology(text.withLock { $0 }) }
    let running = Task { await pipeline.run() }
    await pipeline.waitForStart()
    #expect(pipeline.problems == [])
    text.withLock { $0 = Self.text.replacing("seed: 1", with: "sede: 1, x: 2") }
    #expect(await reload.apply(nil).outcome == .invalid)
    let problem = try #require(pipeline.problems.first)
    #expect(problem.hasPrefix("the configuration was not reloaded: plugins.yaml:1:") && problem.hasSuffix(" (and 1 more)"), "\(problem)")
    text.withLock { $0 = Self.text }
    #expect(await reload.apply(nil).outcome == .done)
    #expect(pipeline.problems == [])
    pipeline.stop()
    _ = await running.value
  }

  @Test func `a change that has cost a component does not say that the run goes on as before`() throws {
    var report = ChangeReport(.refused, "the door is locked")
    #expect(report.lines == ["not reloaded: the door is locked; the run continues as before"])
    report.consequence = "'door' has failed for good"
    #expect(report.lines == ["not reloaded: the door is locked; 'door' has failed for good"])
    #expect(try JSONDecoder().decode(ChangeReport.self, from: JSONEncoder().encode(report)) == report)
  }

  @Test func `changes at the same time are one reload, and none is told before the start`() async throws {
    let served = try Served(Self.text)
    let (pipeline, notices) = (served.pipeline, served.notices)
    notices.changeBegins()
    notices.changeEnds()
    #expect(served.heard.value == [])
    let running = Task { await pipeline.run() }
    let telling = Task { await notices.run() }
    await served.waitForNews(1)
    notices.changeBegins()
    notices.changeBegins()
    notices.changeEnds()
    #expect(served.heard.value.count == 2)
    notices.changeEnds()
    #expect(served.heard.value == ["ready: 2 components, ready", "reloading", "ready: 2 components, ready"])
    pipeline.stop()
    await telling.value
    _ = await running.value
  }

  @Test func `a run without one of its components is ready, and the status says which`() async throws {
    let served = try Served(Self.withDoor)
    let running = Task { await served.pipeline.run() }
    let telling = Task { await served.notices.run() }
    await served.waitForNews(1)
    #expect(served.heard.value == ["ready: 3 components, door is failed: the door is locked"])
    #expect(served.pipeline.problems == ["door is failed: the door is locked"])
    served.pipeline.stop()
    await telling.value
    #expect(await running.value.exitStatus == 1)
  }

  @Test func `a run that ends because nothing else is left has not started`() async throws {
    let served = try Served(Self.withDoor.replacing("end: { plugin: null_sink, inputs: [ticks] }, ", with: ""))
    let telling = Task { await served.notices.run() }
    #expect(await served.pipeline.run().exitStatus == 1)
    await telling.value
    #expect(served.heard.value == ["stopping: 2 components, the run is stopping; door is failed: the door is locked"])
  }

  @Test func `a short run is ready before it stops, also if nobody came to tell of it before its end`() async throws {
    let served = try Served(Self.text.replacing("interval: 1h", with: "interval: 1h, count: 3"))
    #expect(await served.pipeline.run().exitStatus == 0)
    let telling = Task { await served.notices.run() }
    telling.cancel()
    await telling.value
    #expect(served.heard.value == ["ready: 2 components, ready", "stopping: 2 components, ready"])
  }

  @Test func `a component that fails later is told within seconds, once`() async throws {
    let served = try Served(
      """
      sources: { ticks: { plugin: generator, symbols: 3, interval: 1h, seed: 1 } }
      sinks: { end: { plugin: null_sink, inputs: [ticks] }, fuse: { plugin: fuse, inputs: [ticks], supervision: { restarts: 0 } } }
      """)
    let running = Task { await served.pipeline.run() }
    let telling = Task { await served.notices.run() }
    await served.waitForNews(1)
    await served.clock.waitForSleeper(until: .seconds(5))
    await served.clock.waitForSleeper(until: .seconds(3600))
    served.clock.advance(by: .seconds(3600))
    while served.pipeline.health.last?.state != .failed { await Task.yield() }
    // It may have looked before the failure.
    await served.clock.waitForSleeper(until: .seconds(3605))
    served.clock.advance(by: .seconds(5))
    await served.waitForNews(2)
    await served.clock.waitForSleeper(until: .seconds(3610))
    served.clock.advance(by: .seconds(5))
    await served.clock.waitForSleeper(until: .seconds(3615))
    #expect(served.heard.value == ["ready: 3 components, ready", "3 components, fuse is failed: it has blown"])
    served.pipeline.stop()
    await telling.value
    _ = await running.value
  }
}
