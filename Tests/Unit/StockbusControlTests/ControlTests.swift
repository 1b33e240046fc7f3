import Foundation
import StockbusNetwork
import StockbusPlugin
import StockbusRuntime
import StockbusTestKit
import StockbusText
import Testing

@testable import StockbusControl

/// A run that is asked, told, changed and stopped from outside.
@Suite(.timeLimit(.minutes(15))) struct ControlTests {
  @Test func `a run says how it is`() async throws {
    let asked = try await Asked()
    let status = try await asked.status { $0.components.last?.published == nil && $0.edges.last?.delivered == 3 }
    #expect(status.name == "desk" && status.process == 4242 && status.state == .running)
    #expect(status.configuration == [asked.folder.file("desk.yaml")])
    #expect(status.reasons.isEmpty)
    #expect(status.components.map(\.id) == ["ticks", "ranked", "end"])
    #expect(status.components.map(\.state) == ["running", "running", "running"])
    #expect(status.components.map(\.starts) == [1, 1, 1])
    #expect(status.components.map(\.published) == [3, 3, nil])
    #expect(status.edges.map(\.in) == [3, 3] && status.edges.map(\.waiting) == [0, 0])
    #expect(status.counts.contains(.init(component: "end", name: "events", total: 3)))
    #expect(await asked.end().exitStatus == 0)
  }

  @Test func `the first clients of a run are answered, also if they come at once, and a run without any leaves no socket`() async throws {
    let socket: String
    do {
      let alone = try await Asked()
      socket = alone.folder.file("run.sock")
      var status = stat()
      #expect(stat(socket, &status) == 0 && status.st_mode == S_IFSOCK | 0o600)
      #expect(await alone.end().exitStatus == 0)
      #expect(stat(socket, &status) == -1)
    }
    let asked = try await Asked()
    let names = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<16 {
        group.addTask { try await ControlClient(socket: asked.folder.file("run.sock"), clock: asked.pipeline.clock).status().name }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(names == Array(repeating: "desk", count: 16))
    #expect(await asked.end().exitStatus == 0)
  }

  @Test func `latencies are measured from the first request on, and work always`() async throws {
    let asked = try await Asked()
    let clock = try #require((asked.pipeline.clock as? SteadyTimekeeper)?.machine as? ManualTimekeeper)
    while asked.pipeline.ledger.edges.last?.counts.delivered != 3 { await Task.yield() }
    let first = try await asked.client.status()
    #expect(first.edges.allSatisfy { $0.latency == nil } && first.components.allSatisfy { $0.latency == nil })
    // The components have been on a worker since the start.
    #expect(first.components.allSatisfy { ($0.busy ?? 0) > 0 })
    while !clock.deadlines.contains(where: { $0 - clock.uptime <= .milliseconds(20) }) { await Task.yield() }
    // Three prices come at once, of which the last is timed on each edge; then nobody asks for longer than the run has patience.
    clock.advance(by: .seconds(3600))
    // Not over the socket, whose idle connections that hour has ended.
    var status = asked.control.status
    while !status.edges.allSatisfy({ $0.latency != nil }) {
      await Task.yield()
      status = asked.control.status
    }
    for latency in status.edges.map(\.latency) {
      #expect(latency?.counts.count == 23 && latency?.counts.reduce(0, +) == 1)
    }
    #expect(status.components.map { $0.latency?.counts.reduce(0, +) } == [nil, 1, 1])
    #expect(await asked.end().exitStatus == 0)
  }

  @Test func `a run says how it is wired, as it is now`() async throws {
    let asked = try await Asked()
    func wiring() async throws -> WiringReport {
      let request = HTTPRequest(.get, try WebAddress(socket: asked.folder.file("run.sock"), "/topology"))
      let answer = try await NetworkTransport().send(request, clock: asked.pipeline.clock)
      return try #require(JSONDocument.read(WiringReport.self, answer.body))
    }
    let first = try await wiring()
    #expect(first.components.map(\.id) == ["ticks", "ranked", "end"] && first.topics.isEmpty)
    #expect(first.components[0].output == .init(event: "trade", capacity: 8192) && first.components[2].output == nil)
    #expect(first.components[1].place == "\(asked.folder.file("desk.yaml")):2:15")
    #expect(first.components[1].inputs == [.init(from: "ticks", overflow: "block", capacity: nil, initial: false)])
    let other = try asked.write(
      """
      sources: { ticks: { plugin: generator, symbols: 3, interval: 1h, seed: 1 } }
      sinks:
        one: { plugin: null_sink, inputs: [{ from: ticks, overflow: drop_oldest, capacity: 7 }], merge: received }
        two: { plugin: null_sink, inputs: [{ from: ticks, overflow: conflate, initial: true }] }
        seen: { plugin: null_sink, inputs: [health] }
      """, "other.yaml")
    _ = try await asked.client.apply([other])
    let now = try await wiring()
    #expect(now.components.map(\.id) == ["ticks", "one", "two", "seen"])
    #expect(now.components.map(\.merge) == ["arrival", "received", "arrival", "arrival"])
    #expect(now.components[1].inputs == [.init(from: "ticks", overflow: "drop_oldest", capacity: 7, initial: false)])
    #expect(now.components[2].inputs.first == .init(from: "ticks", overflow: "conflate", capacity: nil, initial: true))
    #expect(now.topics == [.init(name: "health", event: "health")])
    #expect(await asked.end().exitStatus == 0)
  }

  @Test func `a plan shows every step and changes nothing, and the change does what was shown`() async throws {
    let asked = try await Asked()
    _ = try await asked.status { $0.edges.last?.delivered == 3 }
    let other = try asked.write(
      """
      sources: { ticks: { plugin: generator, symbols: 3, interval: 1h, seed: 1 } }
      processors:
        ranked: { plugin: sorting_feed, inputs: [ticks], by: percent, top: 2 }
        mine: { plugin: watchlist_filter, inputs: [ranked], symbols: [AAPL] }
      sinks: { two: { plugin: null_sink, inputs: [mine] } }
      """, "other.yaml")
    let plan = try await asked.client.plan([other])
    #expect(plan.outcome == .planned && plan.message == "added mine, two; removed end; replaced ranked; 1 as before")
    #expect(plan.steps.map { "\($0.step) \($0.id)" } == ["kept ticks", "replaced ranked", "added mine", "added two", "removed end"])
    #expect(plan.steps.map(\.changed) == [[], ["by", "top"], [], [], []])
    #expect(try await asked.client.status().components.map(\.id) == ["ticks", "ranked", "end"])

    let done = try await asked.client.apply([other])
    #expect(done.outcome == .done && done.message == plan.message && done.steps.map(\.id) == plan.steps.map(\.id))
    let status = try await asked.client.status()
    #expect(status.components.map(\.id) == ["ticks", "ranked", "mine", "two"] && status.configuration == [other])
    #expect(status.components.first?.starts == 1)

    // The other one is the run's own now: there is nothing to do, and a change of its file is found.
    #expect(try await asked.client.plan(nil).message == "nothing has changed")
    _ = try asked.write(Asked.text, "other.yaml")
    #expect(try await asked.client.apply(nil).outcome == .done)
    #expect(try await asked.client.status().components.map(\.id) == ["ticks", "ranked", "end"])
    let report = await asked.end()
    #expect(report.exitStatus == 0 && report.ledger.isBalanced)
  }

  @Test func `what cannot be done is said, and the run goes on as before`() async throws {
    let asked = try await Asked()
    let mistaken = try asked.write(Asked.text.replacing("sorting_feed", with: "sorting_fed"), "mistaken.yaml")
    let invalid = try await asked.client.apply([mistaken])
    #expect(invalid.outcome == .invalid && invalid.message == "1 problem")
    #expect(invalid.problems.first?.hasPrefix("\(mistaken):2:") == true)
    #expect(try await asked.client.plan([mistaken]) == invalid)
    let missing = try await asked.client.apply([asked.folder.file("none.yaml")])
    #expect(missing.outcome == .invalid && missing.problems.count == 1)

    let other = try asked.write("runtime: { seed: 7 }\n" + Asked.text, "runtime.yaml")
    let refused = try await asked.client.plan([other])
    #expect(refused.outcome == .refused && refused.message.contains("cannot change during a run"))
    #expect(try await asked.client.apply([other]).outcome == .refused)

    // What cannot be read again would keep whoever reads it for ever.
    let pipe = asked.folder.file("pipe.yaml")
    #expect(mkfifo(pipe, 0o600) == 0)
    for path in [pipe, "-", "/dev/null", "/dev/stdin"] {
      for report in [try await asked.client.plan([path]), try await asked.client.apply([path])] {
        #expect(report.outcome == .refused && report.message.contains("can be read again"), "\(path)")
      }
    }

    let stubborn = try asked.write(Asked.text.replacing("{ end:", with: "{ more: { plugin: stubborn, inputs: [ticks] }, end:"), "more.yaml")
    #expect(try await asked.client.plan([stubborn]).outcome == .planned)
    let failed = try await asked.client.apply([stubborn])
    #expect(failed.outcome == .refused && failed.message == "'more' does not start: the door is locked")
    let status = try await asked.client.status()
    #expect(status.components.map(\.id) == ["ticks", "ranked", "end"] && status.configuration == [asked.folder.file("desk.yaml")])
    #expect(await asked.end().exitStatus == 0)
  }

  @Test func `a configuration that cannot be read again can be replaced by one that can`() async throws {
    let asked = try await Asked(isReadable: false)
    let refused = try await asked.client.apply(nil)
    #expect(refused.outcome == .refused && refused.message.contains("standard input"))
    #expect(try await asked.client.status().configuration.isEmpty)
    #expect(try await asked.client.apply([asked.folder.file("desk.yaml")]).message == "nothing has changed")
    #expect(try await asked.client.apply(nil).outcome == .done)
    _ = await asked.end()
  }

  @Test func `components are told, and answer`() async throws {
    let asked = try await Asked()
    _ = try await asked.status { $0.edges.last?.delivered == 3 }
    #expect(try await asked.client.tell("ticks", "set AAPL 123.45") == "AAPL is now 123.45")
    func refusal(_ id: String, _ line: String) async -> String? {
      do throws(ControlClient.Failure) {
        _ = try await asked.client.tell(id, line)
        return nil
      } catch { return error.description }
    }
    #expect(await refusal("tiks", "set AAPL 1") == "no component 'tiks'; did you mean 'ticks'?")
    #expect(await refusal("ticks", "sett AAPL 1") == "unknown command 'sett'; did you mean 'set'?")
    #expect(await refusal("end", "set AAPL 1")?.contains("takes no commands") == true)
    #expect(await refusal("../x y%", "set")?.contains("no component") == true)
    #expect(await refusal("ticks", " ") == "the line is empty")
    _ = await asked.end()
  }

  @Test func `a stop is answered with how the run has ended`() async throws {
    let asked = try await Asked()
    _ = try await asked.status { $0.edges.last?.delivered == 3 }
    let end = try await asked.client.stop()
    #expect(end.status == 0 && end.text.contains("ticks → ranked"))
    let report = await asked.end()
    #expect(end.text == report.ledger.description)
    do throws(ControlClient.Failure) {
      _ = try await asked.client.status()
      Issue.record("nobody listens any more")
    } catch { #expect(error.isGone) }
  }

  @Test func `readiness has reasons`() async throws {
    let asked = try await Asked()
    _ = try await asked.status { $0.edges.last?.delivered == 3 }
    #expect(asked.control.reasons.isEmpty)
    let component = try #require(asked.control.component("ranked"))
    #expect(component.edges.map { "\($0.from)>\($0.to)" } == ["ticks>ranked", "ranked>end"])
    #expect(asked.control.component("ticks")?.commands.map(\.usage).contains("raise SYMBOL [AMOUNT]") == true)
    #expect(asked.control.component("none") == nil)
    let report = await asked.end()
    #expect(report.exitStatus == 0)
    #expect(asked.control.reasons == ["the run is stopping"])
    #expect(await asked.control.reload.plan(nil).message == "the run is stopping")
  }
}

/// Who may come in.
@Suite(.timeLimit(.minutes(15))) struct ControlDoorTests {
  private static let token = "0123456789abcdef"

  private func status(_ asked: Asked, _ path: String, _ fields: [String: String], method: HTTPRequest.Method = .get, body: String = "")
    async throws -> Int
  {
    let port = try #require(asked.server.port)
    var request = HTTPRequest(method, try WebAddress("http://127.0.0.1:\(port)\(path)"), body: Array(body.utf8))
    for (name, value) in fields { try request.fields.set(name, value) }
    return try await NetworkTransport().send(request, clock: asked.pipeline.clock).status
  }

  @Test func `a port is for whoever has the token, and for no page`() async throws {
    let asked = try await Asked(port: .init(host: "127.0.0.1", number: 0, token: Self.token))
    let own = ["Authorization": "Bearer \(Self.token)"]
    for path in ["/livez", "/readyz", "/status", "/metrics", "/topology", "/components/ticks"] {
      #expect(try await status(asked, path, own) == 200, "\(path)")
      #expect(try await status(asked, path, [:]) == 401, "\(path)")
      #expect(try await status(asked, path, ["Authorization": "Bearer \(Self.token)0"]) == 401)
      #expect(try await status(asked, path, ["Authorization": "Bearer \(Self.token.dropLast())"]) == 401)
      #expect(try await status(asked, path, ["Authorization": "Basic \(Self.token)"]) == 401)
      #expect(try await status(asked, path, own.merging(["Origin": "http://127.0.0.1"]) { $1 }) == 403)
      #expect(try await status(asked, path, own.merging(["Sec-Fetch-Site": "same-origin"]) { $1 }) == 403)
    }
    for path in ["/plan", "/apply", "/reload", "/stop", "/components/ticks/commands"] {
      #expect(try await status(asked, path, [:], method: .post) == 401, "\(path)")
      #expect(try await status(asked, path, own) == 405, "\(path)")
      let form = own.merging(["Content-Type": "application/x-www-form-urlencoded"]) { $1 }
      #expect(try await status(asked, path, form, method: .post, body: "a=b") == 415, "\(path)")
    }
    let json = own.merging(["Content-Type": "application/json"]) { $1 }
    for body in ["[]", "{\"configuration\":[]}", "{\"configuration\":7}", "{\"configuration\":null}", "{\"configuration\":[\"\"]}", "{"] {
      #expect(try await status(asked, "/apply", json, method: .post, body: body) == 400, "\(body)")
    }
    #expect(try await status(asked, "/apply", json, method: .post, body: String(repeating: " ", count: 70_000)) == 413)
    #expect(try await status(asked, "/nothing", own) == 404)
    #expect(try await status(asked, "/components/none", own) == 404)
    #expect(await asked.end().exitStatus == 0, "none of them has stopped or changed anything")
  }
}
