import StockbusNetwork
import StockbusPlugin
import StockbusProgram
import Synchronization

/// An echo with a delay, or one that cuts the connection.
final class EchoScript: Sendable {
  private let clock: any Timekeeper
  private let delay: Duration
  private let cutAfter: Int?
  private let count = Mutex(0)

  init(clock: any Timekeeper, delay: Duration, cutAfter: Int?) {
    self.clock = clock
    self.delay = delay
    self.cutAfter = cutAfter
  }

  /// How many messages have been echoed on all connections.
  var echoed: Int { count.withLock { $0 } }

  /// Serves one connection until its end.
  func serve(_ connection: WebSocketConnection) async {
    // Replies wait in the stream until they are due; a client that sends more than a mebibyte meanwhile has to wait.
    let (stream, late) = AsyncStream.makeStream(of: (due: Duration, messages: [WebSocketMessage]).self)
    let backlog = Backlog()
    await withTaskGroup(of: Void.self) { group in
      group.addTask { [self] in
        var left = cutAfter ?? .max
        for await (due, messages) in stream {
          do {
            try await clock.sleep(until: due)
            for message in messages.prefix(left) { connection.queue(message) }
            try await connection.flush()
          } catch { return connection.drop() }
          let sent = min(left, messages.count)
          count.withLock { $0 += sent }
          left -= sent
          if left == 0 { return connection.drop() }
          backlog.add(-messages.reduce(0) { $0 + $1.count })
        }
      }
      while let messages = try? await connection.receive() {
        backlog.add(messages.reduce(0) { $0 + $1.count })
        late.yield((clock.uptime + delay, messages))
        await backlog.waitWhileLarge(connection)
      }
      late.finish()
    }
  }
}

/// The number of bytes that wait until their replies are due.
private final class Backlog: Sendable {
  private let bytes = Mutex(0)
  private let changed = Bell()

  func add(_ n: Int) {
    bytes.withLock { $0 += n }
    changed.ring()
  }

  func waitWhileLarge(_ connection: WebSocketConnection) async {
    while connection.isOpen, !Task.isCancelled {
      let heard = changed.rings
      if bytes.withLock({ $0 < 1 << 20 }) { return }
      await changed.wait(after: heard)
    }
  }
}
