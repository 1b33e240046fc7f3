package import EventBus
package import MarketData

/// Topics that belong to the run. Any component may read them, with their name as an input, and post on them through its context; only the
/// run publishes the states of components.
package enum RunTopic: String, Sendable, Hashable, CaseIterable {
  case deadLetters = "dead_letters"
  case connections
  case gaps
  case health

  package var eventType: any Event.Type {
    switch self {
    case .deadLetters: DeadLetter.self
    case .connections: ConnectionStatus.self
    case .gaps: Gap.self
    case .health: Health.self
    }
  }

  /// The topic's contents, in words that follow "the topic of".
  package var contents: String {
    switch self {
    case .deadLetters: "dead letters"
    case .connections: "connection states"
    case .gaps: "gaps"
    case .health: "the states of components"
    }
  }
}

/// Where components post notices about the whole run. Posting never waits; notices beyond the readers' pace are counted but not kept.
package protocol NoticePublisher: Sendable {
  /// The symbols of rejected input.
  var rejected: RejectedSymbols { get }
  func post(_ letter: DeadLetter)
  func post(_ status: ConnectionStatus)
  func post(_ gap: Gap)
}

extension NoticePublisher {
  /// Always empty, for implementations that keep no symbols.
  package var rejected: RejectedSymbols { RejectedSymbols() }
}
