internal import StockbusConfig
internal import StockbusPlugin

/// The topics of the whole run, one queue each; important notices are logged as well.
final class RunTopics: NoticePublisher {
  /// How many dead letters, and how many gaps, of one component are logged in full.
  static let logged = 5

  let letters: NoticeQueue<DeadLetter>
  let connections: NoticeQueue<ConnectionStatus>
  let gaps: NoticeQueue<Gap>
  let health: NoticeQueue<Health>
  let rejected = RejectedSymbols()
  private let logger: Logger
  /// The reason of each component's first dead letter.
  private let firstReasons = Guarded([String: String]())
  /// Fires when the run is to stop.
  private let stop: Latch
  /// Why a component has never reached its peer; an empty text once it has.
  private let obstacles = Guarded([String: String]())
  /// The time since which a component has been without its peer, because the connection was lost or refused.
  private let away = Guarded([String: Timestamp]())

  init(_ topology: Topology, logger: Logger, stop: Latch) {
    self.logger = logger
    self.stop = stop
    letters = NoticeQueue(.deadLetters, readers: topology.components(downstreamOf: .deadLetters))
    connections = NoticeQueue(.connections, readers: topology.components(downstreamOf: .connections))
    gaps = NoticeQueue(.gaps, readers: topology.components(downstreamOf: .gaps))
    health = NoticeQueue(.health, readers: topology.components(downstreamOf: .health))
  }

  /// Other components read these topics from now on.
  func change(to topology: Topology) {
    letters.readers = topology.components(downstreamOf: .deadLetters)
    connections.readers = topology.components(downstreamOf: .connections)
    gaps.readers = topology.components(downstreamOf: .gaps)
    health.readers = topology.components(downstreamOf: .health)
  }

  /// By name.
  var topics: [String: any AnyTopic] {
    var topics: [String: any AnyTopic] = [:]
    for name in RunTopic.allCases {
      topics[name.rawValue] =
        switch name {
        case .deadLetters: letters.topic
        case .connections: connections.topic
        case .gaps: gaps.topic
        case .health: health.topic
        }
    }
    return topics
  }

  func post(_ letter: DeadLetter) {
    let count = letters.post(letter, by: letter.component)
    if count == 1 { firstReasons.withLock { $0[letter.component] = letter.reason } }
    if count <= Self.logged {
      logger.warning("\(letter.component): dead letter: \(letter.origin): \(letter.reason): \(letter.payload)\(more(count))")
    }
  }

  /// The reason of a component's first dead letter; nil if it has none.
  func firstReason(of component: String) -> String? { firstReasons.withLock { $0[component] } }

  func post(_ status: ConnectionStatus) {
    connections.post(status, by: status.component)
    note(status)
    if let since = endOfAbsence(status) {
      let time = Duration.nanoseconds(status.time.ns - since.ns).roughText
      return logger.notice("\(status.component): \(status.state.fieldName) after \(time): \(status.reason)")
    }
    let level: Logger.Level =
      switch status.state {
      case .connecting, .loading: .debug
      case .connected, .loaded, .empty, .disconnected: .info
      case .malformed, .failed: .warning
      }
    logger.log(level: level, "\(status.component): \(status.state.fieldName): \(status.reason)")
  }

  /// The time since which the component was without the connection that it has now; nil if it was not, or still is.
  private func endOfAbsence(_ status: ConnectionStatus) -> Timestamp? {
    away.withLock { away in
      switch status.state {
      case .connected, .loaded, .empty: return away.removeValue(forKey: status.component)
      case .disconnected, .failed, .malformed: away[status.component] = away[status.component] ?? status.time
      case .connecting, .loading: break
      }
      return nil
    }
  }

  /// Remembers whether the component has ever reached its peer, and if not, why its last attempt has failed. An attempt that a stop
  /// interrupts has not failed.
  private func note(_ status: ConnectionStatus) {
    obstacles.withLock { obstacles in
      switch status.state {
      case .connected, .loaded, .empty, .malformed: obstacles[status.component] = ""
      case .disconnected, .failed:
        if obstacles[status.component] != "", !stop.hasFired { obstacles[status.component] = status.reason }
      case .connecting, .loading: break
      }
    }
  }

  /// Why a component has never reached its peer; nil if it has, or has not failed to.
  func obstacle(of component: String) -> String? { obstacles.withLock { $0[component] }.flatMap { $0.isEmpty ? nil : $0 } }

  func post(_ gap: Gap) {
    let count = gaps.post(gap, by: gap.component)
    if count <= Self.logged {
      logger.warning("\(gap.component): gap in \(gap.stream): expected \(gap.expected), got \(gap.got)\(more(count))")
    }
  }

  /// Important changes were logged where they occurred.
  func post(_ news: Health) { health.post(news, by: news.component) }

  private func more(_ count: Int) -> String { count == Self.logged ? " (further ones are counted, but not logged)" : "" }

  /// The entries for the ledger.
  var entries: [Ledger.Entry] {
    entries(of: letters, counted: Ledger.deadLetters) + entries(of: gaps, counted: Ledger.gaps) + entries(of: connections, counted: nil)
      + (health.readers.isEmpty ? [] : entries(of: health, counted: nil))
  }

  private func entries<E>(of queue: NoticeQueue<E>, counted name: String?) -> [Ledger.Entry] {
    var entries: [Ledger.Entry] = []
    if let name {
      for (component, count) in queue.counts.sorted(by: { $0.key < $1.key }) {
        entries.append(Ledger.Entry(component: component, name: name, total: count))
      }
    }
    // For readers, notices without room in the queue are lost. Notices after the end are no loss: readers of another topic of the run post
    // them while they end themselves.
    let rest =
      queue.readers.isEmpty
      ? [("without a reader", queue.unpublished + queue.tooLate)]
      : [(Ledger.lost, queue.unpublished), ("reported too late", queue.tooLate)]
    for (name, total) in rest where total > 0 {
      entries.append(Ledger.Entry(component: queue.topic.name, name: name, total: total))
    }
    return entries
  }

  /// Publishes posted notices until `close`.
  func run() async {
    async let first: Void = letters.run()
    async let second: Void = connections.run()
    async let third: Void = gaps.run()
    async let fourth: Void = health.run()
    _ = await (first, second, third, fourth)
  }

  /// Closes each topic once all components have ended that could post on it and are not themselves kept by an open topic.
  ///
  /// A component that reads one topic posts on the others until its own topic is closed, so they are closed one after another, and `health`
  /// last, because every component posts on it when it ends. Where readers of a later topic post on an earlier one that is closed, their
  /// notices are counted as too late.
  ///
  /// - Parameter haveEnded: returns true if all components but these have ended.
  func close(if haveEnded: (_ butThese: Set<String>) -> Bool) {
    let inTurn: [any ClosableNotices] = [gaps, connections, letters, health]
    var open = inTurn.drop { $0.isClosed }
    while let next = open.first, haveEnded(open.reduce(into: []) { $0.formUnion($1.readers) }) {
      next.close()
      open.removeFirst()
    }
  }

  /// Ends `run` at once.
  func cutOff() {
    letters.cutOff()
    connections.cutOff()
    gaps.cutOff()
    health.cutOff()
  }
}

extension Topology {
  /// The components that read this topic directly or indirectly.
  fileprivate func components(downstreamOf topic: RunTopic) -> Set<String> {
    var readers: Set<String> = []
    for node in nodes where node.inputs.contains(where: { $0.from == topic.rawValue || readers.contains($0.from) }) {
      readers.insert(node.id)
    }
    return readers
  }
}
