/// What has come over a connection since it was last looked at.
package struct NATSArrivals: Sendable {
  /// In the order in which they came.
  package var messages: [NATSMessage] = []
  /// Of messages that were published by `NATSBatch`, what their acknowledgements say; those that say anything else are among `messages`.
  package var stored: [StoredRun] = []

  package init() {}

  /// Adds a message; an acknowledgement that a read has cut in two is one of a run.
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
