internal import NIOCore
internal import NIOEmbedded
internal import NIOWebSocket

/// The largest message in all comparisons.
let messageLimit = 1 << 20

extension Contest {
  /// Texts that come in reads of a socket, up to the checked payload.
  ///
  /// - `ours`: `FrameReader` in a handler.
  /// - `nio`: NIO's decoder, its aggregator, and a handler that takes the mask off and checks the text, which ours does too.
  /// - `bare`: NIO's decoder with a handler that takes the mask off: fragments are not put together, and no text is checked.
  static func decode(bytes: Int, isMasked: Bool, read: Int) -> Contest {
    let work = FrameWork(bytes: bytes, count: max(1 << 20 / bytes, 1), isMasked: isMasked)
    let contestants: [(String, Decoding.Kind)] = [("ours", .ours), ("nio", .nio), ("bare", .bare)]
    for (name, kind) in contestants {
      let decoding = Decoding(kind, fromClient: isMasked, keepsPieces: true)
      decoding.take(work.stream, reads: read)
      precondition(decoding.digest.pieces == work.payloads && decoding.errors.isEmpty, "\(name) reads something else")
    }
    let stream = work.stream
    return Contest(
      units: work.payloads.count, prepare: {},
      contestants: contestants.map { name, kind in
        let decoding = Decoding(kind, fromClient: isMasked)
        return Contestant(name: name) {
          decoding.take(stream, reads: read)
          return decoding.digest.value
        }
      })
  }
}

/// A channel without a socket that reads frames.
final class Decoding {
  enum Kind {
    case ours, nio, bare
  }

  private let channel = EmbeddedChannel()
  private let sink: FrameSink

  init(_ kind: Kind, fromClient: Bool, keepsPieces: Bool = false) {
    sink = FrameSink(kind, fromClient: fromClient, keepsPieces: keepsPieces)
    do {
      if kind != .ours {
        try channel.pipeline.syncOperations.addHandler(ByteToMessageHandler(WebSocketFrameDecoder(maxFrameSize: messageLimit)))
      }
      if kind == .nio {
        // Without a limit to the number of fragments, as ours has none.
        try channel.pipeline.syncOperations.addHandler(
          NIOWebSocketFrameAggregator(minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: .max, maxAccumulatedFrameSize: messageLimit))
      }
      if kind == .ours {
        try channel.pipeline.syncOperations.addHandler(OwnReading(sink))
      } else {
        try channel.pipeline.syncOperations.addHandler(sink)
      }
    } catch { preconditionFailure("\(error)") }
  }

  var digest: Digest { sink.digest }
  var kinds: [String] { sink.kinds }
  var errors: [String] { sink.errors }

  /// Each read comes in memory of its own, copied there, as from a socket.
  func take(_ stream: ByteBuffer, reads: Int) {
    var stream = stream
    while let read = stream.readSlice(length: min(reads, stream.readableBytes)), read.readableBytes > 0 {
      channel.pipeline.syncOperations.fireChannelRead(NIOAny(ByteBuffer(bytes: read.readableBytesView)))
      channel.pipeline.syncOperations.fireChannelReadComplete()
    }
  }
}

/// As `WebSocketHandler` reads.
final class OwnReading: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let sink: FrameSink
  private var reader: FrameReader?

  init(_ sink: FrameSink) {
    self.sink = sink
    reader = FrameReader(limit: messageLimit, expectsMask: sink.fromClient)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if reader == nil { return }
    reader?.append(unwrapInboundIn(data))
    do throws(WebSocketError) {
      while let piece = try reader?.next() {
        switch piece {
        case .message(let message): sink.take(message.payload, "message")
        case .ping(let payload): sink.take(payload, "ping")
        case .pong: sink.take(ByteBuffer(), "pong")
        case .close(let code, _): sink.take(ByteBuffer(), "close \(code.map { "\($0.rawValue)" } ?? "without a code")")
        }
      }
    } catch {
      reader = nil
      sink.fail("\(error)")
    }
  }
}

/// Where frames end.
final class FrameSink: ChannelInboundHandler {
  typealias InboundIn = WebSocketFrame

  let fromClient: Bool
  private(set) var digest: Digest
  private(set) var kinds: [String] = []
  private(set) var errors: [String] = []
  private let checksText: Bool

  init(_ kind: Decoding.Kind, fromClient: Bool, keepsPieces: Bool) {
    self.fromClient = fromClient
    digest = Digest(keepsPieces: keepsPieces)
    checksText = kind == .nio
  }

  @inline(__always)
  func take(_ payload: ByteBuffer, _ kind: @autoclosure () -> String) {
    digest.add(payload)
    if digest.pieces != nil { kinds.append(kind()) }
  }

  func fail(_ words: String) { errors.append(words) }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let frame = unwrapInboundIn(data)
    let payload = frame.unmaskedData
    // While pieces are looked at one by one, what NIO itself does is to be seen, not what a handler has to add.
    if checksText, digest.pieces == nil, frame.opcode == .text, !payload.isUTF8 { return fail("a text that is not UTF-8") }
    take(payload, "\(frame.opcode)".replacing("WebSocketOpcode.", with: ""))
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { fail("\(error)") }
}
