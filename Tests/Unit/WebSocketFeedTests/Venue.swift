import StockbusNetwork
import StockbusPlugin
import StockbusTestKit
import Synchronization

@testable import WebSocketFeed

/// A venue that runs a script on each connection, and records the messages it receives.
final class Venue: Sendable {
  let server: WebSocketServer
  let said: Watched<[String]>

  /// `script` gets the connection and its number from 1 on.
  init(clock: any Timekeeper, _ script: @escaping @Sendable (Visit) async throws -> Void) async throws {
    let said = Watched<[String]>([])
    let visits = Watched(0)
    self.said = said
    server = try await WebSocketServer.start(
      clock: clock,
      .script { connection in
        let number = visits.update { count in
          count += 1
          return count
        }
        // A connection that is lost ends its script.
        try? await script(Visit(number: number, connection: connection, said: said))
      })
  }

  var url: String { "ws://127.0.0.1:\(server.port)" }
}

/// One connection of a feed to a venue.
struct Visit: Sendable {
  let number: Int
  let connection: WebSocketConnection
  let said: Watched<[String]>

  func say(_ texts: String...) async throws {
    for text in texts { try await connection.send(text) }
  }

  /// Takes `count` messages.
  func hear(_ count: Int) async throws {
    var left = count
    while left > 0 {
      let batch = try await connection.receive()
      said.update { $0 += batch.map(\.text) }
      left -= batch.count
    }
  }

  /// Stays until the other side has closed.
  func stay() async { while (try? await connection.receive()) != nil {} }
}
