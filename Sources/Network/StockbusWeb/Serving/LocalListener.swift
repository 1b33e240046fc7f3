internal import Dispatch
internal import LibC
internal import NIOCore
internal import NIOPosix
internal import StockbusPlugin
internal import Synchronization

/// A listening Unix socket. The network's threads start with its first client, because most runs never have one.
final class LocalListener: Sendable {
  private enum State {
    /// There was no client yet; the source watches the socket.
    case waiting
    /// The first client waits while the socket is passed to the network's threads.
    case opening
    case open(any Channel)
    case closed
  }

  private let state = Mutex(State.waiting)
  /// Fires when the socket is closed.
  private let gone = Latch()
  /// Unsafe only for the compiler: any thread may use dispatch sources.
  private nonisolated(unsafe) let source: any DispatchSourceRead

  /// - Parameters:
  ///   - socket: a listening socket, which the listener closes.
  ///   - bootstrap: called once, for the first client.
  init(_ socket: CInt, _ bootstrap: @escaping @Sendable () -> ServerBootstrap) {
    source = DispatchSource.makeReadSource(fileDescriptor: socket)
    source.setEventHandler { [weak self] in self?.welcome() }
    // Only now is the socket in no other use.
    source.setCancelHandler { [weak self, gone] in
      guard let self, self.isOpening else {
        Self.discard(socket)
        return gone.fire()
      }
      bootstrap().withBoundSocket(socket).whenComplete { self.opened($0) }
    }
    source.activate()
  }

  private var isOpening: Bool { state.withLock { if case .opening = $0 { true } else { false } } }

  private func welcome() {
    let isFirst = state.withLock { state in
      guard case .waiting = state else { return false }
      state = .opening
      return true
    }
    if isFirst { source.cancel() }
  }

  private func opened(_ result: Result<any Channel, any Error>) {
    guard case .success(let channel) = result else {
      state.withLock { $0 = .closed }
      return gone.fire()
    }
    channel.closeFuture.whenComplete { [gone] _ in gone.fire() }
    let isWanted = state.withLock { state in
      guard case .opening = state else { return false }
      state = .open(channel)
      return true
    }
    if !isWanted { channel.close(promise: nil) }
  }

  /// Stops listening; returns when the socket is closed, also if it is being opened at this moment.
  func close() async {
    let last = state.withLock { state in
      defer { state = .closed }
      return state
    }
    switch last {
    case .waiting: source.cancel()
    case .open(let channel): channel.close(promise: nil)
    case .opening, .closed: break
    }
    // A cancelled task waits too.
    await Task { [gone] in await gone.wait() }.value
  }

  private static func discard(_ socket: CInt) {
    _ = LibC.close(socket)
  }
}
