public import MarketData
internal import StockbusPlugin

/// A text for the venue.
public struct OutgoingMessage: Hashable, Sendable, CustomStringConvertible {
  /// What is sent.
  public let text: String
  /// True where it holds a credential.
  public let isSecret: Bool

  /// As it may stand in a log.
  public var description: String { isSecret ? "***" : text }
}

/// What is said to a venue, from the address to the last subscription.
///
/// Connect to `address`, send `authentication`, wait for a message with the role `authenticated` where `waitsForAuthentication`, then
/// send `subscriptions`, each `pace` after the one before. Say the same again after a reconnection.
public struct Conversation: Sendable {
  /// Where to connect; its description shows no credential.
  public let address: OutgoingMessage?
  public let authentication: [OutgoingMessage]
  /// True where subscriptions must wait until the venue knows us.
  public let waitsForAuthentication: Bool
  public let subscriptions: [OutgoingMessage]
  /// Between two messages.
  public let pace: Duration
  /// How long the connection may be silent.
  public let silence: Duration
  /// How often `keepalive(_:)` is sent, if at all.
  public let keepaliveInterval: Duration?
  private let keepalive: MessageTemplate?
  private let form: SymbolTemplate

  /// For these symbols and what is to come of them; nil subscribes to the channels of all kinds of events. `spec` is whole: a
  /// preset's and what was written. Throws every reason why it cannot be said.
  public init(_ spec: DecodingSpec, symbols: [Symbol], event: EventKind?) throws(DecodingSpecError) {
    let faults = spec.conversationFaults(symbols: symbols, event: event)
    guard faults.isEmpty else { throw DecodingSpecError(faults) }
    let secrets = spec.secrets
    var values = MessageTemplate.Values(credentials: secrets)
    values.isJSON = false
    address = spec.url.map { url in
      let template = MessageTemplate(url)
      return OutgoingMessage(text: template.text(values), isSecret: !template.credentials.isEmpty)
    }
    values.isJSON = true
    authentication = (spec.authenticate ?? []).map { OutgoingMessage(text: MessageTemplate($0.revealed).text(values), isSecret: true) }
    waitsForAuthentication =
      !authentication.isEmpty && (spec.messages?.entries.contains { $0.value.role == .authenticated } ?? false)
    form = SymbolTemplate(spec.symbol)
    subscriptions = Self.subscriptions(spec, symbols, spec.channels(for: event), values)
    pace = spec.pace ?? .zero
    silence = spec.silence ?? .seconds(60)
    keepalive = spec.keepalive.map { MessageTemplate($0.message) }
    keepaliveInterval = spec.keepalive?.every
  }

  /// The message that keeps the connection open, the `number`th of the connection; nil where none is needed.
  public func keepalive(_ number: Int) -> OutgoingMessage? {
    keepalive.map { OutgoingMessage(text: $0.text(.init(id: number)), isSecret: false) }
  }

  /// Whether the venue names a symbol in something that it says, as the configuration or as the venue writes it, in any case.
  public func isNamed(_ symbol: String, in text: String) -> Bool {
    let text = text.lowercased()
    return [symbol, form.venueName(symbol) ?? symbol].contains { name in
      // A name inside another is another name.
      text.ranges(of: name.lowercased()).contains { range in
        !(text[..<range.lowerBound].last.map(Self.isLetter) ?? false) && !(text[range.upperBound...].first.map(Self.isLetter) ?? false)
      }
    }
  }

  private static func isLetter(_ character: Character) -> Bool { character.isLetter || character.isNumber }

  private static func subscriptions(
    _ spec: DecodingSpec, _ symbols: [Symbol], _ channels: [String], _ values: MessageTemplate.Values
  ) -> [OutgoingMessage] {
    let form = SymbolTemplate(spec.symbol)
    let names = symbols.compactMap { form.venueName($0.description) }
    var messages: [OutgoingMessage] = []
    for rule in spec.subscribe ?? [] {
      let template = MessageTemplate(rule.message)
      let needs = template.names
      let item = rule.item.map { MessageTemplate($0) }
      var groups: [[String]] = [names]
      if needs.contains(.symbol) {
        groups = names.map { [$0] }
      } else if needs.contains(.symbols) || needs.contains(.items) {
        groups = stride(from: 0, to: names.count, by: max(1, rule.chunk)).map {
          Array(names[$0..<min(names.count, $0 + max(1, rule.chunk))])
        }
      }
      for group in groups {
        for list in needs.contains(.channel) ? channels.map({ [$0] }) : [channels] {
          var values = values
          values.id = messages.count + 1
          values.symbols = group
          values.symbol = group.first ?? ""
          values.channels = list
          values.channel = list.first ?? ""
          if let item {
            values.items = group.flatMap { symbol in list.map { item.text(.init(symbol: symbol, channel: $0)) } }
          }
          messages.append(OutgoingMessage(text: template.text(values), isSecret: !template.credentials.isEmpty))
        }
      }
    }
    return messages
  }
}
