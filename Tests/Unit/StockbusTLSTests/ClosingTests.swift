import NIOCore
import NIOEmbedded
import TestServers
import Testing

@testable import StockbusTLS

/// The end of a connection, from each side.
@Suite struct ClosingTests {
  let authority = Authority()

  @Test func `a side that closes says farewell, the other one answers, and both end`() throws {
    for isClients in [true, false] {
      let pair = try authority.pair().connect()
      pair.carry()
      let (first, second) = isClients ? (pair.client, pair.server) : (pair.server, pair.client)
      first.say("last")
      let closed = first.close()
      #expect(first.isOpen && closed.words == "-")
      #expect(first.say("too late").words == "\(ChannelError.ioOnClosedChannel)")
      pair.carry()
      pair.loop.run()
      #expect(second.ear.text == "last" && !first.isOpen && !second.isOpen && closed.words == "done")
      for side in [first, second] { #expect(side.ear.events == ["handshake -", "shutdown", "inactive"] && side.ear.errors == []) }
    }
  }

  @Test func `a side that answers no farewell is waited for five seconds`() throws {
    let pair = try authority.pair().connect()
    pair.carry()
    let outcomes = [pair.client.close(), pair.client.close()]
    pair.loop.advanceTime(by: .milliseconds(4999))
    #expect(pair.client.isOpen)
    // What it still says interests nobody.
    pair.server.say("chatter")
    pair.client.receive(pair.server.sent())
    pair.loop.advanceTime(by: .milliseconds(1))
    #expect(!pair.client.isOpen && outcomes.map(\.words) == ["done", "done"])
    #expect(pair.client.ear.bytes == [] && pair.client.ear.errors == [] && pair.client.ear.events == ["handshake -", "inactive"])
  }

  @Test func `a socket that ends after our farewell is no error`() throws {
    for halfClosure in [false, true] {
      let pair = try authority.pair(halfClosure: halfClosure).connect()
      pair.carry()
      let closed = pair.client.close()
      if halfClosure { pair.client.end() } else { pair.client.cutOff() }
      pair.loop.run()
      #expect(!pair.client.isOpen && closed.words == "done" && pair.client.ear.errors == [])
    }
  }

  @Test func `a stream that ends without a farewell is an error`() throws {
    let pair = try authority.pair().connect()
    pair.carry()
    pair.server.say("half")
    pair.carry()
    let waiting = pair.client.write([1])
    pair.client.cutOff()
    #expect(pair.client.ear.text == "half" && pair.client.ear.errors == ["the connection ended without TLS close_notify"])
    #expect(pair.client.ear.events == ["handshake -", "inactive"])
    #expect(waiting.words == "the connection ended without TLS close_notify")
    // With a part of a record too.
    let other = try authority.pair(halfClosure: true).connect()
    other.carry()
    other.server.say("half")
    other.client.receive(Array(other.server.sent().dropLast()))
    other.client.end()
    #expect(other.client.ear.bytes == [] && other.client.ear.errors == ["the connection ended without TLS close_notify"])
    #expect(other.client.ear.events == ["handshake -", "inputClosed"] && other.client.isOpen)
    let closed = other.client.close()
    other.loop.run()
    #expect(!other.client.isOpen && closed.words == "done")
  }

  @Test func `half closure: each side ends by itself`() throws {
    let pair = try authority.pair(halfClosure: true).connect()
    pair.carry()
    pair.client.write(Array("question".utf8))
    let half = pair.client.close(.output)
    #expect(half.words == "done" && pair.client.wire.isOutputClosed)
    #expect(pair.client.say("more").words == "\(ChannelError.outputClosed)")
    pair.carry()
    #expect(pair.server.ear.text == "question" && pair.server.ear.events == ["handshake -", "inputClosed"] && pair.server.isOpen)
    // The socket's end comes after TLS's, and is nothing new.
    pair.server.end()
    #expect(pair.server.ear.events == ["handshake -", "inputClosed"] && pair.server.ear.errors == [])
    pair.server.say("answer")
    pair.carry()
    #expect(pair.client.ear.text == "answer")
    let closed = pair.server.close(.output)
    pair.carry()
    pair.loop.run()
    #expect(closed.words == "done" && !pair.server.isOpen && !pair.client.isOpen)
    #expect(pair.server.ear.events == ["handshake -", "inputClosed", "shutdown", "inactive"])
    #expect(pair.client.ear.events == ["handshake -", "inputClosed", "shutdown", "inactive"])
  }

  @Test func `a closing of the output before the end of the handshake comes after what was written`() throws {
    let pair = try authority.pair(halfClosure: true).connect()
    pair.client.write(Array("all".utf8))
    let half = pair.client.close(.output)
    #expect(half.words == "-")
    pair.carry()
    #expect(half.words == "done" && pair.server.ear.text == "all" && pair.server.ear.events == ["handshake -", "inputClosed"])
  }

  @Test func `before the end of the handshake there is nothing to wait for`() throws {
    for isConnected in [false, true] {
      let pair = try authority.pair()
      if isConnected { _ = try pair.connect() }
      let written = pair.client.say("never")
      let closed = pair.client.close()
      pair.loop.run()
      #expect(closed.words == "done" && written.words == "\(ChannelError.ioOnClosedChannel)" && pair.client.ear.errors == [])
    }
  }

  @Test func `what was not flushed before the end fails`() throws {
    let pair = try authority.pair().connect()
    pair.carry()
    let written = pair.client.write([1, 2, 3])
    pair.client.close()
    #expect(written.words == "\(ChannelError.ioOnClosedChannel)")
    pair.carry()
    #expect(pair.server.ear.bytes == [] && pair.server.ear.errors == [])
  }

  @Test func `a closing from within a read`() throws {
    let pair = try authority.pair().connect()
    pair.carry()
    pair.server.ear.closesAtData = true
    pair.client.say("first")
    pair.client.say("second")
    pair.carry()
    pair.loop.run()
    #expect(!pair.server.isOpen && !pair.client.isOpen && pair.server.ear.errors == [] && pair.client.ear.errors == [])
  }

  @Test func `a closed channel takes no bytes, and is closed once`() throws {
    let pair = try authority.pair().connect()
    pair.carry()
    pair.client.cutOff()
    #expect(pair.client.say("late").words == "\(ChannelError.ioOnClosedChannel)")
    pair.client.channel.pipeline.fireChannelRead(ByteBuffer(string: "late"))
    #expect(pair.client.ear.errors.count == 1 && pair.client.ear.bytes == [])
    #expect(pair.client.close().words == "\(ChannelError.alreadyClosed)")
    #expect(pair.client.close(.input).words == "\(ChannelError.operationUnsupported)")
  }
}
