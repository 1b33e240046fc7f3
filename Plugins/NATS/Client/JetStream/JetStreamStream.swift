internal import StockbusNetwork
internal import NIOCore
internal import StockbusText

private let partitionsKey = "stockbus-partitions"

/// The settings in a request to create a stream; the server's defaults apply to all others.
package struct StreamSettings: Sendable, Hashable, Encodable {
  package var name: String
  package var subjects: [String]
  package var storage = "file"
  package var numReplicas = 1
  package var retention = "limits"
  package var discard = "old"
  package var maxBytes = -1
  /// The largest age of a message in nanoseconds; 0 means no limit.
  package var maxAge = 0
  /// How long message ids are stored to detect duplicates, in nanoseconds.
  package var duplicateWindow = 120_000_000_000
  private var metadata: [String: String] = [:]

  /// The number of partitions of its subjects, for its readers; kept in its metadata.
  package var partitions: Int? {
    get { metadata[partitionsKey].flatMap { Int($0) } }
    set { metadata[partitionsKey] = newValue.map { "\($0)" } }
  }

  package init(_ name: String, subjects: [String]) {
    self.name = name
    self.subjects = subjects
  }
}

/// The server's information about a stream.
package struct StreamInfo: Sendable, Hashable {
  package var subjects: [String]
  package var messages: UInt64
  package var firstSequence: UInt64
  package var lastSequence: UInt64
  package var duplicateWindow: Int
  package var replicas: Int
  /// The number of partitions for which it was created; nil if the metadata has none.
  package var partitions: Int?
  /// True if no message may be stored any more.
  package var isSealed: Bool
}

/// A message stored in a stream.
package struct StoredMessage: Sendable {
  package var subject: String
  package var sequence: UInt64
  package var headers: NATSHeaders?
  package var payload: [UInt8]
}

private struct StreamDocument: Decodable {
  struct Config: Decodable {
    var subjects: [String]?
    var duplicateWindow: Int?
    var numReplicas: Int?
    var sealed: Bool?
    var metadata: [String: String]?
  }
  struct State: Decodable {
    var messages: StreamNumber?
    var firstSeq: StreamNumber?
    var lastSeq: StreamNumber?
  }
  var config: Config?
  var state: State?
  var error: JetStreamFault?

  func info() throws(NATSError) -> StreamInfo {
    if let error { throw .jetStream(error.problem) }
    return StreamInfo(
      subjects: config?.subjects ?? [], messages: state?.messages?.value ?? 0, firstSequence: state?.firstSeq?.value ?? 0,
      lastSequence: state?.lastSeq?.value ?? 0, duplicateWindow: config?.duplicateWindow ?? 0, replicas: config?.numReplicas ?? 1,
      partitions: config?.metadata?[partitionsKey].flatMap { Int($0) }, isSealed: config?.sealed ?? false)
  }
}

private struct MessageDocument: Decodable {
  struct Message: Decodable {
    var subject: String?
    var seq: StreamNumber?
    var hdrs: String?
    var data: String?
  }
  var message: Message?
  var error: JetStreamFault?
}

// Management of streams. All functions throw a `NATSError`, and `CancellationError`.
extension NATSConnection {
  nonisolated(nonsending) func ask<T: Decodable>(_: T.Type, _ subject: String, _ body: String, within limit: Duration) async throws -> T {
    let answer = try await request("$JS.API." + subject, body, within: limit)
    return try JetStreamJSON.decode(T.self, Array(answer.payload.readableBytesView))
  }

  package nonisolated(nonsending) func streamInfo(_ name: String, within limit: Duration) async throws -> StreamInfo {
    try await ask(StreamDocument.self, "STREAM.INFO.\(name)", "", within: limit).info()
  }

  /// Creates a stream; one with the same settings may already exist.
  package nonisolated(nonsending) func createStream(_ settings: StreamSettings, within limit: Duration) async throws -> StreamInfo {
    try await ask(StreamDocument.self, "STREAM.CREATE.\(settings.name)", JetStreamJSON.encode(settings), within: limit).info()
  }

  /// The message with this number, from the stream's leader; nil if there is none.
  package nonisolated(nonsending) func message(_ sequence: UInt64, of stream: String, within limit: Duration) async throws -> StoredMessage?
  {
    let message = try await stored(stream, #"{"seq":\#(sequence)}"#, within: limit)
    if let message, message.sequence != sequence {
      throw NATSError.protocolViolation("message \(message.sequence) instead of message \(sequence)")
    }
    return message
  }

  /// The last message of a subject, from the stream's leader; nil if there is none.
  package nonisolated(nonsending) func lastMessage(
    on subject: String, of stream: String, within limit: Duration
  ) async throws -> StoredMessage? {
    let message = try await stored(stream, JetStreamJSON.encode(["last_by_subj": subject]), within: limit)
    if let message, message.subject != subject {
      throw NATSError.protocolViolation("a message of '\(message.subject.printable)' instead of one of '\(subject)'")
    }
    return message
  }

  private nonisolated(nonsending) func stored(_ stream: String, _ body: String, within limit: Duration) async throws -> StoredMessage? {
    let document = try await ask(MessageDocument.self, "STREAM.MSG.GET.\(stream)", body, within: limit)
    if let problem = document.error?.problem {
      if problem.isMessageMissing { return nil }
      throw NATSError.jetStream(problem)
    }
    guard let message = document.message, let sequence = message.seq?.value else {
      throw NATSError.protocolViolation("a message without a number")
    }
    let headers = message.hdrs.flatMap { Base64.decode($0) }.map { NATSHeaders(ByteBuffer(bytes: $0)) }
    return StoredMessage(
      subject: message.subject ?? "", sequence: sequence, headers: headers, payload: message.data.flatMap { Base64.decode($0) } ?? [])
  }
}
