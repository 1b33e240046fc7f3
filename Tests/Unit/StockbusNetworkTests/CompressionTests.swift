import TestServers
import NIOCore
import StockbusPlugin
import StockbusTestKit
import Testing

@testable import StockbusNetwork

@Suite(.timeLimit(.minutes(15))) struct CompressionTests {
  // MARK: permessage-deflate

  /// The results of a reader for bytes that come in chunks, as text.
  private func read(_ bytes: [UInt8], limit: Int = 1 << 20, forgets: Bool = false, chunk: Int = .max) throws -> [String] {
    let inflater = try #require(Inflater(.bare))
    var reader = FrameReader(limit: limit, expectsMask: false, inflation: .init(inflater: inflater, forgets: forgets))
    var lines: [String] = []
    var at = 0
    do throws(WebSocketError) {
      while at < bytes.count {
        let end = min(bytes.count, at + min(chunk, bytes.count))
        reader.append(ByteBuffer(bytes: bytes[at..<end]))
        at = end
        while let piece = try reader.next() {
          if case .message(let message) = piece { lines.append("\(message.kind) \(message.text)") } else { lines.append("control") }
        }
      }
    } catch { lines.append("\(error)") }
    return lines
  }

  private static let hello: [UInt8] = [0xc1, 0x07, 0xf2, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00]

  @Test(
    arguments: [
      // 7.2.3.1, as one frame and as two.
      (hello, ["text Hello"]),
      ([0x41, 0x03, 0xf2, 0x48, 0xcd, 0x80, 0x04, 0xc9, 0xc9, 0x07, 0x00], ["text Hello"]),
      // 7.2.3.2: the second message refers to the first.
      (hello + hello, ["text Hello", "text Hello"]),
      (hello + [0xc1, 0x05, 0xf2, 0x00, 0x11, 0x00, 0x00], ["text Hello", "text Hello"]),
      // 7.2.3.3: a block without compression.
      ([0xc1, 0x0b, 0x00, 0x05, 0x00, 0xfa, 0xff, 0x48, 0x65, 0x6c, 0x6c, 0x6f, 0x00], ["text Hello"]),
      // 7.2.3.4: a block that says it is the last; what follows may still refer to it.
      ([0xc1, 0x08, 0xf3, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00, 0x00], ["text Hello"]),
      (
        [0xc1, 0x08, 0xf3, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00, 0x00, 0xc1, 0x05, 0xf2, 0x00, 0x11, 0x00, 0x00],
        ["text Hello", "text Hello"]
      ),
      // The same without the byte behind it, as some senders leave it out.
      ([0xc1, 0x07, 0xf3, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00] + hello, ["text Hello", "text Hello"]),
      // 7.2.3.5: two blocks.
      ([0xc1, 0x0d, 0xf2, 0x48, 0x05, 0x00, 0x00, 0x00, 0xff, 0xff, 0xca, 0xc9, 0xc9, 0x07, 0x00], ["text Hello"]),
      // 7.2.3.6: an empty message.
      ([0xc1, 0x01, 0x00], ["text "]),
      // Messages without compression, and control frames, may come between.
      ([0x81, 0x02, 0x68, 0x69, 0x8a, 0x00] + hello, ["text hi", "control", "text Hello"]),
    ] as [([UInt8], [String])])
  func `reads the examples of RFC 7692, section 7_2_3`(bytes: [UInt8], expected: [String]) throws {
    for chunk in [1, 2, 3, Int.max] { #expect(try read(bytes, chunk: chunk) == expected) }
  }

  @Test func `messages that forget those before cannot refer to them`() throws {
    #expect(try read(Self.hello + Self.hello, forgets: true) == ["text Hello", "text Hello"])
    #expect(
      try read(Self.hello + [0xc1, 0x05, 0xf2, 0x00, 0x11, 0x00, 0x00], forgets: true) == [
        "text Hello", "the peer broke the protocol: a compressed message that is damaged: invalid distance too far back",
      ])
  }

  @Test func `what is compressed wrongly is told`() throws {
    let broken = "the peer broke the protocol: "
    // Block type 3 does not exist; 'Hello' without its last byte is cut inside a block.
    #expect(try read([0xc1, 0x01, 0x07]) == [broken + "a compressed message that is damaged: invalid block type"])
    #expect(try read([0xc1, 0x05, 0xf2, 0x48, 0xcd, 0xc9, 0xc9]).first?.hasPrefix(broken + "a compressed message that ") == true)
    #expect(try read([0xc1, 0x00]) == ["text "])
    // The text Hello with its second byte 0xff (a block without compression).
    #expect(try read([0xc1, 0x08, 0x00, 0x02, 0x00, 0xfd, 0xff, 0x48, 0xff, 0x00]) == ["a text that is not UTF-8"])
    for frame: [UInt8] in [[0xc9, 0x00], [0xc8, 0x00], [0xa1, 0x00], [0x91, 0x00], [0x01, 0x00, 0xc0, 0x00]] {
      #expect(try read(frame) == [broken + "a frame with reserved bits"])
    }
  }

  /// 1,048,576 blanks, compressed by zlib; the last bytes are those that permessage-deflate leaves out.
  private static let bomb: [UInt8] =
    [0xec, 0xc1, 0x31, 0x01, 0, 0, 0, 0xc2, 0xa0, 0x2a, 0xeb, 0x9f, 0xd2, 0x10, 0xbe, 0x40, 0x01] + [UInt8](repeating: 0, count: 1015)
    + [0x7c, 0x06, 0, 0, 0xff, 0xff]

  @Test func `a message may not become larger than the limit`() throws {
    let payload = Self.bomb.dropLast(4)
    let frame = [0xc1, 0x7e, UInt8(payload.count >> 8), UInt8(payload.count & 0xff)] + payload
    #expect(try read(frame, limit: 1 << 20) == ["text " + String(repeating: " ", count: 1 << 20)])
    #expect(try read(frame, limit: (1 << 20) - 1) == ["a message of 1MiB or more; the limit is 1048575B"])
    #expect(try read(frame, limit: 2048) == ["a message of 2049B or more; the limit is 2KiB"])
    // The compressed bytes are held to it too.
    let early = try read(frame, limit: 1001)
    #expect(early == ["a message of 1034B or more; the limit is 1001B"])
  }

  // MARK: Its handshake

  @Test(
    arguments: [
      ("permessage-deflate", false), ("permessage-deflate; server_no_context_takeover", true),
      ("Permessage-Deflate;client_no_context_takeover ; server_max_window_bits=10", false),
      ("permessage-deflate; client_max_window_bits=15; server_max_window_bits=\"8\"; server_no_context_takeover", true),
    ])
  func `terms of compression are read`(value: String, forgets: Bool) throws {
    #expect(try Deflation.terms(value).forgets == forgets)
  }

  @Test(arguments: [
    "", "x-webkit-deflate-frame", "permessage-deflate, permessage-deflate", "permessage-deflate; server_max_window_bits",
    "permessage-deflate; server_max_window_bits=7", "permessage-deflate; server_max_window_bits=08",
    "permessage-deflate; client_max_window_bits=16", "permessage-deflate; server_no_context_takeover=1", "permessage-deflate; x",
    "permessage-deflate; server_no_context_takeover; server_no_context_takeover", "permessage-deflate;",
  ])
  func `other terms are refused`(value: String) {
    #expect(throws: WebSocketError.badHandshake("the server's compression parameters are not valid: \(value)")) {
      try Deflation.terms(value)
    }
  }

  /// A server that answers a handshake with these terms, and then sends bytes.
  private func server(_ terms: String, _ frames: [UInt8], heard: Watched<[String]>) async throws -> RawServer {
    try await RawServer { text in
      heard.update { $0.append(text) }
      guard let key = HTTPHead(Array(text.utf8.dropLast(4)))?["sec-websocket-key"] else { return nil }
      let head =
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        + "Sec-WebSocket-Accept: \(UpgradeRequest.accept(key))\r\nSec-WebSocket-Extensions: \(terms)\r\n\r\n"
      return Array(head.utf8) + frames
    }
  }

  private func client(_ port: Int, compression: Bool) throws -> WebSocketClient {
    var settings = ConnectionSettings()
    settings.compression = compression
    return try WebSocketClient(WebSocketURL(isSecure: false, host: "127.0.0.1", port: port), settings, clock: ManualTimekeeper())
  }

  @Test func `a client that takes compressed messages offers it and reads them`() async throws {
    let heard = Watched<[String]>([])
    let server = try await server(
      "permessage-deflate; server_max_window_bits=12", Self.hello + [0xc1, 0x05, 0xf2, 0x00, 0x11, 0x00, 0x00], heard: heard)
    let connection = try await client(server.port, compression: true).open()
    #expect(try await texts(2, from: connection) == ["Hello", "Hello"])
    #expect(heard.value[0].contains("\r\nSec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n"))
    connection.drop()
    await server.stop()
  }

  @Test func `a client that does not offers nothing, and says what to write where a server compresses`() async throws {
    let heard = Watched<[String]>([])
    let pushy = try await server("permessage-deflate", [], heard: heard)
    await #expect(
      throws: WebSocketError.badHandshake(
        "the server uses extensions that were not requested: permessage-deflate; 'compression: true' under 'connection' requests it")
    ) { _ = try await client(pushy.port, compression: false).open() }
    #expect(!heard.value[0].contains("Extensions"))
    await pushy.stop()
    let careless = try await server("", Self.hello, heard: heard)
    let connection = try await client(careless.port, compression: false).open()
    #expect(
      await ending(of: connection)
        == .protocolViolation(
          "a compressed message without an agreement on compression; 'compression: true' under 'connection' accepts them"))
    await careless.stop()
  }

  // MARK: Whole messages

  private func contents(_ bytes: [UInt8], limit: Int = 1 << 20) -> String {
    switch bytes.withUnsafeBufferPointer({ CompressedContents(of: $0, limit: limit) }) {
    case .plain: "plain"
    case .contents(let bytes): "contents " + String(decoding: bytes, as: UTF8.self)
    case .unreadable(let reason): reason
    }
  }

  /// `{"a":1}` in each form.
  private static let gzip: [UInt8] = [
    0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xab, 0x56, 0x4a, 0x54, 0xb2, 0x32, 0xac, 0x05, 0x00, 0xaf, 0xac, 0x1b,
    0x56,
    0x07, 0x00, 0x00, 0x00,
  ]
  private static let zlib: [UInt8] = [0x78, 0x9c, 0xab, 0x56, 0x4a, 0x54, 0xb2, 0x32, 0xac, 0x05, 0x00, 0x08, 0x2a, 0x02, 0x09]
  private static let bare: [UInt8] = [0xab, 0x56, 0x4a, 0x54, 0xb2, 0x32, 0xac, 0x05, 0x00]
  /// Not ended, only flushed.
  private static let flushed: [UInt8] = [0xaa, 0x56, 0x4a, 0x54, 0xb2, 0x32, 0xac, 0x05, 0x00, 0x00, 0x00, 0xff, 0xff]

  @Test func `gzip, zlib and bare deflate are recognised and read`() {
    for bytes in [Self.gzip, Self.zlib, Self.bare, Self.flushed] { #expect(contents(bytes) == #"contents {"a":1}"#) }
    // Members of gzip one behind the other.
    #expect(contents(Self.gzip + Self.gzip) == #"contents {"a":1}{"a":1}"#)
  }

  @Test func `what is not compressed is left as it is`() {
    for text in [#"{"a":1}"#, "[1]", "pong", "hb", "x^", "", "\u{feff}{}", "1", "42[\"trade\"]"] {
      #expect(contents(Array(text.utf8)) == "plain")
    }
    // A message of Protocol Buffers.
    #expect(contents([0x0a, 0x04, 0x41, 0x41, 0x50, 0x4c, 0x15, 0x00, 0x80, 0x17, 0x43]) == "plain")
    // Bare deflate of something that is no text.
    #expect(contents([0x01, 0x02, 0x00, 0xfd, 0xff, 0x00, 0x01]) == "plain")
  }

  @Test func `what is damaged or too large is told by its name`() {
    #expect(contents(Array(Self.gzip.dropLast(3))) == "gzip that ends too early")
    #expect(contents(Self.gzip.dropLast(6) + [0, 0] + Self.gzip.suffix(4)) == "gzip that is damaged: incorrect data check")
    #expect(contents(Self.gzip + [1]) == "gzip that is damaged: data follows its end")
    #expect(contents(Array(Self.zlib.dropLast(1))) == "zlib that ends too early")
    #expect(contents(Self.gzip, limit: 7) == #"contents {"a":1}"#)
    #expect(contents(Self.gzip, limit: 6) == "gzip of more than 6 bytes, the limit, once it is decompressed")
    let bomb: [UInt8] = [0x78, 0x9c] + Self.bomb
    #expect(contents(bomb, limit: 10_000) == "zlib of more than 10000 bytes, the limit, once it is decompressed")
  }

  @Test(arguments: 0..<20) func `damaged bytes are an answer and never more than the limit`(seed: Int) {
    var random = RandomStream(seed: UInt64(seed))
    for round in 0..<300 {
      var bytes = [Self.gzip, Self.zlib, Self.bare, Self.flushed, Self.bomb][round % 5]
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      if case .contents(let found) = bytes.withUnsafeBufferPointer({ CompressedContents(of: $0, limit: 100) }) {
        #expect(found.count <= 100)
      }
      let frame = [0xc2, 0x7e, UInt8(bytes.count >> 8), UInt8(bytes.count & 0xff)] + bytes
      if let inflater = Inflater(.bare) {
        var reader = FrameReader(limit: 2048, expectsMask: false, inflation: .init(inflater: inflater, forgets: false))
        reader.append(ByteBuffer(bytes: frame + Self.hello))
        while case .message(let message)? = try? reader.next() { #expect(message.count <= 2048) }
      }
    }
  }
}
