internal import StockbusNetwork
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
    return [.nats(.writes, stream, template.pattern, servers, parts: parts, partsAt: partitions == nil ? "subject" : "partitions")]
  }
}

extension NATSInSettings: ChannelOptions {
  var channels: [ChannelUse] {
    let subjects = subjects
    let areWords = !subjects.isEmpty && !subjects.contains { $0.contains("*") || $0.contains(">") }
    let pattern = subject.map { SubjectTemplate($0).pattern } ?? ""
    return [
      .nats(.reads, stream, pattern, servers, parts: areWords ? subjects : nil, partsAt: partitions == nil ? "subject" : "partitions")
    ]
  }
}

extension ChannelUse {
  /// A stream, or what is heard under a subject without one.
  fileprivate static func nats(
    _ direction: Direction, _ stream: String?, _ pattern: String, _ servers: [NATSAddress], parts: [String]?, partsAt: String
  ) -> ChannelUse {
    ChannelUse(
      direction, stream == nil ? "NATS subject" : "NATS stream", stream ?? pattern,
      addresses: Set(servers.map { "\($0.host):\($0.port)" }), parts: parts, at: stream == nil ? "subject" : "stream", partsAt: partsAt,
      typeAt: "event")
  }
}
