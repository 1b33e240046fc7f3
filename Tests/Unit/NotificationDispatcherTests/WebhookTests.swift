import EventBus
import MarketData
import StockbusNetwork
import StockbusPlugin
import StockbusTestKit
import Testing
import TestServers

@testable import NotificationDispatcher

@Suite(.timeLimit(.minutes(15))) struct WebhookTests {
  @Test func `a receiver that answers 500 three times, hangs once and then accepts gets the alert exactly once`() async throws {
    let server = try await ScriptedServer { _, number in
      switch number {
      case 0...2: .answer(500)
      case 3: .hang
      default: .answer(200, [:], "thanks")
      }
    }
    let harness = PluginHarness(id: "alerts")
    let running: RunningPlugin<Alert> = try harness.start(
      Plugin.notificationDispatcher,
      options: """
        rules: [{ name: AAPL above 200, symbol: AAPL, crosses_above: 200 }]
        channels: [{ webhook: { url: "\(server.origin)/hook?key=s3cret", timeout: 10m, backoff: 1s } }]
        """, taking: Trade.self, emitting: Alert.self)
    try await running.send(trades([19_900, 20_010]))
    let alert = try #require(await running.output(count: 1).first)
    for attempt in 1...3 {
      await server.waitForRequests(attempt)
      // There is also a sleeper for the time-out of ten minutes; pauses take seconds.
      await harness.clock.passPause(atMost: .seconds(10))
    }
    await server.waitForRequests(4)
    await harness.clock.pass(exactly: .seconds(600))
    await harness.clock.passPause(atMost: .seconds(10))
    await server.waitForRequests(5)
    try await running.stop()
    await server.close()

    let requests = server.received.value
    let notification = Notification(alert, component: "alerts", number: 1)
    #expect(requests.count == 5)
    #expect(Set(requests) == [requests[0]])
    #expect(requests[0].headers["idempotency-key"] == notification.id)
    #expect(requests[0].headers["content-type"] == "application/json")
    #expect(
      requests[0].body == #"{"id":"\#(notification.id)","status":"firing","rule":"AAPL above 200","symbol":"AAPL","price":200.10,"#
        + #""message":"AAPL crossed above 200: 200.10","time":"1970-01-01T00:00:01Z"}"#)
    #expect(harness.counter("webhook delivered") == 1)
    #expect(harness.counter("webhook retries") == 4)
    #expect(harness.counter("webhook failed") == 0)
    #expect(harness.deadLetters.isEmpty)
    #expect(!harness.log.lines.contains { $0.description.contains("s3cret") || $0.description.contains("/hook") })
  }

  @Test func `a receiver that asks for a pause gets nothing meanwhile, not the next alert either`() async throws {
    let server = try await ScriptedServer { _, number in
      switch number {
      // As Discord does it.
      case 0: .answer(429, ["Retry-After": "2.75"])
      case 1: .answer(418, ["Retry-After": "90"])
      default: .answer(204)
      }
    }
    let harness = PluginHarness(id: "alerts")
    let running: RunningPlugin<Alert> = try harness.start(
      Plugin.notificationDispatcher,
      options: """
        rules: [{ above: 2 }]
        channels: [{ webhook: { url: "\(server.origin)/hook", attempts: 2, timeout: 10m, backoff: 1ms } }]
        """, taking: Trade.self, emitting: Alert.self)
    try await running.send(trades([100, 300, 100, 300]))
    await server.waitForRequests(1)
    await harness.clock.pass(exactly: .milliseconds(2750))
    await server.waitForRequests(2)
    // The first alert has had its attempts; the second one waits.
    await harness.notices.letters.wait { $0.count == 1 }
    await harness.clock.pass(exactly: .seconds(90))
    await server.waitForRequests(3)
    try await running.stop()
    await server.close()
    #expect(server.received.value.count == 3)
    #expect(harness.counter("webhook delivered") == 1 && harness.counter("webhook failed") == 1)
    #expect(harness.clock.uptime == .milliseconds(92_750))
  }

  @Test func `an address that nobody listens at ends in a dead letter without the address`() async throws {
    // Nothing listens at the first port.
    let origin = "http://127.0.0.1:1"
    let harness = PluginHarness(id: "alerts")
    let running: RunningPlugin<Alert> = try harness.start(
      Plugin.notificationDispatcher,
      options: """
        rules: [{ above: 2 }]
        channels: [{ webhook: { url: "\(origin)/s3cret", attempts: 2, timeout: 10m, headers: { X-Key: s3cret }, secret: s3cret } }]
        """, taking: Trade.self, emitting: Alert.self)
    try await running.send(trades([100, 300]))
    await harness.clock.passPause(atMost: .seconds(10))
    await harness.notices.letters.wait { $0.count == 1 }
    try await running.stop()
    #expect(harness.deadLetters.map(\.reason) == ["not delivered after 2 attempts: \(origin) cannot be reached"])
    #expect(harness.deadLetters.map(\.origin) == ["channel webhook"])
    #expect(!"\(harness.deadLetters)\(harness.log.lines)".contains("s3cret"))
    #expect(harness.counter("webhook failed") == 1)
    // Logged once for both attempts, and once at the end.
    let said = harness.log.texts(.warning).filter { $0.contains("webhook") }
    #expect(said.count == 1 && said.allSatisfy { $0.contains("channel 'webhook': \(origin) cannot be reached; retrying in ") }, "\(said)")
    #expect(harness.notes == ["channel 'webhook': 1 alert not delivered: \(origin) cannot be reached"])
  }

  @Test func `the end waits for deliveries up to its deadline and then counts what is left`() async throws {
    let server = try await ScriptedServer { _, _ in .hang }
    let harness = PluginHarness(id: "alerts")
    let running: RunningPlugin<Alert> = try harness.start(
      Plugin.notificationDispatcher,
      options: """
        rules: [{ above: 2 }]
        deadline: 7s
        channels: [{ webhook: { url: "\(server.origin)", timeout: 10m } }]
        """, taking: Trade.self, emitting: Alert.self)
    try await running.send(trades([100, 300, 100, 300]))
    await server.waitForRequests(1)
    async let end: Void = running.stop()
    await harness.clock.pass(exactly: .seconds(7))
    try await end
    await server.close()
    #expect(harness.deadLetters.map(\.reason) == Array(repeating: "not delivered before the end", count: 2))
    #expect(harness.log.texts(.error) == ["error alerts: 2 events lost: alerts that were not delivered before the end"])
    #expect(running.output.count == 2)
  }

  @Test func `a slow channel holds up neither the prices nor the other channels`() async throws {
    let folder = TemporaryFolder()
    let server = try await ScriptedServer { _, _ in .hang }
    let harness = PluginHarness(id: "alerts")
    let running: RunningPlugin<Alert> = try harness.start(
      Plugin.notificationDispatcher,
      options: """
        rules: [{ above: 2 }]
        queue: 10
        channels: [{ webhook: { url: "\(server.origin)", timeout: 10m } }, { file: { path: '\(folder.file("log"))' } }]
        deadline: 0s
        """, taking: Trade.self, emitting: Alert.self)
    for round in 0..<100 {
      try await running.send(trades([100, 300], from: Int64(round * 2)))
      await running.delivered()
      // One by one, so that the fast channel's queue has room.
      while harness.counter("file delivered") != round + 1 { await Task.yield() }
    }
    #expect(await running.output(count: 100).count == 100)
    #expect(harness.counter("webhook overflowed") == 89)
    try await running.stop()
    await server.close()
    #expect(folder.content("log").split(separator: "\n").count == 100)
  }

  @Test func `signs by the Standard Webhooks specification`() throws {
    // The specification's own example.
    let signature = try #require(WebhookSignature(secret: Secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")))
    let code = signature.code(
      id: "msg_p5jXN8AQM9LWM0D4loKWxJek", seconds: "1614265330", body: Array(#"{"test": 2432232314}"#.utf8))
    #expect(code == "g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    // RFC 4231, test case 2, with the message split at the points.
    #expect(WebhookSignature(secret: Secret("")) == nil)
    #expect(WebhookSignature(secret: Secret("whsec_?")) == nil)
  }

  @Test func `fills in a template of one's own, with the values escaped`() async throws {
    let transport = ScriptedTransport { _ in .success(HTTPResponse(status: 204)) }
    var options = WebhookSettings()
    options.url = Secret("https://example.com/a")
    options.body = #"{"text": "{message}", "n": {price}, "nested": {"by": "{channel} {component}"}}"#
    options.secret = Secret("key")
    let channel = try WebhookChannel(options, "hook", tools(transport: transport))
    let notification = exampleNotification("a \"quoted\"\n{id} \\ line")
    #expect(await failure(of: channel, notification) == nil)
    let request = try #require(transport.requests.value.first)
    #expect(
      String(decoding: request.body, as: UTF8.self)
        == #"{"text": "a \"quoted\"\n{id} \\ line", "n": 200.10, "nested": {"by": "hook alerts"}}"#)
    #expect(request.fields["webhook-id"] == notification.id)
    #expect(request.fields["webhook-timestamp"] == "1381239000")
    #expect(request.fields["webhook-signature"]?.hasPrefix("v1,") == true)
  }

  @Test(arguments: [
    #"{"a": "{message}""#, #"{"a": {message}}"#, #"{"a": "{mesage}"}"#, "{message}",
  ])
  func `a body that is no JSON is refused`(body: String) { #expect(WebhookBody.fault(in: body) != nil) }

  @Test(arguments: [
    (200, true, false), (204, true, false), (301, false, false), (400, false, false), (404, false, false), (408, false, true),
    (429, false, true), (500, false, true), (501, false, false), (503, false, true),
  ])
  func `a status is a success, a failure for now or one for good`(status: Int, isSuccess: Bool, isTransient: Bool) async throws {
    var options = WebhookSettings()
    options.url = Secret("https://example.com/s3cret")
    let fields = ["Retry-After": "17"]
    let transport = ScriptedTransport { _ in
      var response = HTTPResponse(status: status, body: Array("s3cret".utf8))
      for (name, value) in fields { try? response.fields.set(name, value) }
      return .success(response)
    }
    let error = await failure(of: try WebhookChannel(options, "hook", tools(transport: transport)), exampleNotification())
    #expect(
      error
        == (isSuccess
          ? nil
          : DeliveryError("https://example.com answers with status \(status)", isTransient: isTransient, asked: RetryAfter(.seconds(17)))))
  }
}
