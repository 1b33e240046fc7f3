internal import NIOCore

private let partitionsKey = "stockbus-partitions"

/// How a stream is made, as far as we say it.
package struct StreamSettings: Sendable, Hashable, Encodable {
  package var name: String
  package var subjects: [String]
  package var storage = "file"
  package var numReplicas = 1
  package var retention = "limits"
  package var discard = "old"
  package var maxBytes = -1
  /// In nanoseconds; 0 for ever.
  package var maxAge = 0
  /// For how long message ids are remembered, in nanoseconds.
  package var duplicateWindow = 120_000_000_000
  private var metadata: [String: String] = [:]

  /// How many partitions its subjects have, for those who read it; kept in its metadata.
  package var partitions: Int? {
    get { metadata[partitionsKey].flatMap { Int($0) } }
    set { metadata[partitionsKey] = newValue.map { "\($0)" } }
  }

  package init(_ name: String, subjects: [String]) {
    self.name = name
    self.subjects = subjects
  }
}

/// What is known of a stream.
package struct StreamInfo: Sendable, Hashable {
  package var subjects: [String]
  package var messages: UInt64
  package var firstSequence: UInt64
  package var lastSequence: UInt64
  package var duplicateWindow: Int
  package var replicas: Int
  /// How many partitions it was made for; nil if that was not said.
  package var partitions: Int?
  /// True if nothing may be stored any more.
  package var isSealed: Bool
}

/// A message that a stream holds.
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

// Management of streams. Everything throws a `NATSError`, and `CancellationError`.
extension NATSConnection {
  nonisolated(nonsending) func ask<T: Decodable>(_: T.Type, _ subject: String, _ body: String, within limit: Duration) async throws -> T {
    let answer = try await request("$JS.API." + subject, body, within: limit)
    return try JetStreamJSON.decode(T.self, Array(answer.payload.readableBytesView))
  }

  package nonisolated(nonsending) func streamInfo(_ name: String, within limit: Duration) async throws -> StreamInfo {
    try await ask(StreamDocument.self, "STREAM.INFO.\(name)", "", within: limit).info()
  }

  /// Makes a stream; one with the same settings may be there already.
  package nonisolated(nonsending) func createStream(_ settings: StreamSettings, within limit: Duration) async throws -> StreamInfo {
    try await ask(StreamDocument.self, "STREAM.CREATE.\(settings.name)", JetStreamJSON.encode(settings), within: limit).info()
  }

  /// The message with this number, as the stream's leader has it; nil if there is none.
  package nonisolated(nonsending) func message(_ sequence: UInt64, of stream: String, within limit: Duration) async throws -> StoredMessage?
  {
    let message = try await stored(stream, #"{"seq":\#(sequence)}"#, within: limit)
    if let message, message.sequence != sequence {
      throw NATSError.protocolViolation("message \(message.sequence) in place of message \(sequence)")
    }
    return message
  }

  /// The last message of a subject, as the stream's leader has it; nil if there is none.
  package nonisolated(nonsending) func lastMessage(
    on subject: String, of stream: String, within limit: Duration
  ) async throws -> StoredMessage? {
    let message = try await stored(stream, JetStreamJSON.encode(["last_by_subj": subject]), within: limit)
    if let message, message.subject != subject {
      throw NATSError.protocolViolation("a message of '\(message.subject.printable)' in place of one of '\(subject)'")
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
