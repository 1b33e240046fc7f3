import StockbusNetwork
import MarketData
import NIOCore
import StockbusPlugin
import Testing

@testable import NATS

@Suite struct NATSValueTests {
  @Test(arguments: [
    ("ticks.0", true, nil), ("ticks.*.a", true, nil), ("ticks.>", true, nil), (">", true, nil),
    ("ticks.*", false, "has a wildcard"), ("a..b", true, "has an empty part"), (".a", true, "has an empty part"),
    ("", true, "is empty"), ("a b", true, "contains a space or a control character"),
    ("a\u{7}", true, "contains a space or a control character"),
    ("a.>.b", true, "has a wildcard that is not a part by itself, or > before the end"),
    ("a.x*", true, "has a wildcard that is not a part by itself, or > before the end"),
  ])
  func `subjects follow the rules`(_ text: String, _ wildcards: Bool, _ fault: String?) {
    #expect(NATSSubject.fault(text, wildcards: wildcards) == fault)
  }

  @Test(arguments: [
    ("ticks.0", "ticks.0", true), ("ticks.0", "ticks.1", false), ("ticks.*", "ticks.0", true), ("ticks.*", "ticks", false),
    ("ticks.*", "ticks.0.a", false), ("ticks.>", "ticks.0.a", true), ("ticks.>", "ticks", false), (">", "ticks", true),
    ("*.0", "ticks.*", true), ("*.0.a", "ticks.>", true), ("*.0", "ticks.1", false), ("a.*.c", "a.b.>", true), ("a.*.c", "b.>", false),
  ])
  func `patterns meet where a subject is matched by both`(_ first: String, _ second: String, _ isTrue: Bool) {
    #expect(NATSSubject.meet(first, second) == isTrue && NATSSubject.meet(second, first) == isTrue)
  }

  @Test func `any symbol is one token, and different ones stay different`() {
    #expect(NATSSubject.token("AAPL") == "AAPL")
    #expect(NATSSubject.token("BRK.B") == "BRK%2EB")
    #expect(NATSSubject.token("BRK%2EB") == "BRK%252EB")
    #expect(NATSSubject.token("*>é") == "%2A%3E%C3%A9")
    #expect(NATSSubject.fault(NATSSubject.token("a b.\n*"), wildcards: false) == nil)
  }

  @Test(arguments: [
    ("nats://h", "nats://h:4222"), ("NATS://h:1", "nats://h:1"), ("tls://[::1]:4223/", "tls://[::1]:4223"),
  ])
  func `addresses are read`(_ text: String, _ shown: String) throws { #expect(try "\(NATSAddress(option: text))" == shown) }

  @Test(arguments: ["h:4222", "nats://", "nats://u:p@h", "nats://h/x", "nats://h:0", "nats://h:70000", "nats://h:x", "http://h"])
  func `other addresses are refused`(_ text: String) {
    let error = #expect(throws: OptionTextError.self) { try NATSAddress(option: text) }
    #expect(error?.suffix.hasSuffix("write nats:// before it") == (text == "h:4222"))
  }

  // The pair that the documentation of nkeys uses.
  private let seed = Secret("SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY")

  @Test func `an NKey is read from its seed and gives its public key`() throws {
    let key = try #require(NKey(seed: seed))
    #expect(key.publicText == "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4")
    let signature = try #require(key.signature(of: "PXoWU7zWAMt75FY"))
    #expect(signature.utf8.count == 86)
    #expect(!signature.contains { "+/=".contains($0) })
  }

  @Test(arguments: [
    "", "SU", "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VX", "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4",
  ])
  func `what is no seed is refused`(_ text: String) { #expect(NKey(seed: Secret(text)) == nil) }

  @Test func `a credentials file has a token and a seed, and is never repeated in an error`() throws {
    let text =
      "-----BEGIN NATS USER JWT-----\nabc.def\n------END NATS USER JWT------\n\nIMPORTANT\n-----BEGIN USER NKEY SEED-----\n\(seed.revealed)\n------END USER NKEY SEED------\n"
    guard case .jwt(let token, _) = try NATSCredentials.parse(text, "a.creds") else { return #expect(Bool(false)) }
    #expect(token.revealed == "abc.def")
    do throws(NATSError) {
      _ = try NATSCredentials.parse(text.replacing("SUAC", with: "SUAD"), "a.creds")
      #expect(Bool(false))
    } catch {
      #expect(
        "\(error)"
          == "the server rejected the login: a.creds: not a credentials file: a part 'NATS USER JWT' and a part 'USER NKEY SEED' are needed"
      )
    }
  }

  @Test func `a greeting has the credentials as JSON`() throws {
    var info = NATSServerInfo()
    let greeting = NATSGreeting(credentials: .password(user: "a\"b", Secret("p\\")), name: "stockbus x")
    #expect(
      try greeting.text(for: info)
        == #"CONNECT {"verbose":false,"pedantic":false,"headers":true,"no_responders":true,"protocol":1,"user":"a\"b","pass":"p\\","name":"stockbus x","lang":"swift","version":"1"}"#
        + "\r\nPING\r\n")
    info.requiresCredentials = true
    #expect(throws: NATSError.self) { try NATSGreeting(credentials: .none, name: "x").text(for: info) }
  }

  @Test func `batches are written as the protocol says`() {
    var batch = NATSBatch()
    batch.publish("FOO", "Hello NATS!")
    batch.publish("FRONT", reply: "JOKE.22", "Knock")
    batch.publish("FOO", headers: "NATS/1.0\r\nBar: Baz\r\n\r\n", "Hello NATS!")
    #expect(
      batch.bytes.string == "PUB FOO 11\r\nHello NATS!\r\nPUB FRONT JOKE.22 5\r\nKnock\r\n"
        + "HPUB FOO 22 33\r\nNATS/1.0\r\nBar: Baz\r\n\r\nHello NATS!\r\n")
  }

  private func message(_ text: String) throws -> NATSMessage {
    var reader = NATSReader(limits: NATSLimits())
    reader.append(ByteBuffer(string: text))
    guard case .message(let message)? = try reader.next() else { throw NATSError.finished }
    return message
  }

  private func answer(_ json: String) throws -> NATSMessage { try message("MSG _INBOX.a.p.17 2 \(json.utf8.count)\r\n\(json)\r\n") }

  @Test(arguments: [
    (#"{"stream":"TICKS", "seq":7}"#, 7, false), (#"{"stream":"TICKS","seq":7}"#, 7, false),
    (#"{"stream":"TICKS","domain":"hub", "seq":8}"#, 8, false), (#"{"stream":"T","seq":9,"duplicate": true}"#, 9, true),
  ])
  func `acknowledgements are read`(_ json: String, _ sequence: UInt64, _ isDuplicate: Bool) throws {
    let message = try answer(json)
    #expect(message.subjectNumber == 17)
    #expect(try PublishAcknowledgement(message) == PublishAcknowledgement(sequence: sequence, isDuplicate: isDuplicate))
  }

  @Test(arguments: [
    (
      #"{"error":{"code":400,"err_code":10071,"description":"wrong last sequence: 5"},"stream":"T","seq":0}"#,
      "JetStream refused it: wrong last sequence: 5 (10071)"
    ),
    (#"{"stream":"T","seq":0}"#, "the server broke the protocol: an acknowledgement without a number"),
    (
      #"{"stream":"T","seq":-3}"#,
      #"the server broke the protocol: a malformed reply of JetStream: {"stream":"T","seq":-3}"#
    ),
    (#"{"stream":"T"#, #"the server broke the protocol: a malformed reply of JetStream: {"stream":"T"#),
  ])
  func `refusals and damaged acknowledgements are errors`(_ json: String, _ words: String) throws {
    let message = try answer(json)
    do throws(NATSError) {
      _ = try PublishAcknowledgement(message)
      #expect(Bool(false))
    } catch { #expect("\(error)" == words) }
  }

  @Test func `the place of a message is read from its subject, with a domain or without`() throws {
    let place = try #require(JetStreamPlace("$JS.ACK.TICKS.desk-1.1.17.3.1700000000000000000.4"))
    #expect(place.sequence == 17 && place.consumerSequence == 3 && place.pending == 4)
    let other = try #require(JetStreamPlace("$JS.ACK.hub.HASH.TICKS.desk-1.1.17.3.1700000000000000000.4.token"))
    #expect(other == place)
    for text in [
      "", "$JS.ACK.a", "$JS.ACK.T.c.1.x.3.1.4", "$JS.ACK.T.c.1.0.3.1.4", "$JS.ACK.T.c.1.99999999999999999999.3.1.4",
      "$JS.ACK.T.c.1.-7.3.1.4",
      "$JS.ACK.T.c.1.7.3.1.", "$JS.ACK.T.c.1.7.3.1.4.5", "$JS.ACK.T.c.1.7x.3.1.4",
    ] {
      #expect(JetStreamPlace(text) == nil)
    }
  }

  @Test func `a pull asks for more before it is empty, and finds what is missing`() throws {
    var pull = JetStreamPull(stream: "T", consumer: "c")
    let asked = pull.request()
    let first = try #require(asked)
    #expect(first.subject == "$JS.API.CONSUMER.MSG.NEXT.T.c")
    // Until a message has come their size is a guess.
    #expect(first.body == #"{"batch":256,"expires":30000000000,"idle_heartbeat":5000000000}"#)
    let none = pull.request()
    #expect(none == nil)
    func item(_ n: Int) throws -> NATSMessage { try message("MSG t 3 $JS.ACK.T.c.1.\(n + 10).\(n).1.0 1\r\nx\r\n") }
    for n in 1...256 {
      let piece = try pull.take(try item(n))
      #expect(piece == .message(try #require(JetStreamPlace("$JS.ACK.T.c.1.\(n + 10).\(n).1.0"))))
    }
    let second = pull.request()
    #expect(second?.body.hasPrefix(#"{"batch":4096,"#) == true)
    #expect(pull.outstanding == 4096)
    for n in 257...2304 { _ = try pull.take(try item(n)) }
    let third = pull.request()
    #expect(third != nil)
    #expect(pull.outstanding == 6144)
    let expired = "NATS/1.0 408 Request Timeout\r\nNats-Pending-Messages: 2048\r\n\r\n"
    let status = try pull.take(try message("HMSG i 3 \(expired.utf8.count) \(expired.utf8.count)\r\n\(expired)\r\n"))
    #expect(status == .status)
    #expect(pull.outstanding == 4096)
    let late = try item(2306)
    #expect(throws: NATSError.protocolViolation("message 2306 of a consumer came after 2304")) { try pull.take(late) }
    let gone = "NATS/1.0 409 Consumer Deleted\r\n\r\n"
    let last = try message("HMSG i 3 \(gone.utf8.count) \(gone.utf8.count)\r\n\(gone)\r\n")
    #expect(throws: NATSError.consumerTaken) { try pull.take(last) }
  }

  @Test(arguments: ["408 Request Timeout", "404 No Messages", "409 Batch Completed"])
  func `requests that end at once, again and again, are given up`(words: String) throws {
    var pull = JetStreamPull(stream: "T", consumer: "c")
    func status(_ words: String) throws -> NATSMessage {
      let head = "NATS/1.0 \(words)\r\n\r\n"
      return try message("HMSG i 3 \(head.utf8.count) \(head.utf8.count)\r\n\(head)\r\n")
    }
    // In an hour without messages requests end, and there are signs of life between.
    for _ in 0..<100 {
      _ = pull.request()
      _ = try pull.take(try status(words))
      _ = try pull.take(try status("100 Idle Heartbeat"))
    }
    for _ in 0..<16 {
      _ = pull.request()
      let piece = try pull.take(try status(words))
      #expect(piece == .status)
    }
    let last = try status(words)
    #expect(throws: NATSError.protocolViolation("it ends pull requests too early")) { try pull.take(last) }
  }

  @Test func `a pull of large messages asks for fewer`() throws {
    var pull = JetStreamPull(stream: "T", consumer: "c")
    _ = pull.request()
    let payload = String(repeating: "x", count: 1 << 20)
    for n in 1...200 {
      _ = try pull.take(try message("MSG t 3 $JS.ACK.T.c.1.\(n).\(n).1.0 \(payload.utf8.count)\r\n\(payload)\r\n"))
    }
    // 56 of the first request are under way, four of a mebibyte are what is asked for.
    let early = pull.request()
    #expect(early == nil)
    for n in 201...254 {
      _ = try pull.take(try message("MSG t 3 $JS.ACK.T.c.1.\(n).\(n).1.0 \(payload.utf8.count)\r\n\(payload)\r\n"))
    }
    let next = pull.request()
    #expect(next?.body.hasPrefix(#"{"batch":4,"#) == true)
  }
}

extension JetStreamPlace {
  fileprivate init?(_ text: String) {
    var text = text
    guard let place = text.withUTF8({ JetStreamPlace($0) }) else { return nil }
    self = place
  }
}
