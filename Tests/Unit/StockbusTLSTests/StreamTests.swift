import NIOCore
import NIOEmbedded
import TestSupport
import TestServers
import Testing

@testable import StockbusTLS

/// Bytes through TLS are those that went in, however the records are cut on the way.
@Suite(.timeLimit(.minutes(15))) struct StreamTests {
  let authority = Authority()

  private func bytes(_ count: Int, _ random: inout SplitMix) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
  }

  private func check(_ sizes: [Int], seed: UInt64, _ cut: ([UInt8]) -> [[UInt8]]) throws {
    var random = SplitMix(seed)
    let pair = try authority.pair().connect()
    pair.carry { bytes, _ in cut(bytes) }
    #expect(pair.client.ear.events == ["handshake -"] && pair.server.ear.events == ["handshake -"])
    var (up, down): ([UInt8], [UInt8]) = ([], [])
    for size in sizes {
      let (first, second) = (bytes(size, &random), bytes(size / 2, &random))
      let outcomes = [pair.client.say(first), pair.server.say(second)]
      pair.carry { bytes, _ in cut(bytes) }
      up += first
      down += second
      #expect(outcomes.map(\.words) == ["done", "done"])
    }
    #expect(pair.server.ear.bytes == up && pair.client.ear.bytes == down)
    #expect(pair.client.ear.errors == [] && pair.server.ear.errors == [])
  }

  @Test func `in one piece`() throws { try check([1, 100, 16_383, 16_384, 16_385, 70_000], seed: 1) { [$0] } }

  @Test func `byte by byte`() throws { try check([1, 100, 20_000], seed: 2) { $0.map { [$0] } } }

  @Test func `a mebibyte both ways`() throws { try check([1 << 20, 1 << 20, 3 << 20], seed: 3) { [$0] } }

  @Test func `cut anywhere`() throws {
    for seed in 0..<rounds(30, cost: 100) {
      var random = SplitMix(UInt64(seed))
      let sizes = (0..<4).map { _ in random.upTo(40_000) }
      try check(sizes, seed: UInt64(seed)) { bytes in
        var pieces: [[UInt8]] = []
        var rest = bytes[...]
        while !rest.isEmpty {
          let piece = rest.prefix(1 + random.upTo(random.oneIn(2) ? 20 : 9_000))
          pieces.append(Array(piece))
          rest = rest.dropFirst(piece.count)
        }
        return pieces
      }
    }
  }

  @Test func `what is written before the end of the handshake waits for it`() throws {
    let pair = try authority.pair()
    pair.client.ear.greetings = ["first ", "third"]
    _ = try pair.connect()
    let waiting = pair.client.say("second ")
    #expect(waiting.words == "-")
    pair.carry()
    #expect(pair.server.ear.text == "first second third" && waiting.words == "done")
  }

  @Test func `what is not flushed stays, and a flush is one buffer and few records`() throws {
    let pair = try authority.pair().connect()
    pair.carry()
    let outcomes = (0..<100).map { _ in pair.client.write(Array("0123456789".utf8)) }
    #expect(pair.client.sent().isEmpty && outcomes.allSatisfy { $0.words == "-" })
    pair.client.channel.flush()
    let buffers = pair.client.buffers()
    #expect(buffers.count == 1 && buffers[0].count < 1100)
    #expect(outcomes.allSatisfy { $0.words == "done" })
    pair.server.receive(buffers[0])
    #expect(pair.server.ear.bytes.count == 1000 && pair.server.ear.reads == 1 && pair.server.ear.completedReads == 1)
  }

  @Test func `a large flush is handed to the socket in parts, and its promise is the last one's`() throws {
    let pair = try authority.pair().connect()
    pair.carry()
    let outcome = pair.client.say([UInt8](repeating: 1, count: 5 << 20))
    let buffers = pair.client.buffers()
    #expect(buffers.count == 5 && buffers.allSatisfy { $0.count < 1_100_000 } && outcome.words == "done")
    for buffer in buffers { pair.server.receive(buffer) }
    #expect(pair.server.ear.bytes.count == 5 << 20)
  }

  @Test func `an empty write is done in its turn`() throws {
    let pair = try authority.pair().connect()
    let early = pair.client.say("")
    #expect(early.words == "-")
    pair.carry()
    #expect(early.words == "done" && pair.client.say("").words == "done")
  }

  @Test func `an answer from within a read`() throws {
    let pair = try authority.pair().connect()
    pair.server.ear.isEcho = true
    pair.client.say("before")
    pair.carry()
    pair.client.say([UInt8](repeating: 7, count: 100_000))
    pair.carry()
    #expect(pair.client.ear.bytes == Array("before".utf8) + [UInt8](repeating: 7, count: 100_000))
  }

  @Test func `added to a channel that is active already, it begins at once`() throws {
    let channel = EmbeddedChannel(loop: EmbeddedEventLoop())
    try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    try channel.pipeline.syncOperations.addHandler(TLSHandler(client: authority.client(), host: "localhost"))
    #expect(try channel.readOutbound(as: ByteBuffer.self)?.readableBytesView.first == 22)
  }

  @Test func `ALPN: what both sides have, or nothing`() throws {
    for (offer, found) in [(["http/1.1"], "http/1.1"), (["h2", "http/1.1"], "http/1.1"), (["h2"], "-"), ([], "-")] {
      let pair = try authority.pair(protocols: offer).connect()
      pair.carry()
      #expect(pair.client.ear.events == ["handshake \(found)"] && pair.server.ear.events == ["handshake \(found)"])
    }
    #expect(throws: TLSFailure.self) { try authority.client([""]) }
  }

  @Test func `the handshake and the rest of a record are asked for, what follows data is not`() throws {
    let pair = try authority.pair().connect()
    let before = pair.server.wire.reads
    pair.carry { bytes, _ in bytes.map { [$0] } }
    #expect(pair.server.ear.events == ["handshake -"] && pair.server.wire.reads > before + 100)
    let reads = pair.server.wire.reads
    pair.client.say("data")
    pair.server.receive(pair.client.sent())
    #expect(pair.server.ear.text == "data" && pair.server.wire.reads == reads)
    // A part of a record is nothing that anybody above could ask for more after.
    pair.client.say("more")
    pair.server.receive(Array(pair.client.sent().dropLast()))
    #expect(pair.server.ear.text == "data" && pair.server.wire.reads == reads + 1)
  }
}
