import NIOCore
import NIOEmbedded
import Testing

@testable import StockbusNetwork

@Suite struct HTTPPartsTests {
  @Test func `on a connection that was closed before it could be used nothing is waited for`() throws {
    // Never connected, which is as if it were closed.
    let channel = EmbeddedChannel()
    let parts = HTTPParts(on: channel.eventLoop)
    try channel.pipeline.syncOperations.addHandler(parts)
    #expect(throws: HTTPParts.Closed.self) { try parts.next().wait() }
    #expect(throws: HTTPParts.Closed.self) { try parts.secured().wait() }
    #expect(!parts.endRest())
  }
}
