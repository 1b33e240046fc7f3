/// The messages and acknowledgements that have arrived over a connection since the last `receive`.
package struct NATSArrivals: Sendable {
  /// The messages, in the order of their arrival.
  package var messages: [NATSMessage] = []
  /// The acknowledgements of messages published by `NATSBatch`, as runs; those with any other contents are among `messages`.
  package var stored: [StoredRun] = []

  package init() {}

  /// Adds a message; an acknowledgement that two reads have divided is added to a run.
  mutating func add(_ message: NATSMessage) {
    if message.subscription == NATSConnection.acknowledgementSubscription, let number = message.subjectNumber,
      let sequence = message.withPayload({ PublishAcknowledgement.sequence($0) }), message.headers == nil
    {
      stored.add(number, at: sequence)
    } else {
      messages.append(message)
    }
  }

  package var isEmpty: Bool { messages.isEmpty && stored.isEmpty }
}
