package import EventBus
package import MarketData

/// Topics that belong to the run. Any component may post on them through its context, and read them by their name as an input.
package enum RunTopic: String, Sendable, Hashable, CaseIterable {
  case deadLetters = "dead_letters"
  case connections
  case gaps

  package var eventType: any Event.Type {
    switch self {
    case .deadLetters: DeadLetter.self
    case .connections: ConnectionStatus.self
    case .gaps: Gap.self
    }
  }

  /// What it carries, in words that follow "the topic of".
  package var contents: String {
    switch self {
    case .deadLetters: "dead letters"
    case .connections: "connection states"
    case .gaps: "gaps"
    }
  }
}

/// Where components post what concerns the whole run. Posting never waits; what exceeds the readers' pace is counted but not kept.
package protocol NoticePublisher: Sendable {
  /// The symbols of what was set aside.
  var rejected: RejectedSymbols { get }
  func post(_ letter: DeadLetter)
  func post(_ status: ConnectionStatus)
  func post(_ gap: Gap)
}

extension NoticePublisher {
  /// Always empty, for implementations that keep nothing.
  package var rejected: RejectedSymbols { RejectedSymbols() }
}
