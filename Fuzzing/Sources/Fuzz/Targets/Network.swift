internal import MarketData
internal import NIOCore
@testable import StockbusNetwork
internal import StockbusPlugin
import StockbusText

extension Target {
  /// Frames are the same however the bytes are cut, no more is buffered than the limit allows, and a message that was read, written and
  /// read again is the same.
  static let frames = Target(
    "frames", "WebSocket frames (the first bytes choose the side, the limit and how they are cut)", limit: 2048,
    seeds: frameSeeds, budget: 200
  ) { bytes in
    var choices = Choices(bytes)
    let isServer = choices.coin()
    let limit = [1, 16, 125, 300, 1 << 20][choices.pick(5)]
    let sizes = [1 + choices.pick(64), 1 + choices.pick(16)]
    let stream = choices.rest
    let whole = read(stream, [stream.count], isServer, limit)
    for cut in [sizes, [1], [2, 3]] {
      let other = read(stream, cut, isServer, limit)
      law(other == whole, "cut into \(cut) it gives \(other), whole \(whole)")
    }
  }

  private static func read(
    _ stream: ArraySlice<UInt8>, _ sizes: [Int], _ isServer: Bool, _ limit: Int, _ inflater: Inflater? = nil
  ) -> [String] {
    var reader = FrameReader(
      limit: limit, expectsMask: isServer, inflation: inflater.map { FrameReader.Inflation(inflater: $0, forgets: false) })
    var lines: [String] = []
    do throws(WebSocketError) {
      for piece in pieces(stream, sizes) {
        reader.append(ByteBuffer(bytes: piece))
        while let found = try reader.next() {
          lines.append(words(found))
          if case .message(let message) = found {
            law(message.count <= limit, "a message of \(message.count) bytes over the limit of \(limit)")
            check(message, isServer)
          }
        }
        law(reader.held <= limit + 125 + 14 + piece.count, "\(reader.held) bytes are held of \(limit)")
      }
    } catch {
      law(!error.description.isEmpty, "an error is told")
      lines.append("\(error)")
    }
    return lines
  }

  /// Compressed messages and documents: whatever the bytes are, no more comes of them than the limit allows, and frames are the same however
  /// they are cut.
  static let compressed = Target(
    "compressed", "compressed frames, and bytes that may be gzip, zlib or deflate (the first bytes choose the limit and how they are cut)",
    limit: 2048,
    seeds: [
      [3, 7, 3, 0xc1, 0x07, 0xf2, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00, 0xc1, 0x05, 0xf2, 0x00, 0x11, 0x00, 0x00],
      [3, 7, 3, 0xc1, 0x0d, 0xf2, 0x48, 0x05, 0x00, 0x00, 0x00, 0xff, 0xff, 0xca, 0xc9, 0xc9, 0x07, 0x00],
      [3, 7, 3, 0xab, 0x56, 0x4a, 0x54, 0xb2, 0x32, 0xac, 0x05, 0x00],
      [3, 7, 3, 0x78, 0x9c, 0xab, 0x56, 0x4a, 0x54, 0xb2, 0x32, 0xac, 0x05, 0x00, 0x08, 0x2a, 0x02, 0x09],
    ], budget: 200
  ) { bytes in
    var choices = Choices(bytes)
    let limit = [1, 16, 125, 300, 1 << 20][choices.pick(5)]
    let sizes = [1 + choices.pick(64), 1 + choices.pick(16)]
    let stream = choices.rest
    let whole = read(stream, [stream.count], false, limit, Inflater(.bare))
    for cut in [sizes, [1]] {
      let other = read(stream, cut, false, limit, Inflater(.bare))
      law(other == whole, "cut into \(cut) it gives \(other), whole \(whole)")
    }
    switch Array(stream).withUnsafeBufferPointer({ CompressedContents(of: $0, limit: limit) }) {
    case .plain: break
    case .contents(let contents): law(contents.count <= limit, "\(contents.count) bytes over the limit of \(limit)")
    case .unreadable(let reason): law(isPlain(reason), reason)
    }
  }

  private static func words(_ piece: FrameReader.Piece) -> String {
    switch piece {
    case .message(let message): "\(message.kind) \(message.withBytes { Array($0) })"
    case .ping(let payload): "ping \(Array(buffer: payload))"
    case .pong: "pong"
    case .close(let code, let reason): "close \(code?.rawValue ?? 0) \(reason)"
    }
  }

  private static func check(_ message: WebSocketMessage, _ isMasked: Bool) {
    var out = ByteBuffer()
    message.withBytes { bytes in
      out.writeFrame(message.kind == .text ? .text : .binary, UnsafeRawBufferPointer(bytes), mask: isMasked ? 0x37fa_213d : nil)
    }
    var reader = FrameReader(limit: message.count, expectsMask: isMasked)
    reader.append(out)
    guard case .message(let again) = try? reader.next() else { return law(false, "a frame that was written is not read") }
    let isSame = again.withBytes { a in message.withBytes { b in a.elementsEqual(b) } }
    law(isSame && again.kind == message.kind, "a message is another after it was written")
  }

  private static let frameSeeds: [[UInt8]] = {
    func frame(_ bytes: [UInt8], server: Bool = false) -> [UInt8] { [server ? 1 : 0, 4, 7, 3] + bytes }
    let long: [UInt8] = [0x82, 0x7e, 0x01, 0x00] + [UInt8](repeating: 65, count: 256)
    let longest: [UInt8] = [0x81, 0x7f, 0, 0, 0, 0, 0, 0, 1, 0] + [UInt8](repeating: 66, count: 256)
    return [
      frame([0x81, 0x05, 0x48, 0x65, 0x6c, 0x6c, 0x6f]),
      frame([0x81, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58], server: true),
      frame([0x01, 0x03, 0x48, 0x65, 0x6c, 0x89, 0x00, 0x80, 0x02, 0x6c, 0x6f]), frame([0x88, 0x02, 0x03, 0xe8]), frame(long),
      frame(longest), frame([0x8a, 0x00, 0x89, 0x02, 1, 2]),
    ]
  }()

  /// The two sides of the handshake: any bytes give a head or an error; our client and our server accept each other; a response to another
  /// key is refused.
  static let handshakes = Target(
    "handshakes", "the WebSocket handshake, from either side", limit: 2048,
    words: [
      "GET / HTTP/1.1\r\n", "HTTP/1.1 101 Switching Protocols\r\n", "HTTP/1.1 302 Found\r\n", "Upgrade: websocket\r\n",
      "Connection: Upgrade\r\n",
      "Sec-WebSocket-Key: ", "Sec-WebSocket-Accept: ", "Sec-WebSocket-Version: 13\r\n", "Sec-WebSocket-Protocol: ",
      "Sec-WebSocket-Extensions: ", "Retry-After: 2.75\r\n",
      "Location: ", "dGhlIHNhbXBsZSBub25jZQ==", "\r\n", ", ", "\t", "wss://host:1/path?query", "ws://[::1]:80/",
    ], budget: 200
  ) { bytes in
    let now = Timestamp(ns: 1_700_000_000_000_000_000)
    if let head = HTTPHead(bytes) {
      let answer = UpgradeResponse.reply(head)
      law(answer.text.hasPrefix("HTTP/1.1 ") && answer.text.hasSuffix("\r\n\r\n"), "an answer is a head: \(answer.text)")
      law(answer.text.components("\r\n\r\n") == 1, "an answer is one head: \(answer.text)")
      law(!answer.isAccepted || answer.text.hasPrefix("HTTP/1.1 101 "), "accepted with 101 only")
      do throws(WebSocketError) { try request.check(head, now: now) } catch {
        law(isPlain(error.description) || error.description.utf8.count < 4000, "an error is one line: \(error)")
      }
    }
    // As an address the text gives a request with exactly one head.
    if let url = try? WebSocketURL(option: text(bytes)) {
      let asked = UpgradeRequest(url, headers: [], subprotocol: nil)
      law(asked.text.components("\r\n\r\n") == 1, "a request is one head: \(asked.text)")
      law((try? WebSocketURL(option: url.optionText)) == url, "\(url.optionText) is another address")
      guard let head = HTTPHead(asked.text.utf8.dropLast(4)) else { return law(false, "our request is no head: \(asked.text)") }
      let answer = UpgradeResponse.reply(head)
      law(answer.isAccepted, "our server refuses our client: \(asked.text) \(answer.text)")
      guard let granted = HTTPHead(answer.text.utf8.dropLast(4)) else { return law(false, "our answer is no head") }
      do throws(WebSocketError) { try asked.check(granted, now: now) } catch { law(false, "our client refuses our server: \(error)") }
      law((try? request.check(granted, now: now)) == nil, "an answer to another key is taken")
    }
  }

  private static let request = UpgradeRequest(
    WebSocketURL(isSecure: false, host: "example.com", port: 80), headers: [], subprotocol: nil)

  /// HTTP responses: no header ends its line, no redirect leads to a forbidden address, no pause is negative.
  static let answers = Target(
    "answers", "headers, redirects, pauses and proxies of HTTP", limit: 1024,
    words: [
      "https://", "http://", "example.com", "@", "//", "/../", "?", "#", "%2f", ":443", ":0", "[::1]", "Sun, 06 Nov 1994 08:49:37 GMT",
      "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Authorization", "Retry-After", "120", "99999999999", "\r\n",
      "user:pw@",
    ], budget: 200
  ) { bytes in
    let lines = bytes.split(separator: 10, omittingEmptySubsequences: false).map { text($0) }
    let (first, second) = (lines[0], lines.count > 1 ? lines[1] : "")
    var fields = HTTPFields()
    fields.receive(first, second)
    try? fields.set(second, first)
    for (name, value) in zip(fields.names, fields.values) {
      law(!(name + value).utf8.contains { $0 == 10 || $0 == 13 || $0 == 0 }, "a field breaks out: \(name): \(value)")
      law(!name.isEmpty && !name.contains(":") && fields[name.uppercased()] != nil, "'\(name)' is no name")
    }
    let now = Timestamp(ns: 1_700_000_000_000_000_000)
    if let asked = RetryAfter(first, date: second, now: now) {
      law(asked.pause >= .zero && asked.pause <= RetryAfter.longest, "a pause of \(asked.pause)")
      law(isPlain("\(asked)"), "\(asked)")
    }
    if let address = try? WebAddress(first) {
      law(!address.description.contains("@") && !address.description.contains("?"), "\(address) shows too much")
      let again = try? WebAddress(address.origin + address.target)
      law(again?.origin == address.origin && again?.target == address.target, "\(address.origin)\(address.target) is another address")
      for status in [301, 303, 307] {
        var request = HTTPRequest(.post, address, body: [1])
        try? request.fields.set("Authorization", "secret")
        do throws(HTTPError) {
          let next = try Redirect.next(after: request, status: status, location: second, secrets: ["X-Key"])
          law(!address.isSecure || next.address.isSecure, "\(first) leads out of encryption to \(second)")
          law(next.fields["Authorization"] == nil || next.address.hasOrigin(of: address), "a secret goes from \(first) to \(second)")
          law(next.body.isEmpty || status == 307, "a body goes on after \(status)")
        } catch { law(!error.description.contains("secret"), "\(error) shows a secret") }
      }
      _ = EnvironmentProxy(for: address, in: ["https_proxy": second, "http_proxy": second, "no_proxy": first])
    }
    law(Base64.decode(Base64.encode(bytes)) == bytes, "base64 is no round trip")
    if let decoded = Base64.decode(first) { law(Base64.decode(Base64.encode(decoded)) == decoded, "'\(first)' is no base64") }
  }
}

extension String {
  /// The number of occurrences of `part`.
  fileprivate func components(_ part: String) -> Int {
    let (text, part) = (Array(utf8), Array(part.utf8))
    guard text.count >= part.count else { return 0 }
    return (0...(text.count - part.count)).count { text[$0..<($0 + part.count)].elementsEqual(part) }
  }
}
