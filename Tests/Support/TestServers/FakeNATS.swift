import Foundation
import NIOCore
import NIOPosix
public import StockbusTestKit
import StockbusTLS
import Synchronization

/// A server that speaks as much of NATS and JetStream as the client uses, on loopback, with one stream in memory: it loses connections and
/// acknowledgements by a test's script.
///
/// Written from the protocol's documentation and not from the client, so that both can be compared. Call `close()` at the end.
public final class FakeNATS: Sendable {
  /// What the server does to a message for its stream.
  public enum Fate: Sendable {
    case store
    /// Cuts the connection; the message is not stored.
    case cut
    /// Stores it, and cuts the connection before it is acknowledged.
    case storeAndCut
    /// Stores it and acknowledges nothing.
    case storeSilently
    /// Neither stores it nor says so, as a server does whose disk is full.
    case drop
  }

  public struct Message: Sendable, Hashable {
    public let subject: String
    public let headers: String
    public let bytes: [UInt8]

    public init(subject: String, headers: String = "", bytes: [UInt8]) {
      self.subject = subject
      self.headers = headers
      self.bytes = bytes
    }

    public init(subject: String, headers: String = "", payload: String) {
      self.init(subject: subject, headers: headers, bytes: Array(payload.utf8))
    }

    /// The bytes as text.
    public var payload: String { String(decoding: bytes, as: UTF8.self) }

    /// The value of a header.
    public func header(_ name: String) -> String? {
      for line in headers.components(separatedBy: "\r\n") where line.hasPrefix(name + ":") {
        return line.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces)
      }
      return nil
    }
  }

  struct Consumer {
    var filters: [String]
    var next: Int
    var delivered = 0
    var acknowledged: Int
    var requests: [(inbox: String, left: Int, connection: Int)] = []
  }

  public typealias Lie = @Sendable (_ call: String, _ answer: String) -> String
  struct Core {
    var hasStream = true
    var messages: [Message] = []
    /// How many of them are gone.
    var trimmed = 0
    var metadata: [String: String] = [:]
    var ids: [String: Int] = [:]
    var consumers: [String: Consumer] = [:]
    var hidden = 0
    var connections: [Int: any Channel] = [:]
    var subscriptions: [Int: [(sid: String, subject: String)]] = [:]
    var count = 0
    var published = 0
    var lies: Lie = { $1 }
    var falsePlaces: @Sendable (_ place: String) -> String = { $0 }
  }

  let core = Mutex(Core())
  let subjects: [String]
  let info: String
  let fate: @Sendable (_ number: Int, Message) -> Fate
  /// Every line that a client has sent, without payloads.
  public let lines = Watched<[String]>([])
  private let channel: any Channel
  public let port: Int

  /// - Parameters:
  ///   - subjects: those of its stream, which is called TICKS.
  ///   - info: members of INFO beside the usual ones, such as `"auth_required":true,`.
  ///   - tls: certificate chain and key, both PEM, if it asks for TLS after INFO.
  ///   - fate: what happens to a message for the stream; the number counts attempts from 0.
  public init(
    subjects: [String] = ["ticks.>"], info: String = "", version: String = "2.12.0", tls: (chain: String, key: String)? = nil,
    port: Int = 0,
    _ fate: @escaping @Sendable (_ number: Int, Message) -> Fate = { _, _ in .store }
  ) async throws {
    self.subjects = subjects
    self.fate = fate
    self.info =
      "INFO {\(info)\(tls == nil ? "" : #""tls_required":true,"#)\"server_id\":\"F\",\"version\":\"\(version)\",\"max_payload\":65536,\"headers\":true,\"jetstream\":true}\r\n"
    let context = try tls.map { try TLSContext(chain: $0.chain, key: $0.key) }
    let box = Box()
    // One thread for all of its connections, so that nothing overtakes anything.
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    channel = try await ServerBootstrap(group: loop)
      .serverChannelOption(ChannelOptions.socketOption(.so_reuseaddr), value: 1)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          guard let server = box.server.withLock({ $0 }) else { throw ChannelError.ioOnClosedChannel }
          try channel.pipeline.syncOperations.addHandler(FakeHandler(server, tls: context))
        }
      }
      .bind(host: "127.0.0.1", port: port).get()
    self.port = channel.localAddress?.port ?? 0
    box.server.withLock { $0 = self }
  }

  private final class Box: Sendable { let server = Mutex<FakeNATS?>(nil) }

  /// What the stream holds.
  public var stored: [Message] { core.withLock { $0.messages } }
  /// How many connections there have been.
  public var connections: Int { core.withLock { $0.count } }
  /// The names of the consumers, with the number up to which each is acknowledged.
  public var consumers: [String: Int] { core.withLock { $0.consumers.mapValues(\.acknowledged) } }

  /// Puts a message into the stream as another writer would.
  public func store(_ message: Message) {
    core.withLock { $0.messages.append(message) }
    channel.eventLoop.execute { self.serve() }
  }

  /// Lets the stream have only what is behind message `count`.
  public func trim(_ count: Int) { core.withLock { $0.trimmed = count } }

  /// Lets no consumer answer for its place the next `times` times.
  public func hideConsumers(times: Int) { core.withLock { $0.hidden = times } }

  /// Changes JetStream's answers to calls such as `STREAM.INFO.TICKS`, and the places of delivered messages.
  public func lie(_ answers: @escaping Lie = { $1 }, places: @escaping @Sendable (_ place: String) -> String = { $0 }) {
    core.withLock { ($0.lies, $0.falsePlaces) = (answers, places) }
  }

  public func deleteStream() { core.withLock { $0.hasStream = false } }

  /// Says this to all clients.
  public func say(_ text: String) {
    for channel in core.withLock({ Array($0.connections.values) }) { channel.writeAndFlush(ByteBuffer(string: text), promise: nil) }
  }

  /// Cuts all connections.
  public func cut() { for channel in core.withLock({ Array($0.connections.values) }) { channel.close(promise: nil) } }

  public func close() async {
    cut()
    try? await channel.close()
  }
}

/// One connection.
private final class FakeHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let server: FakeNATS
  private let tls: TLSContext?
  private var buffer = ByteBuffer()
  private var number = 0

  init(_ server: FakeNATS, tls: TLSContext?) {
    self.server = server
    self.tls = tls
  }

  func channelActive(context: ChannelHandlerContext) {
    number = server.core.withLock { core in
      core.count += 1
      core.connections[core.count] = context.channel
      return core.count
    }
    context.writeAndFlush(NIOAny(ByteBuffer(string: server.info)), promise: nil)
    if let tls { try? context.pipeline.syncOperations.addHandler(TLSHandler(server: tls), position: .first) }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var data = unwrapInboundIn(data)
    buffer.writeBuffer(&data)
    while let end = buffer.readableBytesView.firstIndex(of: 10) {
      let length = end - buffer.readerIndex
      let line = buffer.getString(at: buffer.readerIndex, length: length - 1) ?? ""
      let words = line.split(separator: " ").map(String.init)
      var rest = 0
      if words.first == "PUB" || words.first == "HPUB" { rest = (Int(words.last ?? "") ?? 0) + 2 }
      guard buffer.readableBytes >= length + 1 + rest else { return }
      buffer.moveReaderIndex(forwardBy: length + 1)
      let body = (buffer.readBytes(length: rest) ?? []).dropLast(2)
      server.lines.update { $0.append(line) }
      switch words.first {
      case "PING": context.writeAndFlush(NIOAny(ByteBuffer(string: "PONG\r\n")), promise: nil)
      case "SUB": server.core.withLock { $0.subscriptions[number, default: []].append((words[words.count - 1], words[1])) }
      case "UNSUB": server.core.withLock { $0.subscriptions[number]?.removeAll { $0.sid == words[1] } }
      case "PUB":
        let reply = words.count == 4 ? words[2] : nil
        server.take(.init(subject: words[1], bytes: Array(body)), reply: reply, from: number, context.channel)
      case "HPUB":
        let reply = words.count == 5 ? words[2] : nil
        let size = Int(words[words.count - 2]) ?? 0
        let headers = String(decoding: body.prefix(size), as: UTF8.self)
        server.take(
          .init(subject: words[1], headers: headers, bytes: Array(body.dropFirst(size))), reply: reply, from: number, context.channel)
      default: break
      }
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    server.core.withLock { core in
      core.connections[number] = nil
      core.subscriptions[number] = nil
      for name in core.consumers.keys { core.consumers[name]?.requests.removeAll { $0.connection == number } }
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

extension FakeNATS {
  static func matches(_ subject: String, _ pattern: String) -> Bool {
    let (a, b) = (subject.split(separator: "."), pattern.split(separator: "."))
    for (n, part) in b.enumerated() {
      if part == ">" { return a.count > n }
      if n >= a.count || part != "*" && part != a[n] { return false }
    }
    return a.count == b.count
  }

  /// Delivers a message to its subscribers.
  func deliver(_ subject: String, reply: String? = nil, headers: String = "", _ payload: String) {
    deliver(subject, reply: reply, headers: headers, Array(payload.utf8))
  }

  func deliver(_ subject: String, reply: String? = nil, headers: String = "", _ payload: [UInt8], shown: String? = nil) {
    let targets = core.withLock { core in
      core.subscriptions.flatMap { number, list in
        list.filter { Self.matches(subject, $0.subject) }.compactMap { entry in core.connections[number].map { (entry.sid, $0) } }
      }
    }
    for (sid, channel) in targets {
      let middle = "\(shown ?? subject) \(sid)\(reply.map { " " + $0 } ?? "")"
      let head =
        headers.isEmpty
        ? "MSG \(middle) \(payload.count)\r\n" : "HMSG \(middle) \(headers.utf8.count) \(headers.utf8.count + payload.count)\r\n\(headers)"
      channel.writeAndFlush(ByteBuffer(bytes: Array(head.utf8) + payload + [13, 10]), promise: nil)
    }
  }

  func take(_ message: Message, reply: String?, from number: Int, _ channel: any Channel) {
    if message.subject.hasPrefix("$JS.API.") {
      let call = String(message.subject.dropFirst(8))
      let answer = api(call, message.payload, reply: reply, from: number)
      if let reply, let answer { deliver(reply, core.withLock { $0.lies }(call, answer)) }
      serve()
    } else if message.subject.hasPrefix("$JS.ACK.") {
      let parts = message.subject.split(separator: ".")
      core.withLock { $0.consumers[String(parts[3])]?.acknowledged = Int(parts[5]) ?? 0 }
      if let reply { deliver(reply, "") }
    } else if subjects.contains(where: { Self.matches(message.subject, $0) }), core.withLock({ $0.hasStream }) {
      publish(message, reply: reply, channel)
      serve()
    } else {
      deliver(message.subject, reply: reply, headers: message.headers, message.bytes)
      let isHeard = core.withLock { $0.subscriptions.values.joined().contains { Self.matches(message.subject, $0.subject) } }
      if !isHeard, let reply { deliver(reply, headers: "NATS/1.0 503\r\n\r\n", "") }
    }
  }

  private func publish(_ message: Message, reply: String?, _ channel: any Channel) {
    let attempt = core.withLock { core in
      defer { core.published += 1 }
      return core.published
    }
    let fate = fate(attempt, message)
    if case .cut = fate { return channel.close(promise: nil) }
    if case .drop = fate, message.header("Nats-Expected-Last-Sequence").flatMap({ Int($0) }) == stored.count { return }
    let answer: String = core.withLock { core in
      if let id = message.header("Nats-Msg-Id"), let known = core.ids[id] {
        return #"{"stream":"TICKS","seq":\#(known),"duplicate": true}"#
      }
      if let expected = message.header("Nats-Expected-Last-Sequence"), Int(expected) != core.messages.count {
        return
          #"{"error":{"code":400,"err_code":10071,"description":"wrong last sequence: \#(core.messages.count)"},"stream":"TICKS","seq":0}"#
      }
      core.messages.append(message)
      if let id = message.header("Nats-Msg-Id") { core.ids[id] = core.messages.count }
      return #"{"stream":"TICKS", "seq":\#(core.messages.count)}"#
    }
    switch fate {
    case .storeAndCut: channel.close(promise: nil)
    case .storeSilently, .cut: break
    case .drop: if let reply { deliver(reply, answer) }
    case .store: if let reply { deliver(reply, answer) }
    }
  }

  private static func error(_ number: Int, _ text: String) -> String {
    #"{"error":{"code":404,"err_code":\#(number),"description":"\#(text)"}}"#
  }

  private func api(_ call: String, _ body: String, reply: String?, from number: Int) -> String? {
    let parts = call.split(separator: ".").map(String.init)
    let json = (try? JSONSerialization.jsonObject(with: Data(body.utf8))) as? [String: Any] ?? [:]
    return core.withLock { core in
      if parts[0] == "STREAM", parts[1] == "CREATE" {
        core.hasStream = true
        core.metadata = json["metadata"] as? [String: String] ?? [:]
      } else if !core.hasStream {
        return Self.error(10059, "stream not found")
      }
      switch parts.prefix(2).joined(separator: ".") {
      case "STREAM.INFO", "STREAM.CREATE":
        let list = subjects.map { "\"\($0)\"" }.joined(separator: ",")
        let metadata = core.metadata.map { #""\#($0.key)":"\#($0.value)""# }.joined(separator: ",")
        return
          #"{"config":{"name":"TICKS","subjects":[\#(list)],"num_replicas":1,"duplicate_window":120000000000,"metadata":{\#(metadata)}},"state":{"messages":\#(core.messages.count - core.trimmed),"first_seq":\#(core.trimmed + 1),"last_seq":\#(core.messages.count)}}"#
      case "STREAM.MSG":
        var place = (json["seq"] as? Int).map { $0 - 1 } ?? -1
        if let subject = json["last_by_subj"] as? String {
          place = core.messages.lastIndex { Self.matches($0.subject, subject) } ?? -1
        }
        guard core.messages.indices.contains(place) else { return Self.error(10037, "no message found") }
        let message = core.messages[place]
        let headers = message.headers.isEmpty ? "" : #""hdrs":"\#(Data(message.headers.utf8).base64EncodedString())","#
        return
          #"{"message":{"subject":"\#(message.subject)","seq":\#(place + 1),\#(headers)"data":"\#(Data(message.bytes).base64EncodedString())"}}"#
      case "CONSUMER.CREATE": return create(parts[3], json["config"] as? [String: Any] ?? [:], &core)
      case "CONSUMER.DELETE":
        guard let old = core.consumers.removeValue(forKey: parts[3]) else { return Self.error(10014, "consumer not found") }
        let inboxes = old.requests.map(\.inbox)
        channel.eventLoop.execute {
          for inbox in inboxes { self.deliver(inbox, headers: "NATS/1.0 409 Consumer Deleted\r\n\r\n", "") }
        }
        return #"{"success":true}"#
      case "CONSUMER.LIST" where core.hidden > 0:
        core.hidden -= 1
        let names = core.consumers.keys.map { "\"\($0)\"" }
        return #"{"total":\#(names.count),"consumers":[],"missing":[\#(names.joined(separator: ","))]}"#
      case "CONSUMER.LIST":
        let list = core.consumers.map { #"{"name":"\#($0.key)","ack_floor":{"stream_seq":\#($0.value.acknowledged)}}"# }
        return #"{"total":\#(list.count),"consumers":[\#(list.joined(separator: ","))]}"#
      case "CONSUMER.MSG":
        if let reply { core.consumers[parts[4]]?.requests.append((reply, json["batch"] as? Int ?? 1, number)) }
        return nil
      default: return Self.error(10000, "unknown call \(call)")
      }
    }
  }

  private func create(_ name: String, _ config: [String: Any], _ core: inout Core) -> String {
    if core.consumers[name] != nil { return Self.error(10148, "consumer already exists") }
    var filters = config["filter_subjects"] as? [String] ?? []
    if let one = config["filter_subject"] as? String { filters = [one] }
    let first =
      switch config["deliver_policy"] as? String {
      case "new": core.messages.count
      case "by_start_sequence": max(core.trimmed, (config["opt_start_seq"] as? Int ?? 1) - 1)
      default: core.trimmed
      }
    core.consumers[name] = Consumer(filters: filters, next: first, acknowledged: first)
    return #"{"name":"\#(name)","ack_floor":{"stream_seq":\#(first)},"num_pending":\#(core.messages.count - first)}"#
  }

  /// Delivers what consumers have asked for.
  func serve() {
    while true {
      let delivery: (inbox: String, reply: String, message: Message)? = core.withLock { core in
        for (name, consumer) in core.consumers {
          guard let request = consumer.requests.first else { continue }
          var consumer = consumer
          defer { core.consumers[name] = consumer }
          while consumer.next < core.messages.count {
            let message = core.messages[consumer.next]
            consumer.next += 1
            if !consumer.filters.isEmpty, !consumer.filters.contains(where: { Self.matches(message.subject, $0) }) { continue }
            consumer.delivered += 1
            consumer.requests[0].left -= 1
            if consumer.requests[0].left == 0 { consumer.requests.removeFirst() }
            let left = core.messages.count - consumer.next
            return (request.inbox, "$JS.ACK.TICKS.\(name).1.\(consumer.next).\(consumer.delivered).1700000000000000000.\(left)", message)
          }
        }
        return nil
      }
      guard let delivery else { return }
      deliver(
        delivery.inbox, reply: core.withLock { $0.falsePlaces }(delivery.reply), headers: delivery.message.headers, delivery.message.bytes,
        shown: delivery.message.subject)
    }
  }
}
