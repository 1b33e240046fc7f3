package import StockbusPlugin

/// A message to be sent to a venue.
package struct OutgoingMessage: Hashable, Sendable, CustomStringConvertible {
  /// The text to send.
  package let text: String
  /// True if the message contains a credential.
  package let isSecret: Bool

  /// The message for a log, without credentials.
  package var description: String { isSecret ? "***" : text }
}

/// All messages to a venue, from the address to the last subscription.
///
/// Connect to `address`, send `authentication`, wait for a message with the role `authenticated` if `waitsForAuthentication` is true, then
/// send `subscriptions`, each `pace` after the previous one. Do the same after a reconnection.
package struct Conversation: Sendable {
  /// The address to connect to; its description contains no credential.
  package let address: OutgoingMessage?
  package let authentication: [OutgoingMessage]
  /// True if subscriptions must wait until the venue has authenticated the client.
  package let waitsForAuthentication: Bool
  package let subscriptions: [OutgoingMessage]
  /// The pause between two messages.
  package let pace: Duration
  /// How long the connection may be silent.
  package let silence: Duration
  /// How often `keepalive(_:)` is sent, if at all.
  package let keepaliveInterval: Duration?
  private let keepalive: MessageTemplate?
  private let form: SymbolTemplate

  /// Creates the messages for these symbols and this kind of event; nil subscribes to the channels of all kinds. `spec` is complete, with
  /// the preset and the configuration merged. Throws all reasons why that is not possible.
  package init(_ spec: DecodingSpec, symbols: [Symbol], event: EventKind?) throws(DecodingSpecError) {
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

  /// The message that keeps the connection open, the connection's `number`th such message; nil if none is needed.
  package func keepalive(_ number: Int) -> OutgoingMessage? {
    keepalive.map { OutgoingMessage(text: $0.text(.init(id: number)), isSecret: false) }
  }

  /// True if a text from the venue names a symbol, in the configuration's form or the venue's, in any case.
  package func isNamed(_ symbol: String, in text: String) -> Bool {
    let text = text.lowercased()
    return [symbol, form.venueName(symbol) ?? symbol].contains { name in
      // A name inside a longer word is a different name.
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
