import NIOCore
import NIOEmbedded
import TestSupport
import TestServers
import Testing

@testable import StockbusTLS

/// Peers that speak another language, an old one, or nonsense.
@Suite(.timeLimit(.minutes(15))) struct PeerTests {
  let authority = Authority()

  @Test func `one that speaks plain HTTP is told as such, on either side`() throws {
    let pair = try authority.pair().connect()
    let waiting = pair.client.say("GET / HTTP/1.1\r\n\r\n")
    pair.client.receive(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8))
    #expect(pair.client.ear.errors == ["the other side does not speak TLS"] && !pair.client.isOpen)
    #expect(waiting.words == "the other side does not speak TLS")
    for request in ["GET / HTTP/1.1\r\n\r\n", "CONNECT a:1 HTTP/1.1\r\n\r\n", "PUB a 1\r\nx\r\n"] {
      let pair = try authority.pair().connect()
      pair.server.receive(Array(request.utf8))
      #expect(pair.server.ear.errors == ["the other side does not speak TLS"] && !pair.server.isOpen)
    }
  }

  /// A record of the handshake.
  private func record(_ kind: UInt8, _ message: [UInt8]) -> [UInt8] {
    let content = [kind, 0, UInt8(message.count >> 8), UInt8(message.count & 255)] + message
    return [22, 3, 2, UInt8(content.count >> 8), UInt8(content.count & 255)] + content
  }

  @Test func `TLS 1.1 is refused, on either side`() throws {
    let random = [UInt8](repeating: 7, count: 32)
    let pair = try authority.pair().connect()
    _ = pair.client.sent()
    pair.client.receive(record(2, [3, 2] + random + [0, 0xc0, 0x13, 0]))
    #expect(pair.client.ear.errors == ["unsupported protocol"] && !pair.client.isOpen)
    // Its alert: fatal, protocol_version.
    #expect(Array(pair.client.sent().suffix(2)) == [2, 70])
    pair.server.receive(record(1, [3, 2] + random + [0, 0, 2, 0xc0, 0x13, 1, 0]))
    #expect(pair.server.ear.errors == ["unsupported protocol"] && !pair.server.isOpen)
    #expect(Array(pair.server.sent().suffix(2)) == [2, 70])
  }

  @Test func `one that leaves in the handshake`() throws {
    for halfClosure in [false, true] {
      let pair = try authority.pair(halfClosure: halfClosure).connect()
      let waiting = pair.client.say("never")
      if halfClosure { pair.client.end() } else { pair.client.cutOff() }
      #expect(pair.client.ear.errors == ["the connection was closed in the handshake"] && !pair.client.isOpen)
      #expect(pair.client.ear.events == ["inactive"] && waiting.words == "the connection was closed in the handshake")
    }
  }

  @Test func `one that never finishes the handshake is bounded`() throws {
    let pair = try authority.pair().connect()
    var sent = 0
    while pair.server.isOpen, sent < 1 << 20 {
      // A part of a greeting that claims 130,000 bytes.
      let part = [UInt8](repeating: 0, count: 8000)
      let begin: [UInt8] = sent == 0 ? [1, 1, 0xff, 0xff, 3, 3] : []
      let content = begin + part
      pair.server.receive([22, 3, 1, UInt8(content.count >> 8), UInt8(content.count & 255)] + content)
      sent += content.count
    }
    #expect(!pair.server.isOpen && sent < 1 << 19 && pair.server.ear.errors.count == 1)
  }

  @Test func `a record that claims too much is refused by its head`() throws {
    for isOpen in [false, true] {
      let pair = try authority.pair().connect()
      if isOpen { pair.carry() }
      pair.server.receive([23, 3, 3, 0xff, 0xff])
      #expect(!pair.server.isOpen && pair.server.ear.errors.count == 1 && pair.server.ear.bytes == [])
    }
  }

  @Test func `garbage is an error and nothing else`() throws {
    let (client, server) = (try authority.client(), try authority.server())
    for seed in 0..<rounds(300, cost: 4) {
      var random = SplitMix(UInt64(seed))
      let pair = try Pair(client, server).connect()
      if random.oneIn(2) { pair.carry() }
      for side in [pair.client, pair.server] {
        for _ in 0...random.upTo(4) {
          var bytes = (0...random.upTo(300)).map { _ in UInt8.random(in: .min ... .max, using: &random) }
          // Most are records at least by their heads.
          if !random.oneIn(4) {
            bytes = [20 + UInt8(random.upTo(4)), 3, UInt8(1 + random.upTo(2)), UInt8(bytes.count >> 8), UInt8(bytes.count & 255)] + bytes
          }
          side.receive(bytes)
        }
        #expect(side.ear.bytes == [] && side.ear.errors.count <= 1 && side.isOpen == side.ear.errors.isEmpty)
      }
    }
  }

  @Test func `a flipped bit anywhere: nothing is delivered that was not sent, and whoever reads it fails`() throws {
    let (client, server) = (try authority.client(), try authority.server())
    let words = Array("the quick brown fox jumps over the lazy dog".utf8)
    for seed in 0..<rounds(1200, cost: 4) {
      var random = SplitMix(UInt64(seed))
      let pair = try Pair(client, server).connect()
      let (ofClient, place, bit) = (random.oneIn(2), random.upTo(1400), UInt8(1) << random.upTo(7))
      var (seen, toBody, body, flipped) = (0, 5, 0, false)
      var head: [UInt8] = []
      let cut = { (bytes: [UInt8], isClients: Bool) -> [[UInt8]] in
        if isClients != ofClient { return [bytes] }
        var bytes = bytes
        for at in bytes.indices {
          // The head of a record has a version that TLS 1.3 ignores.
          let isHead = body == 0
          if isHead {
            head.append(bytes[at])
            if head.count == toBody { (body, head) = (Int(head[3]) << 8 | Int(head[4]), []) }
          } else {
            body -= 1
          }
          if seen >= place, !flipped, !isHead {
            bytes[at] ^= bit
            flipped = true
          }
          seen += 1
        }
        return [bytes]
      }
      toBody = 5
      pair.carry(cut)
      for _ in 0..<3 {
        pair.client.say(words)
        pair.server.say(words)
        pair.carry(cut)
      }
      let sent = words + words + words
      for side in [pair.client, pair.server] { #expect(sent.starts(with: side.ear.bytes)) }
      let errors = pair.client.ear.errors + pair.server.ear.errors
      #expect(errors.isEmpty != flipped, "seed \(seed)")
    }
  }

  @Test func `records that are left out, doubled or exchanged are errors`() throws {
    let (client, server) = (try authority.client(), try authority.server())
    for seed in 0..<rounds(100, cost: 20) {
      var random = SplitMix(UInt64(seed))
      let pair = try Pair(client, server).connect()
      pair.carry()
      var records = (0..<6).map { number in
        pair.client.say("record \(number) ")
        return pair.client.sent()
      }
      let sent = (0..<6).map { "record \($0) " }.joined()
      let place = random.upTo(4)
      switch random.upTo(2) {
      case 0: records.remove(at: place)
      case 1: records.insert(records[place], at: place)
      default: records.swapAt(place, place + 1)
      }
      for record in records { pair.server.receive(record) }
      #expect(sent.hasPrefix(pair.server.ear.text) && pair.server.ear.errors.count == 1 && !pair.server.isOpen)
    }
  }
}
