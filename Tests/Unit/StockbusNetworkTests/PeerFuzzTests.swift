import Foundation
import NIOCore
import TestSupport
import StockbusPlugin
import Testing

@testable import StockbusNetwork

/// What a hostile peer can send before and after the handshake, by seed; STOCKBUS_FUZZ_COUNT sets the number.
@Suite(.timeLimit(.minutes(30))) struct PeerFuzzTests {
  private static let count = ProcessInfo.processInfo.environment["STOCKBUS_FUZZ_COUNT"].flatMap { Int($0) } ?? 4000

  /// A sequence of valid and invalid frames.
  private func frames(_ random: inout SplitMix) -> [UInt8] {
    var bytes: [UInt8] = []
    for _ in 0...random.upTo(4) {
      let isMasked = random.oneIn(2)
      let opcode = random.oneIn(8) ? UInt8(random.upTo(15)) : [0, 1, 2, 8, 9, 10][random.upTo(5)]
      bytes.append((random.oneIn(4) ? 0 : 0x80) | (random.oneIn(30) ? UInt8(random.upTo(7)) << 4 : 0) | opcode)
      var payload = (0..<[0, 1, 2, 5, 60, 125, 126, 200][random.upTo(7)]).map { _ in UInt8(random.oneIn(20) ? 0xc3 : 97) }
      if opcode == 8, random.oneIn(2) { payload = [3, UInt8(232 + random.upTo(15))] + payload }
      let length = random.oneIn(20) ? random.upTo(1 << 40) : payload.count
      let mask: UInt8 = isMasked ? 0x80 : 0
      switch random.oneIn(10) ? 127 : length {
      case 0...125: bytes.append(mask | UInt8(length))
      case 126...0xffff:
        bytes += [mask | 126] + (0..<2).reversed().map { UInt8(truncatingIfNeeded: length >> (8 * $0)) }
      default: bytes += [mask | 127] + (0..<8).reversed().map { UInt8(truncatingIfNeeded: length >> (8 * $0)) }
      }
      if isMasked { bytes += (0..<4).map { _ in UInt8(truncatingIfNeeded: random.next()) } }
      bytes += payload
    }
    return bytes
  }

  /// The results of a reader for the bytes, cut at these positions.
  private func read(_ bytes: [UInt8], masked: Bool, cuts: [Int]) -> [String] {
    var reader = FrameReader(limit: 150, expectsMask: masked)
    var lines: [String] = []
    var at = 0
    do throws(WebSocketError) {
      for end in cuts + [bytes.count] {
        reader.append(ByteBuffer(bytes: bytes[at..<end]))
        at = end
        while let piece = try reader.next() {
          switch piece {
          case .message(let message): lines.append("\(message.kind) \(message.text)")
          case .ping(let payload): lines.append("ping \(payload.readableBytes)")
          case .pong: lines.append("pong")
          case .close(let code, let reason): return lines + ["close \(code?.rawValue ?? 0) \(reason)"]
          }
        }
      }
    } catch {
      // How much of a refused message has arrived, and is shown, depends on the cuts.
      if case .tooLarge(let size, _, _) = error { return lines + ["too large \(size)"] }
      return lines + ["\(error)"]
    }
    return lines
  }

  @Test func `frames of every kind are read the same however they are cut, and never trap`() {
    var random = SplitMix(3)
    var messages = 0
    var costs = Costs("frames")
    for _ in 0..<(Self.count / 10) {
      let bytes = frames(&random)
      let isMasked = random.oneIn(2)
      let whole = costs.measure(size: bytes.count, "\(bytes)", isGood: { $0.count > 1 }) { read(bytes, masked: isMasked, cuts: []) }
      messages += whole.count
      for _ in 0..<4 {
        let cuts = (0..<random.upTo(6)).map { _ in random.upTo(bytes.count) }.sorted()
        #expect(read(bytes, masked: isMasked, cuts: cuts) == whole)
      }
      if bytes.count < 300 { #expect(read(bytes, masked: isMasked, cuts: Array(1..<max(1, bytes.count))) == whole) }
    }
    #expect(messages > Self.count / 20)
    for line in costs.lines { print(line) }
  }

  @Test func `heads of every kind are answered in words and never trap`() throws {
    var random = SplitMix(5)
    let words = [
      "GET", "POST", " ", " /", "HTTP/1.1", "HTTP/1.0", " 101 ", "Switching", "\r\n", "\r\n", "\n", ":", ": ", "Upgrade", "websocket",
      "Connection", "Sec-WebSocket-Version", "13", "Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Accept", ",", "\t",
      "Location", "\u{0}", "é", "\u{9b}31m", "Sec-WebSocket-Extensions", "x", String(repeating: "y", count: 400),
    ]
    let good =
      "GET / HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="
    let request = UpgradeRequest(try WebSocketURL(option: "ws://localhost"), headers: [], subprotocol: nil)
    let answer =
      "HTTP/1.1 101 x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: \(UpgradeRequest.accept(request.key))"
    var accepted = 0
    var costs = Costs("handshakes")
    for round in 0..<(Self.count / 4) {
      var bytes: [UInt8]
      if round % 2 == 0 {
        bytes = (0...random.upTo(30)).flatMap { _ in Array(words[random.upTo(words.count - 1)].utf8) }
      } else {
        bytes = Array((random.oneIn(2) ? good : answer).utf8)
        for _ in 0..<random.upTo(3) where !bytes.isEmpty { bytes[random.upTo(bytes.count - 1)] = UInt8(truncatingIfNeeded: random.next()) }
      }
      let read = costs.measure(size: bytes.count, String(decoding: bytes, as: UTF8.self), isGood: { $0?.response.isAccepted ?? false }) {
        HTTPHead(bytes).map { (head: $0, response: UpgradeResponse.reply($0)) }
      }
      guard let (head, response) = read else { continue }
      #expect(response.text.hasPrefix("HTTP/1.1 ") && response.text.hasSuffix("\r\n\r\n"))
      if response.isAccepted { accepted += 1 }
      do throws(WebSocketError) {
        try request.check(head, now: Timestamp(ns: 0))
        accepted += 1
      } catch {
        // The message contains text of the peer, which must not contain control characters.
        #expect(!"\(error)".unicodeScalars.contains { $0.value < 32 || (127..<160).contains($0.value) })
      }
    }
    #expect(accepted > 0)
    for line in costs.lines { print(line) }
  }

  @Test func `answers over HTTP lead nowhere they must not, break out of no line and wait no negative time`() throws {
    let words = [
      "https://", "http://", "a.test", "b.test", "@", "//", "/../", "?", "#", "%2f", ":443", ":0", ":99999", "[::1]", "/x", "user:pw@", "é",
      " ",
      "\r\n", "\u{0}", "\t", ",", ";", "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "120",
      "-5",
      "99999999999999999999", "GMT", "Authorization", "X-Key", "Retry-After", String(repeating: "y", count: 300),
    ]
    var random = SplitMix(7)
    var costs = Costs("answers over HTTP")
    let now = try Timestamp(iso8601: "1994-11-06T08:49:00Z")
    var (followed, refused) = (0, 0)
    func text() -> String {
      var text = (0...random.upTo(6)).map { _ in words[random.upTo(words.count - 1)] }.joined()
      if random.oneIn(2) {
        text =
          ["https://a.test/x", "http://b.test:81/y?z", "/path", "//b.test/", "Sun, 06 Nov 1994 08:49:37 GMT"][random.upTo(4)]
          + (random.oneIn(2) ? "" : text)
      }
      guard random.oneIn(3) else { return text }
      var bytes = Array(text.utf8)
      bytes[random.upTo(bytes.count - 1)] = UInt8(truncatingIfNeeded: random.next())
      return String(decoding: bytes, as: UTF8.self)
    }
    for _ in 0..<(Self.count / 4) {
      let (first, second) = (text(), text())
      var fields = HTTPFields()
      let (asked, address) = costs.measure(size: first.utf8.count + second.utf8.count, first + " | " + second) {
        fields.receive(first, second)
        try? fields.set(second, first)
        return (RetryAfter(first, date: first, now: now), try? WebAddress(first))
      }
      for (name, value) in zip(fields.names, fields.values) {
        if (name + value).utf8.contains(where: { $0 == 10 || $0 == 13 || $0 == 0 }) || name.isEmpty || fields[name.uppercased()] == nil {
          Issue.record("\(name.debugDescription): \(value.debugDescription)")
        }
      }
      if let asked, asked.pause < .zero || asked.pause > RetryAfter.longest {
        Issue.record("\(first.debugDescription) is a pause of \(asked.pause)")
      }
      guard let address else { continue }
      let again = try? WebAddress(address.origin + address.target)
      if again?.origin != address.origin || again?.target != address.target || "\(address)".contains("@") || "\(address)".contains("?") {
        Issue.record("\(first.debugDescription) shows as \(address)")
      }
      var request = HTTPRequest(.post, address, body: [1])
      try request.fields.set("Authorization", "s3cret")
      try request.fields.set("X-Key", "s3cret")
      do throws(HTTPError) {
        let next = try costs.measure(size: first.utf8.count + second.utf8.count, first + " → " + second) { () throws(HTTPError) in
          try Redirect.next(after: request, status: 307, location: second, secrets: ["X-Key"])
        }
        followed += 1
        let isSame = next.address.hasOrigin(of: address)
        if address.isSecure && !next.address.isSecure || !isSame && (next.fields["Authorization"] != nil || next.fields["X-Key"] != nil) {
          Issue.record("\(first.debugDescription) leads to \(second.debugDescription)")
        }
      } catch {
        refused += 1
        if error.description.contains("s3cret") || error.description.utf8.contains(where: { $0 < 32 }) { Issue.record("\(error)") }
      }
    }
    #expect(followed > Self.count / 1000 && refused > Self.count / 1000, "\(followed), \(refused)")
    for line in costs.lines { print(line) }
  }
}
