internal import EventBus
internal import MarketData

/// The market's own event types and their fields, for somebody who asks one of them for what another one has.
enum Elsewhere {
  /// Where each comes from is said of what no source makes.
  private static let types: [(name: String, origin: String, fields: Set<String>)] = [
    entry(Trade.self), entry(Quote.self), entry(Bar.self), entry(Ranked.self, ", which sorting_feed emits,"),
  ]

  private static func entry<E: Event>(_: E.Type, _ origin: String = "") -> (String, String, Set<String>) {
    (E.schema.name, origin, Set(E.schema.fields.map(\.name)))
  }

  /// `a ranked, which sorting_feed emits, has one`; nil where none of them has such a field.
  static func note(on field: String, notIn name: String) -> String? {
    let owners = types.filter { $0.name != name && $0.fields.contains(field) }
    if owners.isEmpty { return nil }
    return owners.map { "a \($0.name)\($0.origin)" }.joined(separator: " and ") + (owners.count == 1 ? " has one" : " have one")
  }
}
