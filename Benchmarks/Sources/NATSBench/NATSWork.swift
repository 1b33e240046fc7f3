internal import Logging
internal import Measuring
internal import NATS
internal import StockbusPlugin
internal import StockbusRuntime

/// The client by itself: numbered messages to a stream, and from it.
///
/// It runs on its socket's thread, as the plugins do.
actor NATSWork {
  private let thread = NetworkThread.next()
  nonisolated var unownedExecutor: UnownedSerialExecutor { thread.executor }
  nonisolated var ownExecutor: any OwnExecutor { thread }
  private let address: NATSAddress
  private var report = Report()

  init(_ address: NATSAddress) { self.address = address }

  static func address(_ text: String) throws -> NATSAddress { try NATSAddress(option: text) }

  /// Publishes messages of `size` bytes to the subject `stream`, each of which begins with its number; at most `window` of them wait for
  /// their acknowledgement. The stream is new, so its numbers say which message that is about.
  func publish(to stream: String, _ count: Int, size: Int, window: Int) async throws -> Report {
    try await connected { connection in
      let reply = Array(connection.acknowledgements.utf8)
      let subject = Array(stream.utf8)
      var payload = [UInt8](repeating: 120, count: max(Self.digits, size))
      var batch = NATSBatch()
      var (sent, confirmed) = (0, 0)
      let (began, worked) = (monotonicNanoseconds(), processorNanoseconds())
      while confirmed < count {
        let room = min(window - (sent - confirmed), count - sent, 512)
        // As many as make a write worth it; otherwise the acknowledgements first.
        if room > 0, room == count - sent || room >= min(window / 4, 512) {
          for number in sent..<sent + room {
            Self.put(number, into: &payload)
            batch.publish(subject, reply: reply, number: number % NATSConnection.fewReplies, payload)
          }
          sent += room
          connection.send(&batch)
          try await connection.waitForRoom()
          continue
        }
        let arrivals = try await connection.receive()
        for run in arrivals.stored { try note(run.first, at: run.sequence, run.count, &confirmed) }
        if let message = arrivals.messages.first { throw NATSBenchError("\(message.beginning())") }
      }
      self.note(count, since: began, worked)
    }
    return report
  }

  /// Reads a stream of numbered messages from its beginning, and compares each with its number.
  func read(_ stream: String, _ count: Int, size: Int) async throws -> Report {
    try await connected { connection in
      let (began, worked) = (monotonicNanoseconds(), processorNanoseconds())
      var wanted = ConsumerSettings("bench-\(began)", deliver: "all", ack: "none", subjects: [])
      wanted.memStorage = true
      wanted.inactiveThreshold = 60_000_000_000
      let consumer = try await connection.createConsumer(wanted, of: stream, within: .seconds(5))
      var pull = JetStreamPull(stream: stream, consumer: consumer.name)
      let inbox = connection.newInbox()
      _ = connection.subscribe(inbox)
      var came = 0
      while came < count {
        if let request = pull.request() { connection.publish(request.subject, reply: inbox, request.body) }
        for message in try await connection.receive().messages {
          guard case .message = try pull.take(message) else { continue }
          let number = message.withPayload { $0.count == max(Self.digits, size) ? Self.number($0) : nil }
          guard number == came else { throw NATSBenchError("message \(came) of the stream is not number \(came)") }
          came += 1
        }
      }
      self.note(count, since: began, worked)
    }
    return report
  }

  /// Notes the acknowledgements of messages that follow each other.
  private func note(_ first: Int, at sequence: UInt64, _ count: Int, _ confirmed: inout Int) throws {
    guard first == confirmed % NATSConnection.fewReplies, sequence == UInt64(confirmed + 1) else {
      throw NATSBenchError("message \(confirmed) is not acknowledged in its turn")
    }
    confirmed += count
  }

  private func note(_ count: Int, since began: Int64, _ worked: Int64) {
    report.add("messages", count)
    report.add("seconds", Double(monotonicNanoseconds() - began) / 1e9)
    report.add("cpu", Double(processorNanoseconds() - worked) / 1e9)
  }

  private func connected(_ body: nonisolated(nonsending) (NATSConnection) async throws -> Void) async throws {
    let logger = Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() }
    let context = Context(id: "bench", Context.Shared(clock: SystemTimekeeper(), logger: logger, seed: 42, notices: NoNotices()))
    try await NATSLink([address], NATSSettings(), login: NATSLogin(), context, thread: thread).run(body)
  }

  // MARK: Numbered messages

  private static var digits: Int { 12 }

  private static func put(_ number: Int, into payload: inout [UInt8]) {
    var number = number
    for place in stride(from: digits - 1, through: 0, by: -1) {
      payload[place] = UInt8(48 + number % 10)
      number /= 10
    }
  }

  private static func number(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
    var number = 0
    for byte in bytes.prefix(digits) { number = number * 10 + Int(byte) - 48 }
    return number
  }
}

extension NATSBatch {
  fileprivate mutating func publish(_ subject: [UInt8], reply: [UInt8], number: Int, _ payload: [UInt8]) {
    subject.withUnsafeBufferPointer { subject in
      reply.withUnsafeBufferPointer { reply in
        payload.withUnsafeBufferPointer {
          publish(subject, reply: reply, number: number, headers: UnsafeBufferPointer(start: nil, count: 0), $0)
        }
      }
    }
  }
}

struct NoNotices: NoticePublisher {
  func post(_: DeadLetter) {}
  func post(_: ConnectionStatus) {}
  func post(_: Gap) {}
}
