internal import NIOCore
internal import NIOEmbedded
internal import NIOWebSocket

extension Contest {
  /// Texts become frames that a socket is given, 64 with each flush. Masks are given: making them costs both the same.
  ///
  /// - `ours`: all frames of a flush are written into one buffer.
  /// - `nio`: a buffer and a frame for each text, through NIO's encoder.
  /// - `room`: the same with room for the head in front of each text, so that the encoder need not send the head apart.
  static func encode(bytes: Int, isMasked: Bool) -> Contest {
    let work = FrameWork(bytes: bytes, count: 4096, isMasked: isMasked)
    let contestants: [(String, Encoding.Kind)] = [("ours", .ours), ("nio", .nio), ("room", .room)]
    for (name, kind) in contestants {
      let encoding = Encoding(kind, keepsPieces: true)
      encoding.send(work)
      let written = (encoding.wire.digest.pieces ?? []).joined()
      precondition(written.elementsEqual(work.stream.readableBytesView), "\(name) writes something else")
    }
    return Contest(
      units: work.payloads.count, prepare: {},
      contestants: contestants.map { name, kind in
        let encoding = Encoding(kind)
        return Contestant(name: name) {
          encoding.send(work)
          return encoding.wire.bytes
        }
      })
  }
}

/// A channel without a socket that frames are written to.
final class Encoding {
  enum Kind {
    case ours, nio, room
  }

  let wire: Wire
  private let channel = EmbeddedChannel()
  private let source = Source()
  private let kind: Kind

  init(_ kind: Kind, keepsPieces: Bool = false) {
    self.kind = kind
    wire = Wire(keepsPieces: keepsPieces)
    do {
      try channel.pipeline.syncOperations.addHandler(wire)
      if kind != .ours { try channel.pipeline.syncOperations.addHandler(WebSocketFrameEncoder()) }
      try channel.pipeline.syncOperations.addHandler(source)
    } catch { preconditionFailure("\(error)") }
  }

  func buffers(of work: FrameWork) -> Int {
    send(work)
    return wire.buffers
  }

  func send(_ work: FrameWork) {
    guard let context = source.context else { return }
    for start in stride(from: 0, to: work.payloads.count, by: 64) {
      let batch = start..<min(start + 64, work.payloads.count)
      if kind == .ours {
        var outgoing = ByteBuffer()
        for i in batch { work.payloads[i].withUnsafeBytes { outgoing.writeFrame(.text, $0, mask: work.masks?[i]) } }
        context.write(NIOAny(outgoing), promise: nil)
      } else {
        for i in batch {
          let data = buffer(work.payloads[i], context.channel.allocator)
          let frame = WebSocketFrame(fin: true, opcode: .text, maskKey: work.masks.map { Self.key($0[i]) }, data: data)
          context.write(NIOAny(frame), promise: nil)
        }
      }
      context.flush()
    }
  }

  @inline(__always)
  private func buffer(_ payload: [UInt8], _ allocator: ByteBufferAllocator) -> ByteBuffer {
    let room = kind == .room ? 14 : 0
    var buffer = allocator.buffer(capacity: payload.count + room)
    buffer.moveWriterIndex(to: room)
    buffer.moveReaderIndex(to: room)
    buffer.writeBytes(payload)
    return buffer
  }

  @inline(__always)
  private static func key(_ mask: UInt32) -> WebSocketMaskingKey {
    var given = Given(mask: mask)
    return .random(using: &given)
  }

  /// The only quick way to a key of one's own.
  private struct Given: RandomNumberGenerator {
    let mask: UInt32
    @inline(__always)
    mutating func next() -> UInt64 { UInt64(mask) }
  }
}

/// Where frames come from.
final class Source: ChannelInboundHandler {
  typealias InboundIn = Never

  private(set) var context: ChannelHandlerContext?

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }
  func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }
}

/// What a socket would be given.
final class Wire: ChannelOutboundHandler {
  typealias OutboundIn = ByteBuffer

  private(set) var digest: Digest
  private(set) var bytes: UInt64 = 0
  private(set) var buffers = 0

  init(keepsPieces: Bool) { digest = Digest(keepsPieces: keepsPieces) }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    let buffer = unwrapOutboundIn(data)
    bytes &+= UInt64(buffer.readableBytes)
    buffers += 1
    if digest.pieces != nil { digest.add(buffer) }
    promise?.succeed()
  }

  func flush(context: ChannelHandlerContext) {}
}
