import StockbusNetwork
import NIOCore
import StockbusPlugin
import StockbusTestKit
import TestServers
import Testing

@testable import NATS

@Suite(.timeLimit(.minutes(15))) struct NATSLinkTests {
  let harness = PluginHarness()

  private func states() -> [String] { harness.notices.connections.value.map { "\($0.state): \($0.reason)" } }

  private func link(_ ports: [Int], login: NATSLogin = NATSLogin(), _ change: (inout NATSSettings) -> Void = { _ in }) throws -> NATSLink {
    var settings = NATSSettings()
    settings.backoff = .seconds(1)
    settings.maxBackoff = .seconds(4)
    change(&settings)
    return try NATSLink(ports.map { NATSAddress(host: "127.0.0.1", port: $0) }, settings, login: login, harness.context)
  }

  @Test func `messages come back with subject, headers and answer's place`() async throws {
    let server = try await FakeNATS()
    try await link([server.port]).run { connection in
      let number = connection.subscribe("echo.*")
      connection.publish("echo.a", "one")
      connection.publish("echo.b", reply: "back", headers: "NATS/1.0\r\nX: y\r\n\r\n", "two")
      var got: [NATSMessage] = []
      while got.count < 2 { got += try await connection.receive().messages }
      #expect(got.map(\.subscription) == [number, number])
      #expect(got.map(\.subject) == ["echo.a", "echo.b"])
      #expect(got.map(\.reply) == [nil, "back"])
      #expect(got[1].headers?.value("X") == "y")
      #expect(got.map { String(buffer: $0.payload) } == ["one", "two"])
    }
    let place = "nats://127.0.0.1:\(server.port)"
    #expect(states() == ["connecting: \(place)", "connected: \(place)", "disconnected: closed normally"])
    await server.close()
  }

  @Test func `a request gets its answer, and one that nobody answers is an error that leaves the connection open`() async throws {
    let server = try await FakeNATS()
    try await link([server.port]).run { connection in
      await #expect(throws: NATSError.noResponders(subject: "nobody")) { try await connection.request("nobody", within: .seconds(5)) }
      let info = try await connection.streamInfo("TICKS", within: .seconds(5))
      #expect(info.subjects == ["ticks.>"])
      #expect(info.lastSequence == 0)
      #expect(try await connection.message(1, of: "TICKS", within: .seconds(5))?.sequence == nil)
    }
    await server.close()
  }

  @Test func `a lost connection is made again, at once to another server and after a pause to the same`() async throws {
    let server = try await FakeNATS()
    let lives = Watched(0)
    let link = try link([server.port])
    let life = Task {
      try await link.run { connection in
        _ = try await connection.streamInfo("TICKS", within: .seconds(5))
        lives.update { $0 += 1 }
        if lives.value < 3 { _ = try await connection.receive() }
      }
    }
    for lost in 1...2 {
      await lives.wait { $0 == lost }
      server.cut()
      await harness.notices.connections.wait { $0.count == 3 * lost }
      await harness.clock.waitForSleepers(1)
      harness.clock.advance(by: .seconds(4))
    }
    try await life.value
    #expect(server.connections == 3)
    #expect(states().filter { $0.hasPrefix("disconnected") }.count == 3)
    await server.close()
  }

  @Test func `there are pauses between rounds over servers that answer and then cut the connection`() async throws {
    let servers = [try await FakeNATS(), try await FakeNATS()]
    let clock = harness.clock
    let link = try link(servers.map(\.port))
    let life = Task {
      try await link.run { connection in
        _ = try await connection.streamInfo("TICKS", within: .seconds(5))
        connection.noteData()
        // Longer than the first pause, and not long enough to be of use.
        clock.advance(by: .seconds(2))
        for server in servers { server.cut() }
        _ = try await connection.receive()
      }
    }
    var pauses: [Duration] = []
    for round in 1...3 {
      await harness.notices.connections.wait { $0.filter { $0.state == .disconnected }.count == 2 * round }
      await clock.waitForSleepers(1)
      pauses.append((clock.deadlines.first ?? .zero) - clock.uptime)
      clock.advanceToNextDeadline()
    }
    // Drawn from the upper halves of 1, 2 and 4 s.
    #expect(pauses[0] <= .seconds(1) && pauses[1] >= .seconds(1) && pauses[2] >= .seconds(2), "\(pauses)")
    life.cancel()
    await #expect(throws: CancellationError.self) { try await life.value }
    for server in servers { await server.close() }
  }

  @Test func `a server that is shut down is left for the next one without a pause`() async throws {
    let first = try await FakeNATS()
    let second = try await FakeNATS()
    let lives = Watched(0)
    let link = try link([first.port, second.port])
    let life = Task {
      try await link.run { connection in
        _ = try await connection.streamInfo("TICKS", within: .seconds(5))
        lives.update { $0 += 1 }
        if lives.value == 1 { _ = try await connection.receive() }
      }
    }
    await lives.wait { $0 == 1 }
    for server in [first, second] { server.say("INFO {\"ldm\":true}\r\n") }
    try await life.value
    #expect(first.connections == 1 && second.connections == 1)
    #expect(states().contains("disconnected: the server is shutting down and has asked its clients to disconnect"))
    await first.close()
    await second.close()
  }

  @Test(arguments: [
    ("-ERR 'Authorization Violation'\r\n", "the server rejected the login: Authorization Violation"),
    ("-ERR 'Slow Consumer'\r\n", "the server closed the connection, because stockbus read too slowly (slow consumer)"),
    ("-ERR 'Stale Connection'\r\n", "the server says: Stale Connection"),
    ("MSG a 3 99999999\r\n", "a message of 97656KiB or more; the limit is 8MiB"),
  ])
  func `what the server says last is the reason`(_ line: String, _ reason: String) async throws {
    let server = try await FakeNATS()
    let link = try link([server.port])
    let life = Task {
      try await link.run { connection in
        server.say(line)
        _ = try await connection.receive()
      }
    }
    await harness.notices.connections.wait { $0.count >= 3 }
    #expect(states()[2].hasPrefix("disconnected: " + String(reason.prefix(13))))
    life.cancel()
    _ = try? await life.value
    await server.close()
  }

  @Test func `a subject that may not be used is told and ends nothing`() async throws {
    let server = try await FakeNATS()
    try await link([server.port]).run { connection in
      server.say("-ERR 'Permissions Violation for Publish to \"x\"'\r\n")
      var told: [String] = []
      while told.isEmpty {
        _ = try? await connection.request("$JS.API.STREAM.INFO.TICKS", within: .seconds(5))
        told = connection.takeComplaints()
      }
      #expect(told == ["Permissions Violation for Publish to \"x\""])
    }
    await server.close()
  }

  @Test func `a login is shown to the server, and its absence is told where one is asked for`() async throws {
    let server = try await FakeNATS(info: #""auth_required":true,"#)
    var login = NATSLogin()
    login.token = Secret("hush")
    try await link([server.port], login: login).run { _ in }
    #expect(server.lines.value.first?.contains(#""auth_token":"hush""#) == true)
    let life = Task { try await self.link([server.port]).run { _ in } }
    await harness.notices.connections.wait { $0.count == 5 }
    #expect(states()[4] == "disconnected: the server rejected the login: it requires a login; set 'login'")
    #expect(!states().joined().contains("hush"))
    life.cancel()
    _ = try? await life.value
    await server.close()
  }

  @Test func `with TLS a private CA is trusted where it is named`() async throws {
    let folder = TemporaryFolder()
    let authority = TestAuthority("Private")
    let server = try await FakeNATS(tls: authority.issue(["localhost"]))
    var settings = NATSSettings()
    folder.put(authority.certificate, in: "ca.pem")
    settings.tls.ca = folder.file("ca.pem")
    let address = NATSAddress(isSecure: true, host: "localhost", port: server.port)
    try await NATSLink([address], settings, login: NATSLogin(), harness.context).run { connection in
      _ = try await connection.streamInfo("TICKS", within: .seconds(5))
    }
    let stranger = try NATSLink([address], NATSSettings(), login: NATSLogin(), harness.context)
    let life = Task { try await stranger.run { _ in } }
    await harness.notices.connections.wait { $0.count == 5 }
    #expect(states()[4].contains("is not trusted; if a private CA has signed it"))
    life.cancel()
    _ = try? await life.value
    await server.close()
  }

  @Test func `a server without TLS is refused where TLS is meant`() async throws {
    let server = try await FakeNATS()
    let address = NATSAddress(isSecure: true, host: "127.0.0.1", port: server.port)
    let link = try NATSLink([address], NATSSettings(), login: NATSLogin(), harness.context)
    let life = Task { try await link.run { _ in } }
    await harness.notices.connections.wait { $0.count == 2 }
    #expect(states()[1] == "disconnected: '127.0.0.1' offers no TLS")
    life.cancel()
    _ = try? await life.value
    await server.close()
  }

  @Test func `a server that says nothing is given up by the clock`() async throws {
    let silent = try await RawServer(answering: nil)
    let life = Task { try await self.link([silent.port]).run { _ in } }
    await harness.notices.connections.wait { $0.count == 1 }
    while states().count < 2 {
      await harness.clock.waitForSleepers(1)
      harness.clock.advance(by: .seconds(5))
      await Task.yield()
    }
    // Time may pass before the server has taken the connection, or behind that.
    let words = ["no connection in time", "connected, but no INFO came in time: is it a NATS server?"]
    #expect(words.map { "disconnected: \($0)" }.contains(states()[1]))
    life.cancel()
    _ = try? await life.value
    await silent.stop()
  }
}
