import StockbusNetwork
import Foundation
import NIOCore
import TestSupport
import Testing

@testable import NATS

/// What the reader makes of bytes, in words.
private func describe(_ operation: NATSOperation) -> String {
  switch operation {
  case .info(let info): return "info \(info.version) \(info.maxPayload)"
  case .ping: return "ping"
  case .pong: return "pong"
  case .ok: return "ok"
  case .error(let words): return "error \(words)"
  case .message(let message):
    let headers = message.headers.map { " [\($0.status.map(String.init) ?? "-") \($0.value("A") ?? "-")]" } ?? ""
    return "\(message.subscription) \(message.subject) \(message.reply ?? "-")\(headers) \(String(buffer: message.payload))"
  }
}

/// The results for the bytes, cut at these positions.
private func read(_ bytes: [UInt8], cuts: [Int] = [], _ limits: NATSLimits = NATSLimits()) -> [String] {
  var reader = NATSReader(limits: limits)
  var lines: [String] = []
  var at = 0
  do throws(NATSError) {
    for end in cuts + [bytes.count] {
      reader.append(ByteBuffer(bytes: bytes[at..<end]))
      at = end
      while let operation = try reader.next() { lines.append(describe(operation)) }
    }
  } catch {
    // How long a refused line is depends on the cuts.
    if case .tooLarge(let what, _, _) = error { return lines + ["too large: \(what)"] }
    return lines + ["\(error)"]
  }
  return lines
}

private func read(_ text: String, _ limits: NATSLimits = NATSLimits()) -> [String] { read(Array(text.utf8), limits) }

@Suite struct NATSReaderTests {
  /// Each kind of line, as the protocol's documentation writes it.
  private static let all =
    "INFO {\"server_id\":\"X\",\"version\":\"2.10.23\",\"max_payload\":1048576,\"unknown\":[1,{}]}\r\n"
    + "PING\r\nPONG\r\n+OK\r\n-ERR 'Unknown Protocol Operation'\r\n"
    + "MSG FOO.BAR 9 11\r\nHello World\r\n"
    + "MSG FOO.BAR 9 GREETING.34 11\r\nHello\r\nWord\r\n"
    + "HMSG FOO.BAR 9 BAZ.69 20 31\r\nNATS/1.0\r\nA: b c\r\n\r\nHello World\r\n"
    + "HMSG FOO 12 16 16\r\nNATS/1.0 503\r\n\r\n\r\n"
    + "MSG\t A  1   0 \r\n\r\n"
  private static let expected = [
    "info 2.10.23 1048576", "ping", "pong", "ok", "error Unknown Protocol Operation", "9 FOO.BAR - Hello World",
    "9 FOO.BAR GREETING.34 Hello\r\nWord", "9 FOO.BAR BAZ.69 [- b c] Hello World", "12 FOO - [503 -] ", "1 A - ",
  ]

  @Test func `every kind of line is read, wherever the bytes are cut`() {
    let bytes = Array(Self.all.utf8)
    #expect(read(bytes) == Self.expected)
    #expect(read(bytes, cuts: Array(1..<bytes.count)) == Self.expected)
    for cut in 1..<bytes.count { #expect(read(bytes, cuts: [cut]) == Self.expected) }
    var random = SplitMix(7)
    for _ in 0..<500 {
      let cuts = Set((0..<random.upTo(12)).map { _ in 1 + random.upTo(bytes.count - 2) }).sorted()
      #expect(read(bytes, cuts: cuts) == Self.expected)
    }
  }

  @Test(arguments: [
    ("FOO\r\n", "the server broke the protocol: an unknown line: FOO"),
    ("\r\n", "the server broke the protocol: an unknown line: "),
    ("INFO {\r\n", "the server broke the protocol: INFO is malformed"),
    ("INFO {\"max_payload\":\"x\"}\r\n", "the server broke the protocol: INFO is malformed"),
    ("INFO {\"max_payload\":0}\r\n", "the server broke the protocol: it accepts messages of at most 0 bytes"),
    ("MSG a 1\r\n", "the server broke the protocol: a malformed line: MSG a 1"),
    ("MSG a x 1\r\n", "the server broke the protocol: a malformed line: MSG a x 1"),
    ("MSG a 1 -1\r\n", "the server broke the protocol: a malformed line: MSG a 1 -1"),
    ("MSG a 1 9999999999999999999\r\n", "the server broke the protocol: a malformed line: MSG a 1 9999999999999999999"),
    ("MSG a 1 b c 1\r\n", "the server broke the protocol: a malformed line: MSG a 1 b c 1"),
    ("HMSG a 1 5 4\r\n", "the server broke the protocol: a malformed line: HMSG a 1 5 4"),
    ("MSG a 1 2\r\nabc\r\n", "the server broke the protocol: a message is not as long as its line says"),
  ])
  func `a malformed line is refused`(_ text: String, _ reason: String) { #expect(read(text) == [reason]) }

  @Test func `what is larger than its limit is refused by its line`() {
    var limits = NATSLimits()
    limits.line = 40
    limits.headers = 20
    limits.payload = 30
    #expect(read("MSG a 1 31\r\n", limits) == ["too large: a message"])
    #expect(read("HMSG a 1 21 22\r\n", limits) == ["too large: headers"])
    #expect(read("MSG a 1 30\r\n", limits) == [])
    #expect(read(String(repeating: "x", count: 41), limits) == ["too large: a line"])
    #expect(read(String(repeating: "x", count: 41) + "\n", limits) == ["too large: a line"])
    let long = String(repeating: "s", count: NATSLimits.subject + 1)
    #expect(read("MSG \(long) 1 1\r\n").first?.hasPrefix("the server broke the protocol: a malformed line: MSG sss") == true)
  }

  @Test func `headers have a status, words and fields`() {
    let headers = NATSHeaders(ByteBuffer(string: "NATS/1.0 409 Consumer Deleted\r\nNats-Pending-Messages: 17\r\nA:  x\r\nA: y\r\n\r\n"))
    #expect(headers.status == 409)
    #expect(headers.statusText == "Consumer Deleted")
    #expect(headers.value("Nats-Pending-Messages") == "17")
    #expect(headers.value("A") == "x")
    #expect(headers.value("a") == nil)
    #expect(NATSHeaders(ByteBuffer(string: "NATS/1.0\r\n\r\n")).status == nil)
    #expect(NATSHeaders(ByteBuffer(string: "")).status == nil)
  }

  /// STOCKBUS_FUZZ_COUNT sets the number.
  private static let count = ProcessInfo.processInfo.environment["STOCKBUS_FUZZ_COUNT"].flatMap { Int($0) } ?? 20_000

  @Test func `damaged lines end in a message or an error, the same wherever they are cut, and within the limits`() {
    var random = SplitMix(18)
    var limits = NATSLimits()
    limits.line = 120
    limits.payload = 100
    limits.headers = 60
    let original = Array(Self.all.utf8)
    for _ in 0..<Self.count {
      var bytes = Array(original[random.upTo(original.count - 1)...].prefix(1 + random.upTo(250)))
      for _ in 0...random.upTo(3) where !bytes.isEmpty {
        let at = random.upTo(bytes.count - 1)
        switch random.upTo(3) {
        case 0: bytes[at] = UInt8(random.upTo(255))
        case 1: bytes.remove(at: at)
        case 2: bytes.insert([10, 13, 32, 48, 57, 77, 0, 255][random.upTo(7)], at: at)
        default: bytes.insert(contentsOf: original.prefix(random.upTo(60)), at: at)
        }
      }
      let whole = read(bytes, limits)
      let cuts = bytes.count < 2 ? [] : Set((0..<random.upTo(6)).map { _ in 1 + random.upTo(bytes.count - 2) }).sorted()
      #expect(read(bytes, cuts: cuts, limits) == whole)
      var reader = NATSReader(limits: limits)
      reader.append(ByteBuffer(bytes: bytes))
      while let operation = try? reader.next() {
        if case .message(let message) = operation { #expect(message.count <= limits.payload) }
      }
    }
  }
}
