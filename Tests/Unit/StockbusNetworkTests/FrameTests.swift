import NIOCore
import StockbusPlugin
import Testing

@testable import StockbusNetwork

@Suite(.timeLimit(.minutes(15))) struct FrameTests {
  /// The results of a reader for bytes that come in chunks, as text.
  private func read(_ bytes: [UInt8], limit: Int = 1 << 20, masked: Bool = false, chunk: Int = .max) -> [String] {
    var reader = FrameReader(limit: limit, expectsMask: masked)
    var lines: [String] = []
    var at = 0
    do throws(WebSocketError) {
      while at < bytes.count {
        let end = min(bytes.count, at + min(chunk, bytes.count))
        reader.append(ByteBuffer(bytes: bytes[at..<end]))
        at = end
        while let piece = try reader.next() { lines.append(Self.words(piece)) }
      }
    } catch { lines.append("\(error)") }
    return lines
  }

  private static func words(_ piece: FrameReader.Piece) -> String {
    switch piece {
    case .message(let message): "\(message.kind) \(message.text)"
    case .ping(let payload): "ping \(String(buffer: payload))"
    case .pong: "pong"
    case .close(let code, let reason): "close \(code?.rawValue ?? 0) \(reason)"
    }
  }

  @Test func `reads the examples of RFC 6455, section 5_7`() {
    #expect(read([0x81, 0x05, 0x48, 0x65, 0x6c, 0x6c, 0x6f]) == ["text Hello"])
    #expect(read([0x81, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58], masked: true) == ["text Hello"])
    #expect(read([0x01, 0x03, 0x48, 0x65, 0x6c, 0x80, 0x02, 0x6c, 0x6f]) == ["text Hello"])
    #expect(read([0x89, 0x05, 0x48, 0x65, 0x6c, 0x6c, 0x6f]) == ["ping Hello"])
    #expect(read([0x8a, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58], masked: true) == ["pong"])
    #expect(read([0x82, 0x7e, 0x01, 0x00] + Array(repeating: 65, count: 256)) == ["binary " + String(repeating: "A", count: 256)])
    let long: [UInt8] = [0x82, 0x7f, 0, 0, 0, 0, 0, 1, 0, 0] + Array(repeating: 65, count: 65536)
    #expect(read(long) == ["binary " + String(repeating: "A", count: 65536)])
  }

  @Test func `writes the examples of RFC 6455, section 5_7`() {
    var out = ByteBuffer()
    Array("Hello".utf8).withUnsafeBytes { out.writeFrame(.text, $0, mask: nil) }
    #expect(Array(buffer: out) == [0x81, 0x05, 0x48, 0x65, 0x6c, 0x6c, 0x6f])
    out = ByteBuffer()
    Array("Hello".utf8).withUnsafeBytes { out.writeFrame(.text, $0, mask: 0x37fa_213d) }
    #expect(Array(buffer: out) == [0x81, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58])
    out = ByteBuffer()
    out.writeClose(.normal, "", mask: nil)
    #expect(Array(buffer: out) == [0x88, 0x02, 0x03, 0xe8])
    // A reason is cut between characters; there is room for 123 bytes after the code.
    out = ByteBuffer()
    out.writeClose(.normal, String(repeating: "ä", count: 70), mask: nil)
    #expect(read(Array(buffer: out)) == ["close 1000 " + String(repeating: "ä", count: 61)])
  }

  @Test(arguments: [true, false], 0..<6)
  func `what is written is read back, however it is cut into chunks`(masked: Bool, seed: Int) {
    var random = RandomStream(seed: UInt64(seed))
    var out = ByteBuffer()
    var expected: [String] = []
    for _ in 0..<20 {
      // Most seeds use short messages, so that they can be fed byte by byte.
      let sizes = seed % 3 == 0 ? [0, 1000, 65535, 65536] : [0, 1, 7, 8, 125, 126, 127, 300]
      let size = sizes[Int.random(in: 0..<sizes.count, using: &random)]
      let text = String((0..<size).map { _ in Character(Unicode.Scalar(UInt8.random(in: 32...126, using: &random))) })
      let mask = masked ? UInt32.random(in: 0 ... .max, using: &random) : nil
      let opcode: Opcode = [.text, .binary, .ping][Int.random(in: 0..<3, using: &random)]
      if opcode == .ping, size > 125 { continue }
      Array(text.utf8).withUnsafeBytes { out.writeFrame(opcode, $0, mask: mask) }
      expected.append("\(opcode) \(text)")
    }
    let bytes = Array(buffer: out)
    for chunk in [1, 3, 1000, 65536, Int.max] where chunk > 3 || bytes.count < 20_000 {
      #expect(read(bytes, masked: masked, chunk: chunk) == expected)
    }
  }

  @Test func `random bytes are refused in words and never more`() {
    for seed in 0..<3000 {
      var random = RandomStream(seed: UInt64(seed))
      let bytes = (0..<Int.random(in: 1...80, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      _ = read(bytes, limit: 64, masked: seed % 2 == 0, chunk: 1 + seed % 7)
    }
  }

  @Test func `a message over the limit is refused by its head, before its payload`() {
    let announced: [UInt8] = [0x82, 0x7f, 0, 0, 0, 0, 4, 0, 0, 0]
    #expect(read(announced) == ["a message of 64MiB or more; the limit is 1MiB"])
    #expect(read([0x81, 0x7f, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]).last?.hasSuffix("the limit is 1MiB") == true)
    #expect(read([0x81, 0x7f, 0xff, 0, 0, 0, 0, 0, 0, 0]) == ["the peer broke the protocol: a frame of 18374686479671623680 bytes"])
    #expect(read([0x81, 5] + Array("Hello".utf8), limit: 5) == ["text Hello"])
    #expect(read([0x81, 6], limit: 5) == ["a message of 6B or more; the limit is 5B"])
  }

  @Test func `of a message that is refused the beginning is told, as far as it is there`() {
    func beginning(_ bytes: [UInt8], masked: Bool = false) -> String? {
      var reader = FrameReader(limit: 8, expectsMask: masked)
      reader.append(ByteBuffer(bytes: bytes))
      do throws(WebSocketError) {
        while try reader.next() != nil {}
        return nil
      } catch {
        guard case .tooLarge(_, 8, let beginning) = error else { return nil }
        return beginning
      }
    }
    #expect(beginning([0x81, 12]) == "")
    #expect(beginning([0x81, 12] + Array("Hello, ".utf8)) == "Hello, ")
    #expect(beginning([0x81, 12] + Array("Hello, world and more".utf8)) == "Hello, world")
    #expect(beginning([0x01, 5] + Array("Hello".utf8) + [0x80, 7] + Array(", world".utf8)) == "Hello, world")
    #expect(beginning([0x81, 0x89, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58], masked: true) == "Hello")
    #expect(beginning([0x81, 0x7e, 0x03, 0xe8] + [UInt8](repeating: 65, count: 1000)) == String(repeating: "A", count: 512))
  }

  @Test func `fragments together are held to the limit, and never more is kept`() {
    var reader = FrameReader(limit: 1 << 20, expectsMask: false)
    var thrown: WebSocketError?
    var most = 0
    let part = [UInt8](repeating: 65, count: 1 << 16)
    feeding: for n in 0..<1024 {
      var frame = ByteBuffer()
      frame.writeFrameHead(n == 0 ? .binary : .continuation, length: part.count, isMasked: false, isFinal: n == 1023)
      frame.writeBytes(part)
      reader.append(frame)
      do throws(WebSocketError) { while try reader.next() != nil {} } catch {
        thrown = error
        break feeding
      }
      most = max(most, reader.held)
    }
    #expect(thrown == .tooLarge(bytes: 17 << 16, limit: 1 << 20, beginning: String(repeating: "A", count: 512)))
    #expect(most == 1 << 20)
  }

  @Test(
    arguments: [
      ([0xc1, 0x00], "a compressed message without an agreement on compression; 'compression: true' under 'connection' accepts them"),
      ([0xa1, 0x00], "a frame with reserved bits"), ([0xc9, 0x00], "a frame with reserved bits"),
      ([0x83, 0x00], "a frame of the unknown kind 3"),
      ([0x89, 0x7e, 0, 126], "a control frame that is too long or in parts"),
      ([0x09, 0x00], "a control frame that is too long or in parts"),
      ([0x80, 0x00], "a continuation frame without a message"), ([0x01, 0x00, 0x81, 0x00], "a new message inside another one"),
      ([0x81, 0x80, 0, 0, 0, 0], "a masked frame from a server"), ([0x88, 0x01, 3], "a close frame with an invalid code"),
      ([0x88, 0x02, 0x03, 0xed], "a close frame with an invalid code"),
    ] as [([UInt8], String)])
  func `what breaks the protocol is told`(bytes: [UInt8], words: String) {
    #expect(read(bytes) == ["the peer broke the protocol: \(words)"])
  }

  @Test func `a client has to mask`() {
    #expect(read([0x81, 0x00], masked: true) == ["the peer broke the protocol: a frame without a mask from a client"])
  }

  @Test func `text is checked as a whole, also over fragments`() {
    #expect(read([0x81, 0x02, 0xc3, 0x28]) == ["a text that is not UTF-8"])
    // As some venues send their gzip.
    #expect(read([0x81, 0x03, 0x1f, 0x8b, 0x08]).first?.hasPrefix("binary ") == true)
    // Half an ä in each fragment.
    #expect(read([0x01, 0x01, 0xc3, 0x80, 0x01, 0xa4]) == ["text ä"])
    #expect(read([0x01, 0x01, 0xc3, 0x80, 0x01, 0x28]) == ["a text that is not UTF-8"])
    #expect(read([0x88, 0x04, 0x03, 0xe8, 0xc3, 0x28]) == ["a text that is not UTF-8"])
    // A control frame may come between fragments.
    #expect(read([0x01, 0x01, 0x61, 0x89, 0x00, 0x80, 0x01, 0x62]) == ["ping ", "text ab"])
  }

  @Test func `masks differ`() {
    var source = MaskSource()
    #expect(Set((0..<1000).map { _ in source.next() }).count > 990)
  }
}

extension Array<UInt8> {
  init(buffer: ByteBuffer) { self = Array(buffer.readableBytesView) }
}
