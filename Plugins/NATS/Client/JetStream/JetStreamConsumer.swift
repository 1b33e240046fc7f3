internal import StockbusNetwork

/// The settings in a request to create a consumer; the server's defaults apply to all others.
package struct ConsumerSettings: Sendable, Hashable, Encodable {
  package var name: String
  /// Equal to the name for a consumer that is not removed when no client uses it; otherwise nil.
  package var durableName: String?
  /// `all`, `new`, `last_per_subject`, `by_start_sequence`, `by_start_time`.
  package var deliverPolicy: String
  package var optStartSeq: UInt64?
  package var optStartTime: String?
  /// `none`, or `all`: one acknowledgement covers all messages before it too.
  package var ackPolicy: String
  package var ackWait: Int?
  package var maxAckPending: Int?
  package var filterSubject: String?
  package var filterSubjects: [String]?
  /// The time without a request after which the server removes the consumer, in nanoseconds.
  package var inactiveThreshold: Int?
  package var memStorage: Bool?
  package var numReplicas: Int?

  /// - Parameter subjects: the subjects to read; empty for all.
  package init(_ name: String, deliver: String, ack: String, subjects: [String]) {
    self.name = name
    deliverPolicy = deliver
    ackPolicy = ack
    // Servers before 2.10 know only the form for one subject.
    if subjects.count == 1 { filterSubject = subjects[0] }
    if subjects.count > 1 { filterSubjects = subjects }
  }
}

/// The server's information about a consumer.
package struct ConsumerInfo: Sendable, Hashable {
  package var name: String
  /// All messages up to this number of the stream are acknowledged.
  package var acknowledged: UInt64
  /// The number of messages still to be delivered.
  package var pending: UInt64
}

private struct ConsumerDocument: Decodable {
  struct Place: Decodable { var streamSeq: StreamNumber? }
  var name: String?
  var ackFloor: Place?
  var numPending: StreamNumber?
  var error: JetStreamFault?

  var info: ConsumerInfo { ConsumerInfo(name: name ?? "", acknowledged: ackFloor?.streamSeq?.value ?? 0, pending: numPending?.value ?? 0) }
}

private struct ConsumerList: Decodable {
  var total: Int?
  var consumers: [ConsumerDocument]?
  /// The consumers that have not replied in time.
  var missing: [String]?
  var error: JetStreamFault?
}

private struct Done: Decodable {
  var success: Bool?
  var error: JetStreamFault?
}

private struct CreateConsumer: Encodable {
  var streamName: String
  var config: ConsumerSettings
  var action: String
}

// Management of consumers. All functions throw a `NATSError`, and `CancellationError`.
extension NATSConnection {
  /// The most pages of a stream's consumers that are read; a server puts 256 consumers on each.
  static var pageLimit: Int { 400 }

  /// Creates a consumer, which must not exist yet.
  package nonisolated(nonsending) func createConsumer(
    _ settings: ConsumerSettings, of stream: String, within limit: Duration
  ) async throws -> ConsumerInfo {
    let body = JetStreamJSON.encode(CreateConsumer(streamName: stream, config: settings, action: "create"))
    let document = try await ask(ConsumerDocument.self, "CONSUMER.CREATE.\(stream).\(settings.name)", body, within: limit)
    if let error = document.error { throw NATSError.jetStream(error.problem) }
    // Later requests have the consumer's name in their subject.
    guard document.name == settings.name else {
      throw NATSError.protocolViolation("it created the consumer '\((document.name ?? "").printable)' instead of '\(settings.name)'")
    }
    return document.info
  }

  /// Removes a consumer; also returns true if there was none.
  package nonisolated(nonsending) func deleteConsumer(_ name: String, of stream: String, within limit: Duration) async throws {
    let done = try await ask(Done.self, "CONSUMER.DELETE.\(stream).\(name)", "", within: limit)
    if let problem = done.error?.problem, !problem.isConsumerMissing { throw NATSError.jetStream(problem) }
  }

  /// All consumers of a stream. Throws if the leader of one does not reply, for example because a server has just been lost.
  package nonisolated(nonsending) func consumers(of stream: String, within limit: Duration) async throws -> [ConsumerInfo] {
    var found: [ConsumerInfo] = []
    for _ in 0..<Self.pageLimit {
      let list = try await ask(ConsumerList.self, "CONSUMER.LIST.\(stream)", #"{"offset":\#(found.count)}"#, within: limit)
      if let error = list.error { throw NATSError.jetStream(error.problem) }
      if let missing = list.missing, !missing.isEmpty {
        let names = missing.prefix(3).joined(separator: ", ").printable
        throw NATSError.jetStream(JetStreamProblem(code: 503, number: 10_008, text: "no leader at present for the consumers \(names)"))
      }
      let page = list.consumers ?? []
      found += page.map(\.info)
      if page.isEmpty || found.count >= list.total ?? 0 { return found }
    }
    throw NATSError.protocolViolation("an endless list of consumers")
  }
}
