internal import StockbusPlugin

extension NATSOutSettings: ChannelOptions {
  var channels: [ChannelUse] {
    let template = template
    let parts: [String]? =
      switch template.kind {
      case .fixed: [template.pattern]
      case .partition: (0..<(partitions ?? 0)).map { template.subject(partition: $0) }
      case .symbol: nil
      }
    let role = stream == nil || ids != nil ? nil : ChannelUse.Role("the writer", advice: "unless 'ids' are given")
    return [.nats(.writes, stream, template.pattern, servers, parts: parts, partsAt: partitions == nil ? "subject" : "partitions", role)]
  }
}

extension NATSInSettings: ChannelOptions {
  var channels: [ChannelUse] {
    let subjects = subjects
    let areWords = !subjects.isEmpty && !subjects.contains { $0.contains("*") || $0.contains(">") }
    let pattern = subject.map { SubjectTemplate($0).pattern } ?? ""
    let role = durable.map { ChannelUse.Role("the reader '\($0)'", advice: "so give each reader its own 'durable'") }
    return [
      .nats(.reads, stream, pattern, servers, parts: areWords ? subjects : nil, partsAt: partitions == nil ? "subject" : "partitions", role)
    ]
  }
}

extension ChannelUse {
  /// A stream, or the messages under a subject without a stream.
  fileprivate static func nats(
    _ direction: Direction, _ stream: String?, _ pattern: String, _ servers: [NATSAddress], parts: [String]?, partsAt: String,
    _ role: Role?
  ) -> ChannelUse {
    let isStream = stream != nil
    return ChannelUse(
      direction, isStream ? "NATS stream" : "NATS subject", stream ?? pattern, addresses: Set(servers.map { "\($0.host):\($0.port)" }),
      parts: parts, at: isStream ? "stream" : "subject", partsAt: partsAt, typeAt: "event", role: role
    ) { isStream ? $0 == $1 : NATSSubject.meet($0, $1) }
  }
}
