import NIOCore
import NIOPosix
import StockbusPlugin
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A TCP proxy that breaks connections by a random plan from a seed: each after some number of bytes, at any position, with a FIN or a
/// reset, at once or after a stall. Sometimes bytes are delayed. It does not reorder anything.
final class ChaosProxy: Sendable {
  enum Cut: CaseIterable, Sendable { case finish, reset, stallThenFinish, stallThenReset }

  /// The record of one connection.
  struct Entry: Sendable {
    /// How it was cut; nil if it was not.
    let cut: Cut?
    /// The number of bytes after which it is cut, both directions together.
    let budget: Int
    var forwarded = 0
    /// True if the server's whole handshake response was passed on.
    var sawHandshake = false
    var isCut = false
  }

  private struct State {
    var entries: [Entry] = []
    var random: RandomStream
  }

  private let state: Mutex<State>
  private let listener: any Channel
  var port: Int { listener.localAddress?.port ?? 0 }

  /// - Parameter within: the largest number of bytes before a cut.
  static func start(upstream: Int, seed: UInt64, cuts: Int, within: Int, on group: any EventLoopGroup) async throws -> ChaosProxy {
    let box = Box()
    let listener = try await ServerBootstrap(group: group)
      .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          guard let proxy = box.proxy.withLock({ $0 }) else { throw ChannelError.ioOnClosedChannel }
          try channel.pipeline.syncOperations.addHandler(Front(proxy, proxy.plan(cuts: cuts, within: within), upstream: upstream))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    let proxy = ChaosProxy(listener, seed: seed)
    box.proxy.withLock { $0 = proxy }
    return proxy
  }

  private final class Box: Sendable { let proxy = Mutex<ChaosProxy?>(nil) }

  private init(_ listener: any Channel, seed: UInt64) {
    self.listener = listener
    state = Mutex(State(random: RandomStream(seed: seed)))
  }

  var log: [Entry] { state.withLock { $0.entries } }

  func stop() async { try? await listener.close().get() }

  private func plan(cuts: Int, within: Int) -> Int {
    state.withLock { state in
      let isCut = state.entries.count < cuts
      let cut = isCut ? Cut.allCases.randomElement(using: &state.random) : nil
      // A tenth of the connections is cut during the handshake or soon after it.
      let most = state.entries.count % 10 == 0 ? 600 : within
      state.entries.append(Entry(cut: cut, budget: isCut ? Int.random(in: 1...most, using: &state.random) : .max))
      return state.entries.count - 1
    }
  }

  private func entry(_ index: Int) -> Entry { state.withLock { $0.entries[index] } }
  private func update(_ index: Int, _ body: (inout Entry) -> Void) { state.withLock { body(&$0.entries[index]) } }
  /// The delay of a chunk in milliseconds, mostly none.
  private func pause() -> Int64 { state.withLock { Int.random(in: 0..<40, using: &$0.random) == 0 ? 2 : 0 } }

  /// The client's side; both sides run on one thread.
  private final class Front: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let proxy: ChaosProxy
    private let index: Int
    private let upstream: Int
    private var left: Int
    private var client: (any Channel)?
    private var server: (any Channel)?
    private var early: [ByteBuffer] = []
    private var head: [UInt8] = []
    private var isOver = false
    /// Delayed chunks, in order, each with its destination.
    private var held: [(ByteBuffer, any Channel)] = []
    private var isHolding = false

    init(_ proxy: ChaosProxy, _ index: Int, upstream: Int) {
      self.proxy = proxy
      self.index = index
      self.upstream = upstream
      left = proxy.entry(index).budget
    }

    func channelActive(context: ChannelHandlerContext) {
      client = context.channel
      let this = NIOLoopBound(self, eventLoop: context.eventLoop)
      ClientBootstrap(group: context.eventLoop)
        .channelInitializer { channel in
          channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Back(this.value)) }
        }
        .connect(host: "127.0.0.1", port: upstream)
        .whenComplete { result in
          let front = this.value
          switch result {
          case .success(let channel):
            front.server = channel
            for chunk in front.early { front.forward(chunk, to: channel) }
            front.early = []
            if front.isOver { channel.close(promise: nil) }
          case .failure: front.close(reset: false)
          }
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      let chunk = unwrapInboundIn(data)
      if let server { forward(chunk, to: server) } else { early.append(chunk) }
    }

    func fromServer(_ chunk: ByteBuffer) { if let client { forward(chunk, to: client) } }

    private func forward(_ chunk: ByteBuffer, to channel: any Channel) {
      if isOver { return }
      if isHolding {
        held.append((chunk, channel))
        return
      }
      let pause = proxy.pause()
      if pause > 0 {
        held.append((chunk, channel))
        isHolding = true
        let this = NIOLoopBound(self, eventLoop: channel.eventLoop)
        channel.eventLoop.scheduleTask(in: .milliseconds(pause)) { this.value.release() }
        return
      }
      pass(chunk, to: channel)
    }

    private func release() {
      isHolding = false
      let waiting = held
      held = []
      for (chunk, channel) in waiting { pass(chunk, to: channel) }
    }

    private func pass(_ chunk: ByteBuffer, to channel: any Channel) {
      if isOver { return }
      var chunk = chunk
      let n = min(left, chunk.readableBytes)
      guard let part = chunk.readSlice(length: n) else { return }
      left -= n
      if channel === client, head.count < 4096 { head += Array(part.readableBytesView.prefix(4096 - head.count)) }
      let sawHandshake = String(decoding: head, as: UTF8.self).contains("\r\n\r\n")
      proxy.update(index) { entry in
        entry.forwarded += n
        entry.sawHandshake = sawHandshake
      }
      channel.writeAndFlush(part, promise: nil)
      if left == 0 { cut() }
    }

    private func cut() {
      isOver = true
      proxy.update(index) { $0.isCut = true }
      guard let kind = proxy.entry(index).cut else { return }
      let reset = kind == .reset || kind == .stallThenReset
      guard kind == .stallThenFinish || kind == .stallThenReset, let client else { return close(reset: reset) }
      let this = NIOLoopBound(self, eventLoop: client.eventLoop)
      client.eventLoop.scheduleTask(in: .milliseconds(5)) { this.value.close(reset: reset) }
    }

    func close(reset: Bool) {
      isOver = true
      server?.close(promise: nil)
      guard let client else { return }
      if reset, let options = client as? any SocketOptionProvider {
        options.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete { _ in client.close(promise: nil) }
      } else {
        client.close(promise: nil)
      }
    }

    func channelInactive(context: ChannelHandlerContext) {
      isOver = true
      server?.close(promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
  }

  private final class Back: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let front: Front
    init(_ front: Front) { self.front = front }
    func channelRead(context: ChannelHandlerContext, data: NIOAny) { front.fromServer(unwrapInboundIn(data)) }
    func channelInactive(context: ChannelHandlerContext) { front.close(reset: false) }
    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
  }
}
